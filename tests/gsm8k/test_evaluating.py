"""GSM8K from a file to scores: its prompts, its grades, and what is refused."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from selfknow.errors import UserError
from selfknow.evaluate.catalogue import task_reports
from selfknow.evaluate.connection import connect
from selfknow.evaluate.run import ask
from selfknow.evaluate.score import score_run, score_to_files
from selfknow.evaluate.tasks.gsm8k.questions import open_questions
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.report.write import write_html
from selfknow.runs.schema import read_generations
from selfknow.runs.summary import summarize
from tests.conftest import Run

# Each question with its answer, what the model says, and how that is graded.
CASES = {
    "Apples?": ("1,000", Reply("They are\n#### 1000.0", "stop"), (1.0, None)),
    "Boats?": ("5", Reply("#### 25", "stop"), (0.0, "another number")),
    "Cats?": ("25", Reply("Answer: 20 + 5 = 25", "stop"), (1.0, None)),
    "Dogs?": ("3", Reply(" \n", "stop"), (0.0, "empty")),
    "Eggs?": ("4", Reply("#### 4\nAnd so on, and", "length"), (0.0, "cut off")),
    "Figs?": ("6", Reply("Many.", "stop"), (None, "no number")),
    "Goats?": ("7", Reply(None, error="503 overloaded"), (None, "the request failed: 503 overloaded")),
}


class Scripted:
    name, revision = "scripted", "1"

    def __init__(self, *, fails: bool = True) -> None:
        self.fails = fails
        self.asked: list[str] = []

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        for request in requests:
            [question] = [case for case in CASES if f"Problem: {case}\nSolution:\n" in request.prompt]
            self.asked.append(question)
            failing = CASES[question][1].error and not self.fails
            yield request, Reply("#### 7", "stop") if failing else CASES[question][1]


def write_questions(path: Path, answers: Mapping[str, str]) -> Path:
    """Write a file in GSM8K's format."""
    rows = [{"question": question, "answer": f"So it is.\n#### {answer}"} for question, answer in answers.items()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_questions(tmp_path / "gsm8k.jsonl", {question: answer for question, (answer, _, _) in CASES.items()})


def test_every_reply_is_graded_and_a_failed_request_stays_null(file: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    [progress] = ask(f"gsm8k:{file}", Scripted(), out=run, quiet=True).progress
    assert (progress.answered, progress.failed) == (6, 1)
    graded = [(row["value"], row["reason"]) for row in score_run(run).to_pylist()]
    assert graded == [case[2] for case in CASES.values()]
    [row] = summarize(run, score_to_files(run))
    assert (row["metric"], row["n"], row["n_graded"], row["mean"]) == ("correct", 7, 5, pytest.approx(2 / 5))
    again = Scripted(fails=False)
    [progress] = ask(f"gsm8k:{file}", again, out=run, quiet=True).progress
    assert (again.asked, progress.failed) == (["Goats?"], 0), "what is there is not asked again"
    assert summarize(run, score_to_files(run))[0]["mean"] == pytest.approx(3 / 6)


def test_a_run_says_what_was_asked_and_how(file: Path, tmp_path: Path) -> None:
    ask(f"gsm8k:{file}", Scripted(), out=tmp_path / "run", limit=2, quiet=True)
    description = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (description["task"], description["examples"], description["dataset"]["name"]) == ("gsm8k", 2, str(file))
    assert len(description["dataset"]["content_hash"]) == 64
    assert description["settings"]["tuning"] is None
    assert description["decoding"]["stop"] == ["\nProblem:"], (
        "a model that goes on to a problem of its own is stopped there"
    )
    assert "####" in description["settings"]["prompt"]
    file.write_text(file.read_text().replace("1,000", "1,001"))
    with pytest.raises(UserError, match="is another run"):
        ask(f"gsm8k:{file}", Scripted(), out=tmp_path / "run", limit=2, quiet=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "holds no questions"),
        ('{"question": "How many?", "answer": "7"}', "the answer in row 1 of .* does not end in #### and a number"),
        ('{"question": "How many?", "answer": "7 ####"}', "does not end in ####"),
        ('{"question": "How many?"}', "row 1 of .* has no question or no answer"),
        ('{"question": "How many?", "answer": 7}', "both are texts"),
        ('{"question": "", "answer": "#### 7"}', "has no question"),
        ("[1]", "holds no rows"),
        ("How many?", "cannot be read"),
    ],
)
def test_a_file_of_another_format_is_refused(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text(content)
    with pytest.raises(UserError, match=message):
        open_questions(f"gsm8k:{tmp_path / 'bad.jsonl'}")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no file .*none.jsonl: name JSON lines"):
        open_questions(f"gsm8k:{tmp_path / 'none.jsonl'}")


def test_sql_and_the_report_read_such_a_run(file: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    ask(f"gsm8k:{file}", Scripted(), out=run, quiet=True).score()
    with connect(run) as connection:
        [row] = connection.rows("select task, tuned_model, num_tuned_on from runs")
        assert row == {"task": "gsm8k", "tuned_model": None, "num_tuned_on": None}
        write_html(connection, task_reports(), tmp_path / "report.html", title="GSM8K", figures=None, progress=False)
    assert "scripted" in (tmp_path / "report.html").read_text()


def test_mistakes_on_the_command_line_are_one_line(selfknow: Run, tmp_path: Path) -> None:
    result = selfknow("evaluate", "gsm8k:none.jsonl", "--model", "nobody", "--out", "run")
    assert result.returncode == 2
    assert "there is no file none.jsonl" in result.stderr
    assert "Traceback" not in result.stderr


def test_the_prompt_holds_the_question_by_plain_replacement(tmp_path: Path) -> None:
    file = write_questions(tmp_path / "braces.jsonl", {"{answer} {0} {{question}}?": "7"})

    ask(f"gsm8k:{file}", lambda prompt: "#### 7", out=tmp_path / "run", quiet=True)
    [row] = read_generations(tmp_path / "run").to_pylist()
    assert "Problem: {answer} {0} {{question}}?\nSolution:\n" in row["prompt"]
