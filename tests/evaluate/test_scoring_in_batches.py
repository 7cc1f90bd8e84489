"""Scoring goes through a run batch by batch: the scores are those of one batch, and appear all at once."""

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from filelock import FileLock

from selfknow import parquet_batches
from selfknow.builders.sources import DATASETS_SRC
from selfknow.errors import UserError
from selfknow.evaluate.score import score_run, score_to_files
from selfknow.models.interface import GRADE
from selfknow.runs.calls import read_calls
from selfknow.runs.schema import CALL_COLUMNS, GENERATIONS, last_attempts

RUNS = Path(str(DATASETS_SRC)) / "model_replies" / "runs"
OF_EACH_TASK = [
    "opt-7m-diaries/diary-recall-256-standard-seed-0",
    "SmolLM2-135M-Instruct/self-aware-icl",
    "SmolLM2-135M-Instruct/self-knowledge-grammar-dual",
    "SmolLM2-135M-Instruct/self-knowledge-total-count-consistency",
    "SmolLM2-135M-Instruct/self-knowledge-fact-inconsistency",
]


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return a function that sets how many rows a batch has."""
    return lambda rows: monkeypatch.setattr(parquet_batches, "ROWS_PER_BATCH", rows)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return copied(RUNS / "SmolLM2-135M-Instruct/self-knowledge-total-count-separate", tmp_path / "run")


def copied(run: Path, to: Path) -> Path:
    """Return a copy of a run without its scores, with its calls in another order and in two parts."""
    shutil.copytree(run, to, ignore=shutil.ignore_patterns("scores", "parsed", "generations"))
    calls = pa.concat_tables([pq.read_table(path) for path in sorted((run / "generations").glob("*.parquet"))])
    calls = calls.take(Random(0).sample(range(len(calls)), len(calls)))
    (to / "generations").mkdir()
    for number, part in enumerate((calls.slice(0, 11), calls.slice(11))):
        pq.write_table(part, to / "generations" / f"part-{number:05d}.parquet", row_group_size=50)
    return to


@pytest.mark.parametrize("name", OF_EACH_TASK)
def test_a_call_scores_the_same_whichever_batch_its_parent_is_in(
    tmp_path: Path, small_batches: Callable[[int], None], name: str
) -> None:
    run = copied(RUNS / name, tmp_path / "run")
    files = ["scores/*.parquet", "parsed/*.parquet"]
    score_to_files(run)
    expected = {path.name: pq.read_table(path) for pattern in files for path in run.glob(pattern)}
    assert sum(map(len, expected.values())) > 100
    small_batches(7)
    score_to_files(run)
    assert {path.name: pq.read_table(path) for pattern in files for path in run.glob(pattern)} == expected


def test_a_run_whose_last_part_is_damaged_keeps_the_scores_that_it_had(
    run: Path, small_batches: Callable[[int], None]
) -> None:
    small_batches(5)
    [scores] = score_to_files(run)
    before = scores.read_bytes()
    part = run / "generations" / "part-00001.parquet"
    content = bytearray(part.read_bytes())
    place = content.index(b"There") if b"There" in content else len(content) // 2
    content[place : place + 40] = bytes(40)
    part.write_bytes(content)
    with pytest.raises(UserError, match=r"part-00001\.parquet cannot be read as Parquet"):
        score_run(run)
    assert scores.read_bytes() == before
    assert list(run.rglob("*.writing")) == []


def test_two_processes_do_not_score_one_run_at_a_time(run: Path) -> None:
    (run / "scores").mkdir()
    with FileLock(run / "scores" / ".lock"), pytest.raises(UserError, match=r"another process is scoring .*: wait"):
        score_run(run)
    assert len(score_run(run))


def test_the_calls_that_count_are_those_of_the_whole_table_in_its_order(
    tmp_path: Path, small_batches: Callable[[int], None]
) -> None:
    draw = Random(0)
    shared = {"run_id": "run", "prompt": "?", "created_at": 0}
    rows = [
        {
            **shared,
            "generation_id": str(number),
            **{name: draw.choice(["a", "b"]) for name in ("example_id", "variant", "model")},
            **{name: draw.choice([None, "", "a"]) for name in ("parent_generation_id", "revision")},
            "stage": draw.choice(["answer", GRADE]),
            "sample": draw.randrange(2),
            "attempt": draw.randrange(3),
        }
        for number in range(300)
    ]
    table = pa.Table.from_pylist(rows, schema=GENERATIONS)
    (tmp_path / "generations").mkdir()
    pq.write_table(table.slice(0, 100), tmp_path / "generations" / "part-00000.parquet")
    pq.write_table(table.slice(100), tmp_path / "generations" / "part-00001.parquet")
    small_batches(17)
    calls = read_calls(tmp_path)
    last = last_attempts(table).select(["generation_id", "stage"]).to_pylist()
    assert 100 < len(last) < 290
    for some, is_grade in ((calls.model_calls, False), (calls.judge_calls, True)):
        ids = [row["generation_id"] for batch in some.select("generation_id") for row in batch.to_pylist()]
        assert ids == [row["generation_id"] for row in last if (row["stage"] == GRADE) is is_grade]
        assert len(some) == len(ids)
    assert sorted(calls.example_ids.to_pylist()) == ["a", "b"]


def test_calls_of_a_million_different_kinds_are_told_apart(tmp_path: Path) -> None:
    """The number of possible calls is far larger than any integer of 64 bits."""
    count = 3_000
    columns = {name: [f"{name} {number}" for number in range(count)] for name in CALL_COLUMNS if name != "sample"}
    columns |= {"run_id": ["run"] * count, "prompt": ["?"] * count, "generation_id": columns["model"]}
    numbers = {"sample": list(range(count)), "attempt": [0] * count, "created_at": [0] * count}
    every = {**columns, **numbers}
    arrays = [
        pa.array(every[field.name], field.type) if field.name in every else pa.nulls(count, field.type)
        for field in GENERATIONS
    ]
    (tmp_path / "generations").mkdir()
    table = pa.Table.from_arrays(arrays, schema=GENERATIONS)
    pq.write_table(pa.concat_tables([table, table]), tmp_path / "generations" / "part-00000.parquet")
    calls = read_calls(tmp_path).model_calls
    assert len(calls) == count
    assert not calls.is_selected[:count].any(), "of two attempts with one number the later row counts"
