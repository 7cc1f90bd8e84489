"""Only generations of the very same run stand in one folder."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from selfknow.errors import UserError
from selfknow.evaluate.collect import collect
from selfknow.models.interface import Decoding, Request
from selfknow.runs.description import DatasetReference, RunDescription
from selfknow.runs.schema import read_generations
from selfknow.runs.writer import RunWriter
from tests.diary_questions import Parrot, questions

DATASET = DatasetReference("diary-recall", "1k", "test", revision="abc", content_hash="0" * 64)
DESCRIPTION = RunDescription("diary-recall", DATASET, Decoding(), {"probes": True})
REQUESTS = [Request(row["id"], row["prompt"]) for row in questions(3).to_pylist()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with RunWriter.open(tmp_path / "run", DESCRIPTION, questions(3)) as run:
        collect(run, Parrot(), REQUESTS, quiet=True)
    return tmp_path / "run"


@pytest.mark.parametrize(
    ("other", "line"),
    [
        (replace(DESCRIPTION, task="self-aware"), 'its task is "diary-recall", not "self-aware"'),
        (replace(DESCRIPTION, dataset=replace(DATASET, revision="abd")), 'its dataset.revision is "abc", not "abd"'),
        (replace(DESCRIPTION, dataset=replace(DATASET, content_hash="1" * 64)), "its dataset.content_hash is"),
        (replace(DESCRIPTION, decoding=Decoding(temperature=0.7)), "its decoding.temperature is 0.0, not 0.7"),
        (replace(DESCRIPTION, decoding=Decoding(seed=1)), "its decoding.seed is 0, not 1"),
        (replace(DESCRIPTION, settings={"probes": False}), "its settings.probes is true, not false"),
    ],
)
def test_another_run_is_refused_and_the_difference_is_named(folder: Path, other: RunDescription, line: str) -> None:
    with pytest.raises(UserError) as caught:
        RunWriter.open(folder, other, questions(3))
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_other_examples_are_refused(folder: Path) -> None:
    with pytest.raises(UserError, match="its examples"):
        RunWriter.open(folder, DESCRIPTION, questions(4))
    with pytest.raises(UserError, match="its examples_hash"):
        RunWriter.open(folder, DESCRIPTION, questions(4).slice(1))


def test_the_same_run_goes_on_where_it_stopped(folder: Path) -> None:
    with RunWriter.open(folder, DESCRIPTION, questions(3)) as run:
        progress = collect(run, Parrot(), REQUESTS, quiet=True)
    assert (progress.answered_before, progress.answered) == (3, 0)


def test_another_model_and_another_revision_add_rows_of_their_own(folder: Path) -> None:
    with RunWriter.open(folder, DESCRIPTION, questions(3)) as run:
        collect(run, Parrot(name="cockatoo"), REQUESTS, quiet=True)
        collect(run, Parrot(revision="2"), REQUESTS, quiet=True)
    rows = read_generations(folder).to_pylist()
    assert {(row["model"], row["revision"]) for row in rows} == {("parrot", "1"), ("parrot", "2"), ("cockatoo", "1")}
    assert len({row["generation_id"] for row in rows}) == len(rows) == 9


def test_a_run_made_by_other_versions_goes_on_and_says_so(folder: Path) -> None:
    path = folder / "run.json"
    description = json.loads(path.read_text())
    description["versions"][0]["pyarrow"] = "1.0"
    path.write_text(json.dumps(description))
    with RunWriter.open(folder, DESCRIPTION, questions(3)):
        assert [versions["pyarrow"] == "1.0" for versions in json.loads(path.read_text())["versions"]] == [True, False]


def test_a_folder_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(UserError, match=r"is not a run folder \(it holds thesis.tex\)"):
        RunWriter.open(tmp_path, DESCRIPTION, questions(3))
    with pytest.raises(UserError, match="is a file"):
        RunWriter.open(tmp_path / "thesis.tex", DESCRIPTION, questions(3))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["thesis.tex"]


@pytest.mark.parametrize("content", ["", "[]", "{", "\xff"])
def test_a_broken_run_json_is_one_line(folder: Path, content: str) -> None:
    (folder / "run.json").write_bytes(content.encode("latin-1"))
    with pytest.raises(UserError, match=r"run\.json"):
        RunWriter.open(folder, DESCRIPTION, questions(3))


def test_examples_without_unique_ids_are_refused(tmp_path: Path) -> None:
    examples = questions(3)
    with pytest.raises(UserError, match="column `id`"):
        RunWriter.open(tmp_path / "run", DESCRIPTION, examples.drop_columns(["id"]))
    with pytest.raises(UserError, match="repeated"):
        RunWriter.open(tmp_path / "run", DESCRIPTION, examples.slice(0, 1).cast(examples.schema).take([0, 0]))


def test_the_same_call_asked_twice_is_our_own_mistake(tmp_path: Path) -> None:
    with (
        RunWriter.open(tmp_path / "run", DESCRIPTION, questions(3)) as run,
        pytest.raises(ValueError, match="the same call"),
    ):
        collect(run, Parrot(), REQUESTS + REQUESTS[:1], quiet=True)
