"""Every question about quoting: given rows, expected rows, and intervals as NumPy makes them of the same draws."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from scipy import stats

from selfknow.builders.according_to.prompts import question_sets
from selfknow.evaluate.connection import connect, queries
from selfknow.models.interface import Decoding
from selfknow.portraits import Portrait
from selfknow.sql.connection import Connection, init_script
from selfknow.sql.queries import query_rows
from tests.conftest import REPOSITORY
from tests.sql.according_to_runs import Values, array, draws, ends, holm, replicated_mean, write_run

NUM_QUESTIONS = 40
WEIGHTS, SIGNS = draws(NUM_QUESTIONS)
RANDOM = np.random.default_rng(0)


def drawn(mean: float, missing: float = 0.1) -> list[float | None]:
    values = np.clip(RANDOM.normal(mean, 0.2, NUM_QUESTIONS), 0, 1)
    return [None if RANDOM.random() < missing else float(value) for value in values]


QUIP = {"null": drawn(0.3), "evidence": drawn(0.32), "attributed": drawn(0.5), "without": drawn(0.2)}
EXACT = {prompt: [float(number % 3 == 0) for number in range(NUM_QUESTIONS)] for prompt in QUIP}
EXACT["attributed"][0] = None  # type: ignore[call-overload]
NOTHING: dict[str, Values] = {prompt: [0.0 if prompt == "null" else 0.5] * NUM_QUESTIONS for prompt in QUIP}


@pytest.fixture(scope="module")
def scored_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """One run of forty questions under four prompts; the request of the last one failed under `evidence`."""
    folder = tmp_path_factory.mktemp("given") / "run"
    QUIP["evidence"][-1] = EXACT["evidence"][-1] = None  # type: ignore[call-overload]
    values = {"quip": QUIP, "exact_match": EXACT, "f1": NOTHING}
    failed = [("evidence", NUM_QUESTIONS - 1)]
    with connect(write_run(folder, values, failed=failed)) as connection:
        yield connection


def rows(connection: Connection, name: str) -> list[dict[str, Any]]:
    return query_rows(connection, name)


def test_every_question_about_quoting_is_tested_here() -> None:
    here = Path(__file__).read_text()
    names = [name for name, query in queries().items() if query.task == "according-to"]
    others = ("test_questions_about_prompts.py", "test_continuation.py")
    replies = "".join((REPOSITORY / "tests" / "according_to" / name).read_text() for name in others)
    assert [name for name in names if f'"{name}"' not in here + replies] == []


def test_a_reply_stands_there_for_every_question_prompt_and_metric_scored_or_not(scored_run: Connection) -> None:
    replies = scored_run.rows("select * from according_to_replies order by metric, place, example_id")
    assert len(replies) == 3 * 4 * NUM_QUESTIONS
    values = {(row["metric"], row["prompt"], row["example_id"]): row["value"] for row in replies}
    assert values["quip", "null", "q3"] == QUIP["null"][3]
    assert values["exact_match", "evidence", f"q{NUM_QUESTIONS - 1}"] is None, "its request failed"
    assert {(row["prompt"], row["kind"], row["place"]) for row in replies} == {
        ("null", "null", 1),
        ("evidence", "grounding", 2),
        ("attributed", "grounding", 9),
        ("without", "anti-grounding", 12),
    }


def test_absolute_scores_have_n_and_intervals(scored_run: Connection) -> None:
    by_prompt = {(row["metric"], row["prompt"]): row for row in rows(scored_run, "according_to_table")}
    assert [prompt for metric, prompt in by_prompt if metric == "quip"] == list(QUIP)
    for prompt, values in QUIP.items():
        row, expected = by_prompt["quip", prompt], array(values)
        n_graded = int((~np.isnan(expected)).sum())
        assert (row["n"], row["n_graded"]) == (NUM_QUESTIONS, n_graded)
        assert row["share_unscored"] == pytest.approx(1 - n_graded / NUM_QUESTIONS)
        assert row["score"] == pytest.approx(np.nanmean(expected))
        assert [row["score_low"], row["score_high"]] == pytest.approx(ends(replicated_mean(expected, WEIGHTS)))
        assert row["score_low"] < row["score"] < row["score_high"]
    exact = by_prompt["exact_match", "attributed"]
    assert (exact["n_graded"], exact["score"]) == (39, pytest.approx(13 / 39))
    wilson = stats.binomtest(13, 39).proportion_ci(method="wilson")
    assert [exact["score_low"], exact["score_high"]] == pytest.approx([wilson.low, wilson.high], abs=1e-6)
    assert (by_prompt["exact_match", "evidence"]["n"], by_prompt["exact_match", "evidence"]["n_graded"]) == (40, 39)
    constant = by_prompt["f1", "without"]
    assert (constant["score"], constant["score_low"], constant["score_high"]) == (0.5, 0.5, 0.5)


def test_changes_are_those_of_a_paired_bootstrap_and_of_sign_flips(scored_run: Connection) -> None:
    changes = [row for row in rows(scored_run, "according_to_changes") if row["metric"] == "quip"]
    assert [row["prompt"] for row in changes] == ["evidence", "attributed", "without"]
    null = array(QUIP["null"])
    for row in changes:
        score = array(QUIP[row["prompt"]])
        change = score - null
        paired = ~np.isnan(change)
        assert (row["n"], row["n_pairs"]) == (NUM_QUESTIONS, paired.sum())
        assert row["share_unscored"] == pytest.approx(1 - paired.mean())
        assert (row["null_score"], row["score"]) == pytest.approx((null[paired].mean(), score[paired].mean()))
        assert row["difference"] == pytest.approx(change[paired].mean())
        differences = replicated_mean(change, WEIGHTS)
        assert [row["difference_low"], row["difference_high"]] == pytest.approx(ends(differences))
        assert row["relative_change"] == pytest.approx(change[paired].mean() / null[paired].mean())
        relative = differences / replicated_mean(np.where(paired, null, np.nan), WEIGHTS)
        assert [row["relative_low"], row["relative_high"]] == pytest.approx(ends(relative))
        flipped = np.abs(SIGNS[:, paired] @ change[paired] / paired.sum())
        as_far = (flipped >= abs(change[paired].mean()) - 1e-12).sum()
        assert row["p_value"] == pytest.approx((1 + as_far) / 1001)
    assert [row["p_holm"] for row in changes] == pytest.approx(holm([row["p_value"] for row in changes]))
    assert changes[1]["p_holm"] < 0.02 < changes[0]["p_holm"]


@pytest.mark.parametrize("name", ["according_to_changes", "according_to_kinds", "according_to_table"])
def test_runs_of_other_questions_have_the_same_intervals_together_as_alone(tmp_path: Path, name: str) -> None:
    shorter = {prompt: values[:-1] for prompt, values in QUIP.items()}
    runs = [write_run(tmp_path / "a", {"quip": QUIP}), write_run(tmp_path / "b", {"quip": shorter}, model="b")]
    with connect(runs) as connection:
        together = rows(connection, name)
    alone = []
    for run in runs:
        with connect(run) as connection:
            alone += rows(connection, name)
    rounded, expected = (
        sorted(
            repr({name: round(value, 9) if isinstance(value, float) else value for name, value in row.items()})
            for row in table
        )
        for table in (together, alone)
    )
    assert rounded == expected
    assert len({row["n"] for row in together}) == 2


@pytest.mark.parametrize("name", ["according_to_changes", "according_to_kinds", "according_to_table"])
def test_other_clients_of_duckdb_get_the_same_rows(scored_run: Connection, name: str) -> None:
    """They compute with macros what NumPy computes here."""
    query = queries()[name].sql
    with duckdb.connect() as plain:
        plain.execute(init_script(scored_run.runs, {}, scored_run.tasks))
        expected_rows = plain.execute(query).fetchall()
    assert len(expected_rows) > 3
    for row, expected in zip(scored_run.rows(query), expected_rows, strict=True):
        assert list(row.values()) == [pytest.approx(e) if isinstance(e, float) else e for e in expected]


def test_without_the_null_prompt_no_prompt_is_compared(tmp_path: Path) -> None:
    with connect(write_run(tmp_path / "run", {"quip": {"evidence": [0.1, 0.2]}})) as connection:
        [row] = connection.rows("select * from according_to_differences")
        replies = connection.rows("select value, null_value from according_to_replies order by example_id")
    assert (row["n"], row["n_pairs"], row["difference"], row["p_value"]) == (2, 0, None, None)
    assert set(row["replicates"]) == {None}
    assert replies == [{"value": 0.1, "null_value": None}, {"value": 0.2, "null_value": None}]


def test_nothing_is_a_share_of_a_null_score_of_zero(scored_run: Connection) -> None:
    changes = [row for row in rows(scored_run, "according_to_changes") if row["metric"] == "f1"]
    assert {(row["null_score"], row["difference"], row["difference_low"]) for row in changes} == {(0.0, 0.5, 0.5)}
    assert {row[name] for row in changes for name in ("relative_change", "relative_low", "relative_high")} == {None}


CORPUS = "In the beginning was the word, and the word was written down on a very long roll of paper indeed."
EDITION = "At the start there was a word, and somebody put that word onto an endless strip of parchment, truly."
SAID = {
    "null": ["x; nothing of all this stands anywhere", f"x; {CORPUS[:40]}" + "q" * 20, "x; short"],
    "attributed": [f"x; {CORPUS[:60]}" + "q" * 30, f"x; {CORPUS}", f"x; {EDITION[:50]}"],
}


@pytest.fixture(scope="module")
def quoting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """Yield three questions under two prompts, a portrait of the corpus and one of an edition that nobody has seen."""
    folder = tmp_path_factory.mktemp("quoting")
    portraits = {name: Portrait.build([text]) for name, text in (("corpus", CORPUS), ("unseen", EDITION))}
    values: dict[str, Values] = {prompt: [0.5] * 3 for prompt in SAID}
    run = write_run(folder / "run", {"quip": values}, replies=SAID)
    for name, portrait in portraits.items():
        portrait.save(folder / name)
    with connect(run, portraits={name: str(folder / name) for name in portraits}) as connection:
        yield connection


def test_quoting_is_adjusted_for_length_and_measured_in_its_longest_piece(quoting: Connection) -> None:
    [row] = rows(quoting, "according_to_adjusted")
    texts = {prompt: [reply.partition(";")[2].strip() for reply in replies] for prompt, replies in SAID.items()}
    pairs = [(texts["null"][number], texts["attributed"][number]) for number in (0, 1)]  # the third has no n-gram
    assert (row["prompt"], row["n"], row["n_pairs"]) == ("attributed", 3, 2)
    assert row["characters"] == np.mean([len(text) for _, text in pairs])
    assert row["null_characters"] == np.mean([len(text) for text, _ in pairs])
    assert (row["null_longest_quote"], row["longest_quote"]) == ((0 + 40) / 2, (60 + len(CORPUS)) / 2)
    assert row["longest_difference"] == (60 + len(CORPUS) - 40) / 2
    change = [quip_of(prompted) - quip_of(plain) for plain, prompted in pairs]
    lengths = [np.log(len(prompted) / len(plain)) for plain, prompted in pairs]
    slope, intercept = np.polyfit(lengths, change, 1)
    assert (row["difference"], row["slope"], row["adjusted_difference"]) == tuple(
        map(pytest.approx, (np.mean(change), slope, intercept))
    )
    assert (row["adjusted_low"], row["longest_low"]) == (None, None), "two pairs have no interval"


def quip_of(text: str) -> float:
    return float(np.mean([text[start : start + 25] in CORPUS for start in range(len(text) - 24)]))


def test_what_stands_in_an_unseen_edition_is_no_quoting_of_the_corpus(quoting: Connection) -> None:
    plain, prompted = rows(quoting, "according_to_unseen")
    assert (plain["prompt"], plain["n"], plain["n_graded"], plain["surplus_change"]) == ("null", 3, 2, None)
    assert (prompted["prompt"], prompted["n_graded"], prompted["n_pairs"]) == ("attributed", 3, 2)
    of_corpus = [quip_of(reply[3:]) for reply in SAID["attributed"]]
    assert prompted["quip"] == pytest.approx(np.mean(of_corpus))
    assert prompted["unseen_quip"] == pytest.approx(1 / 3), "the third reply quotes the other edition alone"
    surplus = [of_corpus[0], of_corpus[1], -1.0]
    low, high = stats.t.interval(0.95, 2, loc=np.mean(surplus), scale=np.std(surplus, ddof=1) / 3**0.5)
    assert prompted["surplus"] == pytest.approx(np.mean(surplus))
    assert (prompted["surplus_low"], prompted["surplus_high"]) == (
        pytest.approx(low, abs=0.01),
        pytest.approx(high, abs=0.01),
    )


def test_the_papers_numbers_stand_beside_ours_of_the_same_set_and_prompt(tmp_path: Path) -> None:
    sets = {entry["repo"]: short for short, entry in question_sets().items()}
    values: dict[str, Values] = {"null": [0.2] * 10, "evidence": [0.3] * 10, "attributed": [0.5] * 10}
    scores = {"quip_zero": values, "quip": values, "exact_match": {prompt: [1.0] * 10 for prompt in values}}
    runs = [write_run(tmp_path / name, scores, dataset=repo, model="Koala") for repo, name in sets.items()]
    with connect([*runs, write_run(tmp_path / "other", scores, dataset="mine.jsonl")]) as connection:
        published = rows(connection, "according_to_published")
    assert {sets[row["dataset"]] for row in published} == {"nq", "tqa", "hotpot", "eli5"}
    of_nq = {
        (row["table"], row["row"], row["column"], row["published_model"]): row
        for row in published
        if sets[row["dataset"]] == "nq"
    }
    table_1 = [key for key in of_nq if key[0] == "table-1"]
    assert len(table_1) == 3 * 2 + 2, "two measures under three prompts, and both states of the art"
    attributed = of_nq["table-1", "attributed", "NQ QUIP", "ChatGPT"]
    assert (attributed["published"], attributed["published_n"], attributed["ours"]) == (pytest.approx(0.37), 3360, 0.5)
    assert (attributed["n"], attributed["n_graded"], attributed["is_same_model"]) == (10, 10, False)
    retrieved = of_nq["table-1", "retrieval-augmented-sota", "NQ EM", None]
    assert (retrieved["published"], retrieved["ours"]) == (pytest.approx(0.604), 1.0)
    change = of_nq["table-2", "Koala", "NQ QUIP", "Koala"]
    assert (change["published"], change["ours"], change["is_same_model"]) == (
        pytest.approx(0.063),
        pytest.approx(1.5),
        True,
    )
    assert [key for key in of_nq if key[0] == "appendix-a" and of_nq[key]["is_same_model"]] == [
        ("appendix-a", f"Koala, {prompt}", f"NQ {measure}", "Koala")
        for measure in ("EM", "QUIP")
        for prompt in ("attributed", "null")
    ]
    marked = [row["note"] for row in published if (row["note"] or "").startswith("does not follow")]
    assert marked == [], "ROUGE-L was not scored here"


def test_a_number_is_for_the_same_setting_only_where_it_was_asked_as_in_the_paper(tmp_path: Path) -> None:
    wikipedia = {"name": "w", "sha256": "aa", "width": 25, "items": 12_693_299_532}
    usual: dict[str, Any] = {"limit": None, "portrait": wikipedia}
    others: dict[str, dict[str, Any]] = {
        "same": {},
        "colder": {"decoding": Decoding()},
        "in two steps": {"settings": {**usual, "format": "two-step"}},
        "fewer": {"settings": {**usual, "limit": 100}},
        "silent": {"settings": {"portrait": wikipedia}},
        "with examples": {"settings": {**usual, "completion": {"examples": 2}}},
        "another edition": {"settings": {**usual, "portrait": {**wikipedia, "items": 13_000_000_000}}},
    }
    scores: dict[str, dict[str, Values]] = {
        metric: {"null": [0.2] * 4, "attributed": [0.5] * 4} for metric in ("quip_zero", "exact_match")
    }
    runs = [
        write_run(
            tmp_path / name,
            scores,
            model=name,
            dataset="google-research-datasets/nq_open",
            **{"settings": usual, "decoding": Decoding(temperature=0.3), **other},
        )
        for name, other in others.items()
    ]
    with connect(runs) as connection:
        published = rows(connection, "according_to_published")

    def same(column: str, published_model: str | None) -> set[str]:
        matches = [row for row in published if (row["column"], row["published_model"]) == (column, published_model)]
        assert {row["model_label"] for row in matches} == set(others)
        return {row["model_label"] for row in matches if row["is_same_setting"]}

    assert same("NQ QUIP", "ChatGPT") == {"same"}
    assert same("NQ EM", "ChatGPT") == {"same", "another edition"}
    assert same("NQ QUIP", "Koala") == {"in two steps"}
    assert same("NQ EM", None) == set(), "the state of the art is of others"


@pytest.mark.parametrize(
    ("p_values", "expected"),
    [
        # R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
        # p.adjust(c(0.01, 0.01, 0.9), "holm"); a prompt that could not be tested is no comparison
        ([0.01, 0.01, None, 0.9], [0.03, 0.03, None, 0.9]),
        ([0.6, 0.7], [1.0, 1.0]),
    ],
)
def test_holms_correction_steps_down(
    tmp_path: Path, p_values: list[float | None], expected: list[float | None]
) -> None:
    run = write_run(tmp_path / "run", {"quip": {"null": [0.1], "evidence": [0.2]}})
    tested = ", ".join(
        f"('p{place}', {place}, {'null' if p is None else p}::double)" for place, p in enumerate(p_values)
    )
    names = ("dataset", "model_label", "num_parameters", "kind", "null_score", "score", "difference", "relative_change")
    names += ("difference_low", "difference_high", "relative_low", "relative_high")
    with connect(run, read_only=False) as connection:
        connection.duckdb.execute(
            "create or replace view according_to_differences as select *, 'r' as run_id, 'm' as model, '' as revision, "
            f"'quip' as metric, 2 as n, 1 as n_pairs, {', '.join(f'null as {name}' for name in names)} "
            f"from (values {tested}) as tested (prompt, place, p_value)"
        )
        corrected = [row["p_holm"] for row in rows(connection, "according_to_changes")]
    assert corrected == [p_value if p_value is None else pytest.approx(p_value) for p_value in expected]


def test_two_questions_are_no_sample_of_one(tmp_path: Path) -> None:
    values = {
        "quip": {"null": [0.1, None], "evidence": [0.2, 0.3]},
        "exact_match": {"null": [1.0, 1.0], "evidence": [0.0, 0.0]},
    }
    with connect(write_run(tmp_path / "run", values)) as connection:
        [change] = [row for row in rows(connection, "according_to_changes") if row["metric"] == "quip"]
        table = {(row["metric"], row["prompt"]): row for row in rows(connection, "according_to_table")}
    assert (change["n"], change["n_pairs"], change["difference_low"]) == (2, 1, None)
    assert change["difference"] == pytest.approx(0.1)
    assert (table["quip", "null"]["score"], table["quip", "null"]["score_low"]) == (0.1, None)
    assert table["exact_match", "evidence"]["score_high"] == pytest.approx(0.6576, abs=1e-4)


def test_a_prompt_that_could_not_be_scored_at_all_is_a_row_without_numbers(tmp_path: Path) -> None:
    values = {"quip": {"null": [0.1, 0.2], "evidence": [None, None], "without": [0.0, 0.0]}}
    with connect(write_run(tmp_path / "run", values)) as connection:
        changes = {row["prompt"]: row for row in rows(connection, "according_to_changes")}
        table = {row["prompt"]: row for row in rows(connection, "according_to_table")}
    nothing = changes["evidence"]
    assert (nothing["n"], nothing["n_pairs"], nothing["share_unscored"]) == (2, 0, 1)
    assert {nothing[name] for name in ("difference", "difference_low", "p_value", "p_holm")} == {None}
    assert changes["without"]["p_holm"] == changes["without"]["p_value"], "one comparison alone"
    assert (table["evidence"]["score"], table["evidence"]["score_low"]) == (None, None)


def test_bins_hold_at_most_400_questions_each_the_same_for_all_prompts(tmp_path: Path) -> None:
    counts = [0, 1, 10, 11, 100, 101, 1000, None, *[5] * 405]
    quip = [number / len(counts) for number in range(len(counts))]
    values = {"quip": {"null": quip, "evidence": quip}, "exact_match": {"null": [1.0] * 413, "evidence": [0.0] * 413}}
    with connect(write_run(tmp_path / "run", values, counts=counts)) as connection:
        popularity = rows(connection, "according_to_popularity")
        md5 = connection.rows(
            "select id from according_to_questions where cooccurrences between 1 and 10 order by md5(id)"
        )
    shown = [row for row in popularity if (row["metric"], row["prompt"]) == ("quip", "null")]
    bins = [(row["cooccurrences_from"], row["cooccurrences_to"], row["n"], row["n_graded"]) for row in shown]
    assert bins == [(0, 0, 1, 1), (1, 10, 400, 400), (11, 100, 2, 2), (101, 1000, 2, 2)]
    chosen = [int(row["id"][1:]) for row in md5[:400]]
    assert shown[1]["score"] == pytest.approx(np.mean([quip[number] for number in chosen]))
    weights, _ = draws(413)
    masked = np.full(413, np.nan)
    masked[chosen] = np.array(quip)[chosen]
    assert [shown[1]["score_low"], shown[1]["score_high"]] == pytest.approx(ends(replicated_mean(masked, weights)))
    assert (shown[0]["score_low"], shown[0]["score_high"]) == (None, None), "one question is no sample"
    exact = {(row["prompt"], row["cooccurrences_from"]): row for row in popularity if row["metric"] == "exact_match"}
    wilson = stats.binomtest(0, 400).proportion_ci(method="wilson")
    assert exact["evidence", 1]["score_low"] == 0.0
    assert exact["evidence", 1]["score_high"] == pytest.approx(wilson.high, abs=1e-6)
    assert exact["null", 0]["score_high"] == 1.0


def test_questions_without_counts_have_no_bins(scored_run: Connection) -> None:
    assert rows(scored_run, "according_to_popularity") == []


SIZES = {"small": 10_000_000, "middle": 100_000_000, "large": 1_000_000_000}


@pytest.fixture(scope="module")
def sizes(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Path], dict[str, dict[str, list[float | None]]]]:
    """Runs of three models of known size, the largest tuned from the middle one, and of one of unknown size."""
    folder = tmp_path_factory.mktemp("sizes")
    values = {name: {"null": drawn(0.3), "attributed": drawn(0.3 + 0.1 * place)} for place, name in enumerate(SIZES)}
    values["unknown"] = {"null": drawn(0.3), "attributed": drawn(0.3)}
    facts: dict[str, dict[str, object]] = {name: {"num_parameters": size} for name, size in SIZES.items()}
    facts["large"]["instruction_tuned_from"] = "middle"
    facts["unknown"] = {"instruction_tuned_from": "mid"}
    runs = [
        write_run(folder / name, {"quip": quip, "f1": quip}, model=f"http://127.0.0.1:1 {name}", facts=facts[name])
        for name, quip in values.items()
    ]
    return runs, values


def test_the_slope_over_sizes_has_an_interval_over_questions(sizes: Any) -> None:
    runs, values = sizes
    with connect(runs) as connection:
        by_size = rows(connection, "according_to_by_size")
    assert [(row["num_parameters"], row["n_sizes"]) for row in by_size] == [(size, 3) for size in SIZES.values()]
    changes = {name: array(values[name]["attributed"]) - array(values[name]["null"]) for name in SIZES}
    assert [row["difference"] for row in by_size] == pytest.approx([np.nanmean(changes[name]) for name in SIZES])
    logarithms = np.log10(list(SIZES.values()))
    slope = np.polyfit(logarithms, [np.nanmean(changes[name]) for name in SIZES], 1)[0]
    replicated = np.array([replicated_mean(changes[name], WEIGHTS) for name in SIZES])
    slopes = np.polyfit(logarithms, replicated, 1)[0]
    for row in by_size:
        assert [row["slope"], row["slope_low"], row["slope_high"]] == pytest.approx([slope, *ends(slopes)])
    with connect(runs[0]) as connection:
        [alone] = rows(connection, "according_to_by_size")
    assert (alone["n_sizes"], alone["slope"], alone["slope_low"]) == (1, None, None)
    assert alone["difference_low"] < alone["difference"] < alone["difference_high"]


def test_a_tuned_model_stands_beside_the_base_that_its_run_names_and_no_other(sizes: Any) -> None:
    runs, values = sizes
    with connect(runs) as connection:
        pairs = rows(connection, "according_to_by_tuning")
    assert [row["metric"] for row in pairs] == ["f1", "quip"]
    assert {(row["tuned"], row["base"]) for row in pairs} == {("127.0.0.1:1 large", "127.0.0.1:1 middle")}
    changes = {name: array(values[name]["attributed"]) - array(values[name]["null"]) for name in SIZES}
    gain = np.nanmean(changes["large"]) - np.nanmean(changes["middle"])
    replicated = replicated_mean(changes["large"], WEIGHTS) - replicated_mean(changes["middle"], WEIGHTS)
    for row in pairs:
        assert [row["gain"], row["gain_low"], row["gain_high"]] == pytest.approx([gain, *ends(replicated)])
        assert row["n_pairs_tuned"] == (~np.isnan(changes["large"])).sum()
        assert row["n_pairs_base"] == (~np.isnan(changes["middle"])).sum()
    with connect(runs[2:]) as connection:
        assert rows(connection, "according_to_by_tuning") == []


def test_runs_over_different_corpora_are_not_compared(tmp_path: Path) -> None:
    values = {"quip": {"null": [0.1, 0.2], "evidence": [0.2, 0.4]}}
    facts: dict[str, dict[str, object]] = {"small": {"num_parameters": 10}, "large": {"num_parameters": 1000}}
    facts["large"]["instruction_tuned_from"] = "small"
    small = write_run(tmp_path / "small", values, model="small", facts=facts["small"])
    results = {}
    for portrait in ("aa", "bb"):
        large = write_run(tmp_path / portrait, values, model="large", facts=facts["large"], portrait=portrait)
        with connect([small, large]) as connection:
            sizes = [row["n_sizes"] for row in rows(connection, "according_to_by_size")]
            results[portrait] = (sizes, len(rows(connection, "according_to_by_tuning")))
    assert results == {"aa": ([2, 2], 1), "bb": ([1, 1], 0)}


def test_a_score_of_nothing_or_all_has_wilsons_interval_in_every_table(tmp_path: Path) -> None:
    values = {
        metric: {"null": [0.0] * 20, "evidence": [1.0] * 20, "without": [-0.001] * 20}
        for metric in ("quip", "quip_corrected")
    }
    with connect(write_run(tmp_path / "run", values, counts=[3] * 20)) as connection:
        tables = [rows(connection, f"according_to_{name}") for name in ("table", "popularity")]
    nothing, everything = (stats.binomtest(k, 20).proportion_ci(method="wilson") for k in (0, 20))
    for table in tables:
        intervals = {(row["metric"], row["prompt"]): [row["score_low"], row["score_high"]] for row in table}
        assert intervals["quip", "null"] == pytest.approx([0, nothing.high], abs=1e-6)
        assert intervals["quip", "evidence"] == pytest.approx([everything.low, 1], abs=1e-6)
        assert intervals["quip_corrected", "without"] == pytest.approx([-0.001, -0.001]), "corrected, it may be below 0"
        assert {row["kind"] for row in table if row["prompt"] == "evidence"} == {"grounding"}


def test_what_is_known_of_a_model_is_added_to_its_run_and_makes_no_other_run_of_it(tmp_path: Path) -> None:
    values = {"quip": {"null": [0.1], "evidence": [0.2]}}
    run = write_run(tmp_path / "run", values, facts={"num_parameters": 7, "instruction_tuned_from": None})
    with connect(run) as connection:
        assert connection.rows("select num_parameters, instruction_tuned_from from models") == [
            {"num_parameters": 7, "instruction_tuned_from": None}
        ]
