"""A larger limit asks a run further questions, and none again; a smaller one is refused."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from subprocess import CompletedProcess

import pyarrow as pa
import pytest

from selfknow.errors import UserError
from selfknow.evaluate import run as python
from selfknow.evaluate.run import ask
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.runs.description import DatasetReference, RunDescription
from selfknow.runs.schema import read_examples
from selfknow.runs.writer import RunWriter
from tests.conftest import Run
from tests.evaluate.faulty_server import Behaviour, serve


def questions(path: Path, number: int = 6) -> str:
    """Write a file of problems of mathematics, and return the set's name."""
    rows = [{"question": f"{value} + {value}?", "answer": f"#### {2 * value}"} for value in range(number)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"gsm8k:{path}"


class Counter:
    """A model that remembers what it was asked."""

    name, revision = "counter", "1"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        for request in requests:
            self.asked.append(request.example_id)
            yield request, Reply("#### 2", "stop")


def test_a_larger_limit_asks_only_the_further_questions(tmp_path: Path) -> None:
    name, model = questions(tmp_path / "six.jsonl"), Counter()
    ask(name, model, out=tmp_path / "run", limit=2, quiet=True)
    for limit, answered in ((4, 2), (4, 0), (None, 2), (9, 0)):
        [progress] = ask(name, model, out=tmp_path / "run", limit=limit, quiet=True).progress
        assert progress.answered == answered
    assert len(model.asked) == len(set(model.asked)) == 6
    description = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (description["examples"], description["settings"]["limit"]) == (6, None)
    assert len(python.Run(tmp_path / "run").score().scores) == 6


def test_a_smaller_limit_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    name = questions(tmp_path / "six.jsonl")
    ask(name, Counter(), out=tmp_path / "run", limit=4, quiet=True)
    before = (tmp_path / "run" / "run.json").read_bytes()
    with pytest.raises(UserError, match=r"run holds 4 questions, and limit=3 asks only 3: a run may grow, not shrink"):
        ask(name, Counter(), out=tmp_path / "run", limit=3, quiet=True)
    assert (tmp_path / "run" / "run.json").read_bytes() == before


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"seed": 1}, "its decoding.seed is 0, not 1"),
        ({"samples": 2}, "its settings.samples is 1, not 2"),
        ({"examples": False}, "its settings.completion is"),
    ],
)
def test_a_run_does_not_grow_where_anything_else_changes(tmp_path: Path, changes: dict[str, int], line: str) -> None:
    name = questions(tmp_path / "six.jsonl")
    ask(name, Counter(), out=tmp_path / "run", limit=2, quiet=True)
    with pytest.raises(UserError, match=line):
        ask(name, Counter(), out=tmp_path / "run", limit=4, quiet=True, **changes)


def test_a_run_does_not_grow_into_another_file(tmp_path: Path) -> None:
    name = questions(tmp_path / "six.jsonl")
    ask(name, Counter(), out=tmp_path / "run", limit=2, quiet=True)
    questions(tmp_path / "six.jsonl", number=7)
    with pytest.raises(UserError, match=r"its dataset\.content_hash is"):
        ask(name, Counter(), out=tmp_path / "run", limit=4, quiet=True)


def test_other_examples_under_a_larger_limit_are_another_run(tmp_path: Path) -> None:
    def description(limit: int) -> RunDescription:
        return RunDescription("toy", DatasetReference("toy"), Decoding(), {"limit": limit})

    RunWriter.open(tmp_path / "run", description(2), pa.table({"id": ["a", "b"]})).close()
    with pytest.raises(UserError, match="the limit 3 selects other questions than 2"):
        RunWriter.open(tmp_path / "run", description(3), pa.table({"id": ["a", "c", "d"]}))


def test_annotations_of_the_run_are_kept_when_it_grows(tmp_path: Path) -> None:
    def open_run(limit: int, counts: list[int | None]) -> None:
        rows = pa.table({"id": ["a", "b", "c"], "count": pa.array(counts, pa.int64())}).slice(0, limit)
        description = RunDescription("toy", DatasetReference("toy"), Decoding(), {"limit": limit})
        RunWriter.open(tmp_path / "run", description, rows, annotations=("count",)).close()

    open_run(2, [5, 7, None])
    open_run(3, [None, None, None])
    assert read_examples(tmp_path / "run")["count"].to_pylist() == [5, 7, None]


def test_a_run_grows_and_does_not_shrink_on_the_command_line(selfknow: Run, tmp_path: Path) -> None:
    name, behaviour = questions(tmp_path / "six.jsonl"), Behaviour(says=lambda prompt: "#### 2")
    with serve(behaviour) as url:

        def evaluate(limit: int) -> CompletedProcess[str]:
            words = ("--endpoint", url, "--limit", limit, "--out", "run", "--format", "json")
            return selfknow("evaluate", name, *words)

        assert json.loads(evaluate(2).stdout)[0]["answered"] == 2
        [row] = json.loads(evaluate(5).stdout)
        assert (row["answered_before"], row["answered"]) == (2, 3)
        refused = evaluate(4)
    assert len(behaviour.bodies) == 5
    line = "selfknow: run holds 5 questions, and --limit 4 asks only 4: a run may grow, not shrink; name a new folder\n"
    assert (refused.returncode, refused.stderr) == (2, line)
