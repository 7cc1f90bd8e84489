"""Scoring goes through a run batch by batch: the scores are those of one batch, and appear all at once."""

import shutil
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from filelock import FileLock

from selfknow import parquet_batches
from selfknow.builders.sources import DATASETS_SRC
from selfknow.errors import UserError
from selfknow.evaluate.score import score_run, score_to_files
from selfknow.models.interface import GRADE
from selfknow.runs import summary
from selfknow.runs.calls import read_calls
from selfknow.runs.schema import CALL_COLUMNS, GENERATIONS, SCORES, last_attempts
from selfknow.runs.summary import summarize

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


def test_the_highest_attempt_counts_wherever_it_stands(tmp_path: Path) -> None:
    write_calls(
        tmp_path,
        [{"generation_id": "a-2", "attempt": 2}, {"generation_id": "b-0", "sample": 1}],
        [{"generation_id": "a-1", "attempt": 1}, {"generation_id": "b-1", "sample": 1, "attempt": 1}],
        [{"generation_id": "a-0"}, {"generation_id": "b-1 again", "sample": 1, "attempt": 1}],
    )
    calls = read_calls(tmp_path).model_calls
    assert [id_ for batch in calls for id_ in batch["generation_id"].to_pylist()] == ["a-2", "b-1 again"]


@pytest.mark.parametrize("column", ["parent_generation_id", "revision"])
def test_calls_that_differ_in_a_little_are_different(tmp_path: Path, column: str) -> None:
    values = [None, "", "None", "null", "'", "', '", "0", "e\u0301", "\u00e9", "a", "a ", "A"]
    moved = [{"variant": "x', 'y", "stage": "z"}, {"variant": "y", "stage": "z', 'x"}]
    write_calls(tmp_path, [{column: value} for value in values], moved)
    assert len(read_calls(tmp_path).model_calls) == len(values) + len(moved)


def test_telling_calls_apart_holds_no_ids(long_ids: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tracemalloc.start()
    try:
        held = arrow_bytes_while_reading("calls", monkeypatch, lambda: read_calls(long_ids))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(held) == 20
    assert max(held) - held[1] < 500_000
    assert peak < 2_000_000


def test_a_summary_holds_no_ids_but_those_of_a_batch(long_ids: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "_ROWS_AT_A_TIME", 200)
    scores, rows = long_ids / "scores.parquet", []
    held = arrow_bytes_while_reading("summary", monkeypatch, lambda: rows.extend(summarize(long_ids, [scores])))
    assert [(row["model"], row["n"], row["mean"]) for row in rows] == [("x", 4_000, 1_999.5)]
    assert len(held) == 40, "calls and scores are read once"
    assert max(held) - held[1] < 500_000, "beside the two open files"


def test_scores_in_any_order_are_summarized_by_the_kinds_of_their_calls(
    tmp_path: Path, small_batches: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    small_batches(2)
    monkeypatch.setattr(summary, "_ROWS_AT_A_TIME", 3)
    kinds = [("b", "plain"), ("a", "after-1"), ("a", "after-22"), ("a", "after-"), ("a", "plain")]
    rows = [{"generation_id": str(n), "model": model, "variant": variant} for n, (model, variant) in enumerate(kinds)]
    write_calls(tmp_path, rows[:3], rows[3:])
    write_scores(tmp_path / "first.parquet", ["4", "2", "0", "none", "1", "3", "1"])
    write_scores(tmp_path / "second.parquet", ["0", "4"], metric="n")
    summarized = summarize(tmp_path, [tmp_path / "first.parquet", tmp_path / "second.parquet"])
    assert [tuple(row.values()) for row in summarized] == [
        ("a", "x", "plain", "m", 1, 1, 0.0),
        ("a", "x", "after-*", "m", 3, 3, 11 / 3),
        ("a", "x", "after-", "m", 1, 1, 5.0),
        ("a", "x", "plain", "n", 1, 1, 1.0),
        ("b", "x", "plain", "m", 1, 1, 2.0),
        ("b", "x", "plain", "n", 1, 1, 0.0),
        (None, None, None, "m", 1, 1, 3.0),
    ]


def write_calls(folder: Path, *parts: Sequence[dict[str, object]]) -> None:
    """Write calls as the parts of a run; a column that a call lacks has a value that all calls share, or is null."""
    shared: dict[str, object] = {field.name: "x" for field in GENERATIONS if not field.nullable}
    shared |= {"sample": 0, "attempt": 0, "created_at": 0}
    (folder / "generations").mkdir()
    for number, rows in enumerate(parts):
        table = pa.Table.from_pylist([shared | row for row in rows], schema=GENERATIONS)
        pq.write_table(table, folder / "generations" / f"part-{number:05d}.parquet")


def write_scores(path: Path, ids: Sequence[str], metric: str = "m") -> None:
    """Write scores of these calls: 0, 1, 2, …"""
    rows = [{"generation_id": id_, "metric": metric, "value": value} for value, id_ in enumerate(ids)]
    pq.write_table(pa.Table.from_pylist(rows, schema=SCORES), path)


@pytest.fixture
def long_ids(tmp_path: Path, small_batches: Callable[[int], None]) -> Path:
    """Return a run of 20 batches of calls, whose ids take two megabytes, with a score for each call."""
    small_batches(200)
    ids = [f"{number:0500d}" for number in range(4_000)]
    calls = [{"generation_id": id_, "parent_generation_id": id_} for id_ in ids]
    write_calls(tmp_path, calls[:2_000], calls[2_000:])
    write_scores(tmp_path / "scores.parquet", ids)
    return tmp_path


def arrow_bytes_while_reading(
    module: str, monkeypatch: pytest.MonkeyPatch, function: Callable[[], object]
) -> list[int]:
    """Call a function of a module of ``runs``; return the bytes that Arrow held whenever it had read another batch."""
    held = []

    def watched(*arguments: Any) -> Iterator[pa.Table]:
        for batch in parquet_batches.read_batches(*arguments):
            held.append(pa.total_allocated_bytes())
            yield batch

    monkeypatch.setattr(f"selfknow.runs.{module}.read_batches", watched)
    function()
    return held
