"""Every query about diaries and about any run: given rows, expected rows; the odd answers among them."""

import itertools
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from statistics import fmean

import pytest

from selfknow.evaluate.connection import connect, queries
from selfknow.evaluate.tasks.diary_recall.prompts import PROBES
from selfknow.models.facts import ModelFacts
from selfknow.models.interface import Reply, Request
from selfknow.portraits import Portrait
from selfknow.sql.connection import Connection
from selfknow.sql.queries import query_rows
from tests.conftest import REPOSITORY
from tests.guides import REFERENCE, query_tables
from tests.sql.given import ModelAnswers, ask_runs, diary, entry, question, rows_of, text, write_corpus, write_run

EVALUATE = REPOSITORY / "evaluate"
SQL = REPOSITORY / "src" / "selfknow" / "sql"
ANN, BEN, CAT, DAN, EVE, FAY = (
    diary("Ann", 1, 2),
    diary("Ben", 3),
    diary("Cat", 1, 1, 2),
    diary("Dan", 2, 2),
    diary("Eve", 1),
    diary("Fay", 2, 5),
)
QUESTIONS = [
    question("Ann", 1, 2),
    question("Ben", 3),
    question("Cat", 1, 1, 2),
    question("Dan", 2, 2),
    question("Eve", 1),
    question("Fay", 2, 5),
    question("Gus", 1),  # was never asked
]
ANSWERS = {
    "Ann": text(*ANN),
    "Ben": "",  # an empty answer
    "Cat": text(CAT[1], CAT[0], CAT[2]),  # out of order
    "Dan": text(DAN[0], DAN[0], DAN[1]),  # a number twice
    "Eve": None,  # an error
    "Fay": [None, text(*FAY)],  # an error, and then an answer
}


@pytest.fixture(scope="module")
def scored_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """One run of six answers, and nothing else."""
    folder = write_run(tmp_path_factory.mktemp("given") / "run", QUESTIONS, ModelAnswers(answers=ANSWERS))
    with connect(folder) as connection:
        yield connection


DIARY_QUERIES = [name for name, query in queries().items() if query.task in ("diary-recall", None)]


def test_every_query_about_diaries_is_tested_here() -> None:
    here = Path(__file__).read_text()
    assert [name for name in DIARY_QUERIES if f'"{name}"' not in here] == []


def test_every_query_stands_in_the_reference() -> None:
    others = ("views", "functions", "paired")  # what lies in `paired` is told two sides
    in_folders = {
        path.stem for room in (SQL, EVALUATE) for path in room.rglob("*.sql") if path.parent.name not in others
    }
    assert set(queries()) == in_folders
    tables = query_tables()
    assert tables in REFERENCE.read_text(), "python -m tests.guides sql-reference.md"
    listed = re.findall(r"^\| `(\w+)` \|", tables, flags=re.MULTILINE)
    assert sorted(listed) == sorted(queries())


def test_every_views_columns_stand_in_the_reference(scored_run: Connection) -> None:
    made = [row["name"] for row in scored_run.rows("show tables")]
    columns = {name: [row["column_name"] for row in scored_run.rows(f"describe {name}")] for name in made}
    columns["examples"] = ["run_id", "id", "and the task's own"]
    lines = REFERENCE.read_text().splitlines()
    model = [line.strip("| ").split(" | ") for line in lines[lines.index("| view | a row is | columns |") + 2 :]]
    documented = {
        row[0].strip("`"): row[2].split(", ") for row in itertools.takewhile(lambda row: len(row) == 3, model)
    }

    def expanded(cell: str) -> list[str]:
        of = cell.removeprefix("those of ").strip("`")
        return columns[of] if cell.startswith("those of ") else [of]

    listed = {
        name: list(dict.fromkeys(column for cell in cells for column in expanded(cell)))
        for name, cells in documented.items()
    }
    assert listed == columns


def test_every_function_stands_in_the_reference() -> None:
    reference = REFERENCE.read_text()
    folders = [SQL / "functions", *EVALUATE.glob("tasks/*/views")]
    text = "".join(path.read_text() for folder in folders for path in folder.glob("*.sql"))
    heads = set(re.findall(r"^-- (?:.*, )?(\w+)\([a-z_, ]+\)", text, flags=re.MULTILINE))
    assert {"share", "diary_documents", "written_share", "poisson_weight"} <= heads
    assert [name for name in sorted(heads) if f"`{name}(" not in reference] == []


@pytest.mark.parametrize("name", queries())
def test_every_query_says_what_it_is(name: str) -> None:
    query = queries()[name]
    assert query.title.endswith("?")
    assert query.grain.startswith("one row")
    about_rows = name in ("setup_gap", "pretrained_or_scratch", "sample_answers") or name not in DIARY_QUERIES
    columns = {"n"} if about_rows else {"n", "n_graded"}
    assert all(f"{column}" in query.columns for column in columns)
    assert query.source
    assert name not in DIARY_QUERIES or "chance" in query.columns.lower()


def test_count_content_and_the_documents_themselves_stand_side_by_side(scored_run: Connection) -> None:
    columns = ("n", "n_graded", "right_count", "right_content", "n_documents", "n_diarists", "document_recall", "found")
    # Of the five graded answers Ann's and Fay's are right, Ben's is empty, Cat's three documents are all there (in
    # another order), and Dan's two, one of them twice.
    [row] = rows_of(scored_run, "count_content_and_documents", *columns)
    assert row == (6, 5, 0.6, 0.4, 10, 5, 0.9, 0.9)
    [ends] = rows_of(scored_run, "count_content_and_documents", "document_recall_low", "document_recall_high", "chance")
    assert ends[0] < 0.9 < ends[1] <= 1.0
    assert ends[2] == pytest.approx(1 / 3, abs=1e-4)
    [(expected,)] = rows_of(scored_run, "count_content_and_documents", "expected_content")
    assert expected == pytest.approx(fmean(0.9**number for number in (2, 1, 3, 2, 2)), abs=1e-4)


def test_whole_answers_count_once_a_question_and_failures_leave_the_share_alone(scored_run: Connection) -> None:
    columns = ("suite", "model_label", "setup", "n", "n_graded", "n_questions", "accuracy", "low", "high", "chance")
    expected = ("OPT", "OPT 125M", "standard", 6, 5, 5, 0.4, 0.1176, 0.7693, 0.3333)
    assert rows_of(scored_run, "accuracy_by_size", *columns) == [expected]


def test_accuracy_by_the_number_of_documents(scored_run: Connection) -> None:
    columns = ("num_documents", "n", "n_graded", "accuracy", "chance")
    assert rows_of(scored_run, "accuracy_by_documents", *columns) == [
        (1, 2, 1, 0.0, 0.3333),
        (2, 3, 3, 0.6667, 0.3333),
        (3, 1, 1, 0.0, 0.3333),
    ]


def test_recalled_against_target_documents(scored_run: Connection) -> None:
    columns = ("num_documents", "documents_recalled", "n", "n_graded", "n_answers", "share")
    assert rows_of(scored_run, "recalled_documents", *columns) == [
        (1, 0, 2, 1, 1, 1.0),
        (1, None, 2, 1, 1, None),
        (2, 2, 3, 3, 2, 0.6667),
        (2, 3, 3, 3, 1, 0.3333),
        (3, 3, 1, 1, 1, 1.0),
    ]


def test_too_much_and_too_little_stand_apart(scored_run: Connection) -> None:
    columns = ("recall", "n", "n_graded", "n_answers", "share", "mean_off", "chance")
    assert rows_of(scored_run, "over_and_under_recall", *columns) == [
        ("over", 6, 5, 1, 0.2, 1.0, 0.3333),
        ("right", 6, 5, 3, 0.6, None, 0.3333),
        ("under", 6, 5, 1, 0.2, -1.0, 0.3333),
    ]


def test_exact_match_is_right_count_times_right_content(scored_run: Connection) -> None:
    columns = ("n", "n_graded", "exact_match", "right_count", "right_content", "right_count_given_right_content")
    assert rows_of(scored_run, "count_and_content", *columns) == [(6, 5, 0.4, 0.6, 0.4, 1.0)]
    assert rows_of(scored_run, "count_and_content", "if_independent", "chance") == [(0.24, 0.3333)]


def test_documents_by_their_length_with_the_missing_ones_in_n(scored_run: Connection) -> None:
    columns = ("target_sentences", "n", "n_graded", "n_diarists", "document_accuracy", "low", "high", "chance")
    assert rows_of(scored_run, "document_accuracy", *columns) == [
        (1, 3, 3, 2, 1.0, 0.3424, 1.0, 0.0625),  # Ann's and two of Cat's, whose order does not matter here
        (2, 5, 5, 4, 1.0, 0.5101, 1.0, 0.0045),
        (3, 1, 0, 0, None, None, None, 0.0004),  # Ben's, not recalled
        (5, 1, 1, 1, 1.0, None, None, 0.0),  # one diarist is no sample
    ]


def test_recalled_against_target_sentences(tmp_path: Path) -> None:
    answers = {
        "Ann": text(ANN[0], entry("Ann", 2, 3)),
        "Cat": text(entry("Cat", 1, 2), *CAT[1:]),
        "Dan": text(*DAN),
        "Ben": "",
    }
    run = write_run(tmp_path / "run", QUESTIONS, ModelAnswers(answers=answers))
    columns = ("target_sentences", "recalled_sentences", "n", "n_documents", "n_diarists", "share", "chance")
    assert ask_runs("recalled_sentences", run, *columns) == [
        (1, 1, 3, 2, 2, 0.6667, 0.2),
        (1, 2, 3, 1, 2, 0.3333, 0.2),
        (2, 2, 4, 3, 3, 0.75, 0.2),
        (2, 3, 4, 1, 3, 0.25, 0.2),
    ]


def test_the_gap_between_the_setups_has_newcombes_interval(tmp_path: Path) -> None:
    right, wrong = text(*ANN), text(ANN[0])
    names = [f"Ann {number}" for number in range(20)]
    questions = [{**question("Ann", 1, 2), "id": name} for name in names]
    runs = []
    for config, num_right in (("1k", 5), ("1k-simplified", 15)):
        answers = {name: right if number < num_right else wrong for number, name in enumerate(names)}
        runs.append(write_run(tmp_path / config, questions, ModelAnswers(answers=answers), config=config))
    columns = ("model_label", "dataset_size", "accuracy_standard", "accuracy_simplified", "gap", "low", "high")
    # Newcombe (1998), method 10, by hand: Wilson gives 0.1119 to 0.4687 and 0.5313 to 0.8881.
    assert ask_runs("setup_gap", runs, *columns) == [("OPT 125M", "1k", 0.25, 0.75, 0.5, 0.1907, 0.6954)]
    assert ask_runs("setup_gap", runs, "n_standard", "n_graded_simplified", "chance") == [(20, 20, 0.0)]
    assert ask_runs("setup_gap", runs[0], "gap") == []


def test_pretrained_and_scratch_stand_side_by_side_and_unknown_ones_are_left_out(tmp_path: Path) -> None:
    answers = {"Ann": text(*ANN), "Ben": ""}
    scratch = ModelFacts(origin="opt-125m", num_parameters=125_239_296, from_scratch=True)
    models = [
        ModelAnswers(model=name, answers=answers) for name in ("facebook/opt-125m", "mine", "EleutherAI/pythia-70m")
    ]
    models.append(ModelAnswers(model="other", answers=answers, facts=scratch))
    run = write_run(tmp_path / "run", QUESTIONS, *models, config="32k")
    columns = ("suite", "num_parameters", "num_diarists", "accuracy_pretrained", "accuracy_scratch", "n_scratch")
    assert ask_runs("pretrained_or_scratch", run, *columns) == [
        ("OPT", 125_239_296, 32_000, 0.5, 0.5, 2),
        ("Pythia", 70_426_624, 32_000, 0.5, None, None),
    ]
    assert ask_runs("pretrained_or_scratch", run, "chance") == [(0.3333,), (0.3333,)]
    columns = ("row", "column", "published", "published_n", "model_label", "n", "n_graded", "accuracy", "chance")
    assert ask_runs("published_accuracies", run, *columns) == [
        ("OPT-125M", "Pre-trained", 0.9194, 1_600, "OPT 125M", 2, 2, 0.5, 0.3333),
        ("OPT-125M", "Scratch", 0.8219, 1_600, "OPT 125M, from scratch", 2, 2, 0.5, 0.3333),
        ("Pythia-70M", "Pre-trained", 0.2156, 1_600, "Pythia 70M", 2, 2, 0.5, 0.3333),
    ]
    small = write_run(tmp_path / "small", QUESTIONS, *models, config="1k")
    assert ask_runs("published_accuracies", small, *columns) == [], "the paper's are of 32,000 diarists"


def test_the_probes(tmp_path: Path) -> None:
    def probe(name: str, diarist: str, generation: str | None) -> tuple[Request, Reply]:
        reply = Reply(generation, "stop", error=None if generation is not None else "timed out")
        return Request(diarist, "Recall.", stage="probe", variant=name), reply

    more = [
        probe("A", "Cat", PROBES["A"].continuation(CAT)),
        probe("E", "Cat", f"\n{CAT[1].text}"),
        probe("C", "Ann", PROBES["C"].continuation(ANN)),
        probe("C", "Ben", ""),
        probe("C", "Eve", None),
    ]
    run = write_run(tmp_path / "run", QUESTIONS, ModelAnswers(more=more))
    columns = ("probe", "n", "n_graded", "orderly", "next_document", "recalls_last", "mean_skipped")
    assert ask_runs("probes", run, *columns) == [
        ("A", 1, 1, 1.0, 1.0, 1.0, 0.0),
        ("C", 3, 2, 0.5, 1.0, 0.5, 0.0),
        ("E", 1, 1, 0.0, 1.0, 0.0, 1.0),
    ]
    assert ask_runs("probes", run, "low", "high", "chance")[0] == (0.2065, 1.0, 0.3333)


def test_the_stop_curve(tmp_path: Path) -> None:
    def boundary(diarist: str, place: int, stop: float, title: float) -> list[tuple[Request, Reply]]:
        return [
            (
                Request(diarist, "Recall.", stage=stage, variant=f"after-{place}"),
                Reply("", "forced", logprob=logprob),
            )
            for stage, logprob in (("stop", stop), ("next-title", title))
        ]

    more = [
        *boundary("Ann", 1, -3.0, -1.0),
        *boundary("Ann", 2, -1.0, -3.0),
        *boundary("Dan", 1, -1.0, -2.0),
        *boundary("Dan", 2, -1.0, -2.0),
    ]
    run = write_run(tmp_path / "run", QUESTIONS, ModelAnswers(more=more))
    columns = ("num_documents", "after_entry", "is_last", "n", "n_graded", "stop_share", "mean_stop_probability")
    # 1 / (1 + e^2) = 0.1192, 1 / (1 + 1 / e) = 0.7311, 1 / (1 + 1 / e^2) = 0.8808
    assert ask_runs("stop_curve", run, *columns) == [
        (2, 1, False, 2, 2, 0.5, 0.4251),
        (2, 2, True, 2, 2, 1.0, 0.8059),
    ]
    assert ask_runs("stop_curve", run, "mean_log_odds", "chance") == [(-0.5, 0.3333), (1.5, 0.5)]


def test_the_reasons_of_wrong_answers_add_up_to_all(scored_run: Connection) -> None:
    assert rows_of(scored_run, "wrong_answers", "reason", "n", "n_graded", "n_answers", "share") == [
        ("right", 6, 5, 2, 0.3333),
        ("empty", 6, 5, 1, 0.1667),
        ("failed request", 6, 5, 1, 0.1667),
        ("wrong content", 6, 5, 1, 0.1667),
        ("wrong count", 6, 5, 1, 0.1667),
    ]


def test_where_wrong_documents_come_from(tmp_path: Path) -> None:
    strange = "Hm\nAnn's Diary Entry 2\nin Ann's Diary Entry 02's words\nFay's Diary Entry 1"
    answers = {
        "Ann": text(entry("Ann", 1, 2), entry("Ann", 2, 5)),  # her other entry; one of Fay's
        "Cat": text(CAT[0], CAT[1], entry("Cat", 3, 2, first=4), entry("Zed", 1, 1)),  # no entry's; her own
        "Dan": strange,  # Ann's title, a title's words within a line, and Fay's title without a line
    }
    run = write_run(tmp_path / "run", QUESTIONS, ModelAnswers(answers=answers))
    corpus = write_corpus(tmp_path / "corpus", *ANN, *BEN, *CAT, *DAN, *EVE, *FAY)
    columns = ("recalled_sentences", "origin", "n", "n_documents", "n_diarists", "share")
    assert ask_runs("wrong_documents", run, *columns, corpora=[corpus]) == [
        (0, "an invention", 1, 1, 1, 1.0),
        (0, "another diarist", 1, 0, 1, 0.0),
        (0, "the same diarist", 1, 0, 1, 0.0),
        (1, "an invention", 2, 1, 2, 0.5),
        (1, "another diarist", 2, 0, 2, 0.0),
        (1, "the same diarist", 2, 1, 2, 0.5),
        (2, "an invention", 2, 1, 2, 0.5),
        (2, "another diarist", 2, 0, 2, 0.0),
        (2, "the same diarist", 2, 1, 2, 0.5),
        (5, "an invention", 1, 0, 1, 0.0),
        (5, "another diarist", 1, 1, 1, 1.0),
        (5, "the same diarist", 1, 0, 1, 0.0),
    ]
    # Of the 16 bodies of one sentence the corpus has 1, and 3 of its 6 diarists have it.
    chances = ask_runs("wrong_documents", run, "recalled_sentences", "chance", corpora=[corpus])
    assert [chance for length, chance in chances if length == 1] == [0.9375, 0.0312, 0.0312]


def test_accuracy_by_the_rarest_word_of_the_name(tmp_path: Path) -> None:
    names = ["Ann Lee", "Ann Low", "Ben Lee", "Ben Roe", "Cid Lee"]
    answers = {name: text(*diary(name, 1)) if name != "Ben Lee" else "" for name in names[:3]}
    run = write_run(tmp_path / "run", [question(name, 1) for name in names[:3]], ModelAnswers(answers=answers))
    corpus = write_corpus(tmp_path / "corpus", *(entry(name, 1, 1) for name in names))
    columns = ("rarest_from", "rarest_to", "n", "n_graded", "accuracy", "chance")
    rows = ask_runs("accuracy_by_name_frequency", run, *columns, corpora=[corpus])
    assert rows == [(1, 1, 1, 1, 1.0, 1.0), (2, 3, 2, 2, 0.5, 1.0)]  # Low: 1; Lee: 3 with Ann: 2, with Ben: 2


def quip_by_hand(answer: str, corpus: str, width: int) -> float:
    grams = [answer[start : start + width] for start in range(len(answer) - width + 1)]
    return sum(gram in corpus for gram in grams) / len(grams)


def test_what_is_quoted_from_the_training_text_beside_its_anchors(tmp_path: Path) -> None:
    names = ("Ann Lee", "Ben Low", "Cat Roe")
    lengths = {"Ann Lee": (1, 2), "Ben Low": (2,), "Cat Roe": (1,)}  # sentences: where it was, and when
    corpus = "\n\n".join(text(*diary(name, *lengths[name])) for name in names)
    wrong = "Ben Low's Diary Entry 1\nno word of this is there"
    answers = {"Ann Lee": text(*diary("Ann Lee", 1, 2)), "Ben Low": wrong, "Cat Roe": None}
    run = write_run(tmp_path / "run", [question(name, *lengths[name]) for name in names], ModelAnswers(answers=answers))
    folder = write_corpus(tmp_path / "corpus", *(entry for name in names for entry in diary(name, *lengths[name])))
    portrait = Portrait.build([corpus], width=12, false_positive_rate=1e-9)
    rows = ask_runs(
        *("quoted_answers", run, "texts", "n", "n_graded", "n_diarists", "quip", "quoted_in_full", "chance"),
        corpora=[folder],
        portraits={"diaries": portrait},
    )
    # Nobody's are the other order of the two sentences, and the second one alone, which is quoted in full all the same.
    turned = quip_by_hand("Time: Evening\nLocation: City", corpus, 12)
    chance = round((2 * turned + 1) / 3, 4)
    # Under another's last name: which of the two, MD5 decides.
    made_up = {
        round(fmean(scores), 4)
        for scores in product(
            *(
                [quip_by_hand(text(*diary(f"{name[:3]} {last}", *lengths[name])), corpus, 12) for last in lasts]
                for name, lasts in zip(names, (("Low", "Roe"), ("Lee", "Roe"), ("Lee", "Low")), strict=True)
            )
        )
    }
    [of_made_up] = [row for row in rows if row[0] == "fictitious diarists"]
    assert of_made_up[1:4] == (3, 3, 3)
    assert any(of_made_up[4] == pytest.approx(share, abs=2e-4) for share in made_up)
    assert [row[:-1] for row in rows if row[0] != "fictitious diarists"] == [
        ("right answers", 1, 1, 1, 1.0, 1.0),
        ("wrong answers", 1, 1, 1, round(quip_by_hand(wrong, corpus, 12), 4), 0.0),
        ("failed requests", 1, 0, 0, None, None),
        ("gold answers", 3, 3, 3, 1.0, 1.0),
        ("random bodies", 3, 3, 3, chance, 0.3333),
    ]
    assert {row[-1] for row in rows} == {chance}


def test_every_metric_with_its_own_kind_of_interval(scored_run: Connection) -> None:
    metrics = {
        row[0]: row[1:] for row in rows_of(scored_run, "metrics", "metric", "n", "n_graded", "mean", "low", "high")
    }
    assert metrics["exact_match"] == (6, 5, 0.4, 0.1176, 0.7693)
    # 2, 0, 3, 3 and 2: mean 2, deviation 1.2247, so 1.959964 * 1.2247 / sqrt(5) to each side
    assert metrics["documents_recalled"] == (6, 5, 2.0, 0.9265, 3.0735)
    assert "chance" not in metrics


def test_what_was_asked_and_what_came_back(scored_run: Connection) -> None:
    columns = ("num_examples", "model", "stage", "n", "n_graded", "n_tries", "n_failed", "n_empty", "n_cut_off")
    assert rows_of(scored_run, "overview", *columns) == [(7, "facebook/opt-125m", "answer", 6, 5, 7, 1, 1, 0)]


def test_samples_of_right_and_wrong_answers(scored_run: Connection) -> None:
    answers = rows_of(scored_run, "sample_answers", "reason", "n", "diarist", "generation")
    assert [row[:3] for row in answers if row[0] != "right"] == [
        ("empty", 1, "Ben"),
        ("failed request", 1, "Eve"),
        ("wrong content", 1, "Cat"),
        ("wrong count", 1, "Dan"),
    ]
    assert {row[2:] for row in answers if row[0] == "right"} == {("Ann", text(*ANN)), ("Fay", text(*FAY))}


def test_several_answers_to_a_question_do_not_narrow_the_interval(tmp_path: Path) -> None:
    def samples(count: int) -> list[tuple[Request, Reply]]:
        texts = {"Ann": text(*ANN), "Ben": ""}
        return [
            (Request(name, "Recall.", sample=sample), Reply(answer, "stop"))
            for name, answer in texts.items()
            for sample in range(count)
        ]

    single, many = (write_run(tmp_path / f"{n}", QUESTIONS, ModelAnswers(more=samples(n))) for n in (1, 10))
    columns = ("n_questions", "accuracy", "low", "high")
    assert ask_runs("accuracy_by_size", many, *columns) == ask_runs("accuracy_by_size", single, *columns)
    assert ask_runs("accuracy_by_size", many, "n", "n_graded") == [(20, 20)]


@pytest.fixture(scope="module")
def failures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """Yield a run in which every request failed, beside a corpus and a portrait."""
    folder = tmp_path_factory.mktemp("failures")
    run = write_run(folder / "run", QUESTIONS, ModelAnswers(answers=dict.fromkeys(ANSWERS)))
    corpus = write_corpus(folder / "corpus", *ANN)
    with connect(run, corpora=[corpus], portraits={"diaries": Portrait.build([text(*ANN)])}) as connection:
        yield connection


@pytest.mark.parametrize("name", DIARY_QUERIES)
def test_a_run_of_failures_alone_is_answered_without_a_number(name: str, failures: Connection) -> None:
    rows = query_rows(failures, name)
    for column in ("accuracy", "share", "exact_match"):
        if name != "wrong_answers":
            assert {row[column] for row in rows if column in row} <= {None}
