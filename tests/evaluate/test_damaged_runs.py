"""A run folder that was emptied, numbered or misnamed is one line, and one made elsewhere is read."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import selfknow
from selfknow.errors import UserError
from selfknow.evaluate.run import Run
from selfknow.evaluate.score import score_run, score_to_files
from selfknow.models.interface import GREEDY, Reply, Request
from selfknow.runs.description import DatasetReference, RunDescription
from selfknow.runs.summary import summarize
from selfknow.runs.writer import RunWriter

ROWS = [{"id": str(number), "question": f"{number} + 1?", "answer": f"#### {number + 1}"} for number in range(3)]
DESCRIPTION = RunDescription("gsm8k", DatasetReference("gsm8k"), GREEDY, {"prompt": "p", "samples": 1})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with RunWriter.open(tmp_path / "run", DESCRIPTION, pa.Table.from_pylist(ROWS)) as run:
        for row in ROWS:
            run.append("m", "1", Request(row["id"], row["question"]), Reply("#### 1", "stop"))
    return tmp_path / "run"


def change(path: Path, changed: Callable[[pa.Table], pa.Table]) -> None:
    pq.write_table(changed(pq.read_table(path)), path)


def with_ids(values: pa.Array) -> Callable[[pa.Table], pa.Table]:
    return lambda table: table.set_column(table.column_names.index("id"), "id", values)


READERS: dict[str, Callable[[Path], object]] = {
    "score": score_run,
    "query": lambda folder: Run(folder).query("metrics"),
    "report": lambda folder: selfknow.connect(folder),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_run_whose_generations_have_no_row_is_one_line(folder: Path, reader: str) -> None:
    change(folder / "generations" / "part-00000.parquet", lambda table: table.slice(0, 0))
    with pytest.raises(UserError, match=r"holds no generations.*: run `selfknow evaluate` into it first") as refused:
        READERS[reader](folder)
    assert "\n" not in str(refused.value)


def test_no_score_at_all_is_an_empty_summary(folder: Path) -> None:
    [scores] = score_to_files(folder)
    change(scores, lambda table: table.slice(0, 0))
    assert summarize(folder, [scores]) == []


def test_rows_that_are_numbered_are_named_by_their_numbers(folder: Path) -> None:
    expected = score_run(folder).to_pylist()
    for type_ in (pa.int64(), pa.int8(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())):
        change(folder / "examples.parquet", with_ids(pa.array(["0", "1", "2"]).cast(type_)))
        assert score_run(folder).to_pylist() == expected
        [row] = Run(folder).query("gsm8k_accuracy").to_pylist()
        assert (row["n"], row["accuracy"]) == (3, pytest.approx(1 / 3))


@pytest.mark.parametrize("values", [pa.array([0.0, 1.0, 2.0]), pa.array([[0], [1], [2]]), pa.nulls(3)])
@pytest.mark.parametrize("reader", READERS)
def test_rows_that_nothing_names_are_refused(folder: Path, values: pa.Array, reader: str) -> None:
    change(folder / "examples.parquet", with_ids(values))
    with pytest.raises(UserError, match=r"has a column of another type: id is .*, not string"):
        READERS[reader](folder)


def test_rows_that_are_numbered_are_refused_before_anything_is_asked(tmp_path: Path) -> None:
    rows = pa.table({"id": [1, 2], "question": ["?", "?"]})
    with pytest.raises(UserError, match="the examples' column `id` is int64, not text"):
        RunWriter.open(tmp_path / "run", DESCRIPTION, rows)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("task", [["x"], {"x": 1}, 7, True])
@pytest.mark.parametrize("reader", READERS)
def test_a_task_that_is_no_name_is_one_line(folder: Path, task: object, reader: str) -> None:
    description = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**description, "task": task}))
    with pytest.raises(UserError, match=r"its task is|is a run of") as refused:
        READERS[reader](folder)
    assert "\n" not in str(refused.value)
