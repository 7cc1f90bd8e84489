"""A model whose quoting is known gets exactly the scores that a search through the corpus gives."""

import json
import math
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from selfknow.builders.according_to.prompts import phrases
from selfknow.evaluate.connection import connect
from selfknow.evaluate.run import ask
from selfknow.files import read_parquet
from selfknow.models.endpoint import Endpoint, EndpointModel
from selfknow.portraits import Portrait
from selfknow.runs.schema import last_attempts, read_generations
from selfknow.sql.queries import query_rows
from tests.according_to.quoting_server import ASKED, CORPUS, PARAPHRASES, QUESTIONS, Quoter, quoting_server
from tests.conftest import Run
from tests.test_documents import console_blocks

TEXT = "\n".join(CORPUS.values())
KINDS = {prompt["id"]: prompt["kind"] for prompt in phrases()}
WIDTH = 25


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with quoting_server() as address:
        yield address


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with questions and a portrait so wide that nothing is in it by chance."""
    folder = tmp_path_factory.mktemp("according-to")
    (folder / "questions.jsonl").write_text("".join(json.dumps(question) + "\n" for question in QUESTIONS))
    counts = "".join(f"what is {thing},{3**number}\n" for number, thing in enumerate(CORPUS))
    (folder / "counts.csv").write_text("question,count\n" + counts)
    Portrait.build([TEXT], false_positive_rate=1e-9).save(folder / "portrait")
    Portrait.build([TEXT], width=50, stride=50).save(folder / "tiles")
    return folder


def evaluated(here: Path, folder: Path, server: str, format_: str) -> Path:
    model = EndpointModel(Endpoint(server, "quoter", concurrency=4, tries=3))
    options = {"portrait": str(here / "portrait"), "counts": here / "counts.csv", "corpus_name": "the corpus"}
    name = f"according-to:{here / 'questions.jsonl'}"
    ask(name, model, out=folder, prompt_format=format_, quiet=True, **options).score()
    return folder


@pytest.fixture(
    scope="module", params=["short", "two-step", pytest.param("long", marks=pytest.mark.full), "long-answer"]
)
def run(request: pytest.FixtureRequest, here: Path, server: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evaluated(here, tmp_path_factory.mktemp("runs") / request.param, server, request.param)


def brute_force(text: str) -> float:
    """QUIP by searching for every n-gram."""
    grams = [text[start : start + WIDTH] for start in range(len(text) - WIDTH + 1)]
    return sum(gram in TEXT for gram in grams) / len(grams) if grams else math.nan


def asked(folder: Path, query: str) -> list[dict[str, Any]]:
    with connect(folder) as connection:
        return query_rows(connection, query)


def test_the_table_is_that_of_a_search_through_the_corpus(run: Path) -> None:
    explained: dict[str, list[float]] = {}
    for row in last_attempts(read_generations(run)).to_pylist():
        if row["variant"] in KINDS:
            text = row["generation"].partition(";")[2] if run.name == "short" else row["generation"]
            explained.setdefault(row["variant"], []).append(brute_force(text.strip()))
    rows = {(row["metric"], row["prompt"]): row for row in asked(run, "according_to_table")}
    assert set(explained) == set(KINDS)
    for prompt, values in explained.items():
        scored = [value for value in values if not math.isnan(value)]
        row = rows["quip", prompt]
        assert (row["n"], row["n_graded"], row["kind"]) == (6, len(scored), KINDS[prompt])
        assert row["score"] == (pytest.approx(sum(scored) / len(scored), abs=1e-12) if scored else None)
        zero = [0.0 if math.isnan(value) else value for value in values]
        assert rows["quip_zero", prompt]["score"] == pytest.approx(sum(zero) / 6, abs=1e-12)
    assert rows["quip", "attributed"]["score"] == 1.0
    assert rows["quip", "null"]["score"] == rows["quip", "without"]["score"] == 0.0
    assert 0 < rows["quip", "evidence"]["score"] < 1
    assert (rows["quip", "reddit"]["score"], rows["quip", "reddit"]["share_unscored"]) == (None, 1.0)


def test_answers_are_scored_as_they_should_be(run: Path) -> None:
    rows = {(row["metric"], row["prompt"]): row["score"] for row in asked(run, "according_to_table")}
    if run.name.startswith("long"):
        assert {metric for metric, _ in rows} == {"quip", "quip_zero", "quip_corrected", "rouge_l"}
        assert rows["rouge_l", "null"] == pytest.approx(2 * (2 / 15) / (1 + 2 / 15), abs=0.06)
        return
    expert = (0.0, pytest.approx(2 / 3)) if run.name == "short" else (1.0, 1.0)
    assert (rows["exact_match", "expert-editor"], rows["f1", "expert-editor"]) == expert
    assert rows["exact_match", "null"] == rows["f1", "github"] == 1.0
    assert (("has_explanation", "null") in rows) == (run.name == "short")


def test_changes_are_paired_and_corrected_for_eleven_comparisons(run: Path) -> None:
    rows = [row for row in asked(run, "according_to_changes") if row["metric"] == "quip"]
    assert [row["prompt"] for row in rows] == [prompt for prompt in KINDS if prompt != "null"]
    results = {row["prompt"]: row for row in rows}
    whole = results["attributed"]
    assert (whole["n"], whole["n_pairs"], whole["null_score"], whole["difference"]) == (6, 6, 0.0, 1.0)
    assert (whole["difference_low"], whole["difference_high"]) == (1.0, 1.0)
    assert whole["relative_change"] is whole["relative_low"] is None, "nothing is a share of zero"
    half = results["evidence"]
    assert half["difference_low"] < half["difference"] < half["difference_high"]
    # six differences of one sign: 2 of 64 ways to flip them are as large
    assert whole["p_value"] == pytest.approx(2 / 64, abs=0.02)
    assert results["without"]["p_value"] == results["without"]["p_holm"] == 1.0
    assert (results["reddit"]["n_pairs"], results["reddit"]["share_unscored"], results["reddit"]["p_holm"]) == (
        0,
        1.0,
        None,
    )
    ranked = sorted((row["p_value"], row["p_holm"]) for row in rows if row["p_value"] is not None)
    stepped = [min(1.0, p * (len(ranked) - place)) for place, (p, _) in enumerate(ranked)]
    expected = [max(stepped[: place + 1]) for place in range(len(stepped))]
    assert [holm for _, holm in ranked] == pytest.approx(expected)
    again = [row for row in asked(run, "according_to_changes") if row["metric"] == "quip"]
    ends = ("difference_low", "difference_high", "p_value")
    assert [row[end] for row in again for end in ends] == pytest.approx([row[end] for row in rows for end in ends])


def test_bins_hold_the_questions_of_their_counts(run: Path) -> None:
    rows = [row for row in asked(run, "according_to_popularity") if (row["metric"], row["prompt"]) == ("quip", "null")]
    bins = [(row["cooccurrences_from"], row["cooccurrences_to"], row["n"]) for row in rows]
    assert bins == [(1, 10, 3), (11, 100, 2), (101, 1000, 1)]  # 1, 3, 9, 27, 81, 243


def test_a_run_goes_on_where_it_stopped_and_failures_stay_in_the_denominator(
    here: Path, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = staticmethod(lambda prompt: "moon" in prompt and prompt.startswith("Output"))
    monkeypatch.setattr(Quoter, "fails", failing)
    folder = evaluated(here, tmp_path / "run", server, "two-step")
    rows = [row for row in asked(folder, "according_to_table") if row["prompt"] == "attributed"]
    assert {row["metric"]: (row["n"], row["n_graded"]) for row in rows}["quip"] == (6, 5)
    changes = [row for row in asked(folder, "according_to_changes") if row["prompt"] == "attributed"]
    assert {(row["n"], row["n_pairs"], round(row["share_unscored"], 6)) for row in changes} == {(6, 5, 0.166667)}
    monkeypatch.setattr(Quoter, "fails", staticmethod(lambda prompt: False))
    evaluated(here, folder, server, "two-step")
    rows = [row for row in asked(folder, "according_to_table") if row["prompt"] == "attributed"]
    assert {row["metric"]: (row["n"], row["n_graded"]) for row in rows}["quip"] == (6, 6)
    assert len(read_generations(folder)) == 1 + 6 + 6 * 12, "what was answered is not asked again"


def test_counts_may_be_added_to_a_run_that_was_made_without_them(here: Path, server: str, tmp_path: Path) -> None:
    def evaluate(counts: Path | None) -> list[int | None]:
        options = {"portrait": str(here / "portrait"), "corpus_name": "the corpus", "prompts": "attributed"}
        model, name = EndpointModel(Endpoint(server, "quoter")), f"according-to:{here / 'questions.jsonl'}"
        ask(name, model, out=tmp_path / "run", counts=counts, quiet=True, **options)
        return read_parquet(tmp_path / "run" / "examples.parquet")["cooccurrences"].to_pylist()

    counts = [3**number for number in range(len(CORPUS))]
    assert evaluate(None) == [None] * len(CORPUS)
    assert evaluate(here / "counts.csv") == counts
    assert evaluate(None) == counts, "what is known stays"
    (tmp_path / "others.csv").write_text("question,count\nwhat is moon,0\n")
    assert evaluate(tmp_path / "others.csv") == [0, *[None] * (len(CORPUS) - 1)]
    assert len(read_generations(tmp_path / "run")) == 2 * len(CORPUS), "nothing was asked again"


def test_the_tables_come_from_the_command_line(selfknow: Run, here: Path, server: str, tmp_path: Path) -> None:
    command = ["evaluate", f"according-to:{here / 'questions.jsonl'}", "--portrait", here / "portrait", "--out", "run"]
    command += ["--corpus-name", "the corpus", "--prompts", "attributed,without", "--endpoint", server, "--model", "q"]
    command += ["--num-parameters", 7_000_000, "--instruction-tuned-from", "base"]
    result = selfknow(*command, "--format", "json")
    assert result.returncode == 0, result.stderr
    assert [(row["stage"], row["answered"]) for row in json.loads(result.stdout)] == [("answer", 18)]
    scored = selfknow("score", "run", "--format", "json")
    means = {(row["variant"], row["metric"]): row["mean"] for row in json.loads(scored.stdout)}
    assert (means["attributed", "quip"], means["without", "quip"], means["null", "quip"]) == (1.0, 0.0, 0.0)
    table = selfknow("query", "according_to_changes", "run", "--format", "json")
    assert table.returncode == 0, table.stderr
    assert [row["prompt"] for row in json.loads(table.stdout) if row["metric"] == "quip"] == ["attributed", "without"]
    sizes = selfknow("query", "according_to_by_size", "run", "--format", "json")
    assert [(row["prompt"], row["num_parameters"]) for row in json.loads(sizes.stdout)] == [
        ("attributed", 7_000_000),
        ("without", 7_000_000),
    ]
    with connect(tmp_path / "run") as connection:
        assert connection.rows("select instruction_tuned_from from models") == [{"instruction_tuned_from": "base"}]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["according-to:nowhere.jsonl"],
            "there is no question set or file 'nowhere.jsonl': choose from nq, tqa, hotpot",
        ),
        (["according-to"], "there is no question set or file ''"),
        (
            ["according-to:"],
            "there is no question set or file '': choose from nq, tqa, hotpot, eli5, king-james-bible",
        ),
        (["according-to:questions.jsonl", "--portrait", "tiles"], "QUIP needs a portrait of stride 1"),
        (["according-to:questions.jsonl", "--prompts", "nul"], "there is no prompt 'nul': did you mean 'null'"),
        (["according-to:questions.jsonl", "--prompt-format", "long-form"], "there is no format 'long-form'"),
        (["according-to:questions.jsonl", "--placement", "behind"], "there is no placement 'behind'"),
        (["according-to:questions.jsonl", "--portrait", "nowhere"], "nowhere"),
        (["according-to:questions.jsonl", "--counts", "portrait/portrait.json"], "holds no rows"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    selfknow: Run, here: Path, server: str, arguments: list[str], message: str
) -> None:
    portrait = [] if "--portrait" in arguments else ["--portrait", "portrait"]
    command = ["evaluate", *arguments, *portrait, "--endpoint", server, "--model", "q", "--out", "mistaken"]
    result = selfknow(*command, cwd=here)
    assert result.returncode == 2, result.stdout
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_paraphrases_stand_nowhere_in_the_corpus() -> None:
    assert {brute_force(text) for text in PARAPHRASES.values()} == {0.0}


def test_a_run_from_the_portrait_to_sql_prints_what_the_transcript_shows(
    selfknow: Run, server: str, tmp_path: Path
) -> None:
    (tmp_path / "corpus.txt").write_text("".join(f"{sentence}\n" for sentence in CORPUS.values()))
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(question) + "\n" for question in QUESTIONS))
    (tmp_path / "asked.jsonl").write_text("".join(json.dumps(item) + "\n" for item in ASKED))
    transcript = Path(__file__).with_name("transcript.md").read_text()
    commands = console_blocks(transcript)
    assert len(commands) == 5
    shown_at = "http://127.0.0.1:50000"
    assert len(server) == len(shown_at), "or the columns would be wider"
    for command, expected in commands:
        result = selfknow(*shlex.split(command.replace(shown_at, server))[1:])
        assert result.stdout.replace(server, shown_at) == expected, result.stderr
    assert f"```text\n{(tmp_path / 'counts.csv').read_text()}```" in transcript
