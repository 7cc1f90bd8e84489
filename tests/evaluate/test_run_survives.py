"""Whatever stops a run, no generation is lost and none is there twice."""

import multiprocessing
import os
import random
import sys
from pathlib import Path
from types import ModuleType

import pyarrow.parquet as pq
import pytest

from selfknow.errors import UserError
from selfknow.evaluate.collect import collect
from selfknow.models.interface import Request
from selfknow.runs.schema import generation_files, read_generations
from selfknow.runs.writer import RunWriter
from tests.conftest import REPOSITORY
from tests.diary_questions import Parrot, questions
from tests.evaluate.write_slowly import DESCRIPTION, write

PROCESSES = multiprocessing.get_context("forkserver")
# pandas, tqdm.auto: writing a run imports them when it first needs them, which takes longer than the run.
PROCESSES.set_forkserver_preload(["tests.evaluate.write_slowly", "pandas", "tqdm.auto", "selfknow.bars"])
CALLS = 120


def ids(folder: Path) -> list[str]:
    return read_generations(folder, ["generation_id"])["generation_id"].to_pylist() if generation_files(folder) else []


@pytest.fixture(autouse=True)
def preloaded_writers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writers start from a server that has imported everything, so that a kill finds them at work."""
    search_path = [str(REPOSITORY), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(search_path))
    # Each writer would first import the program that runs the tests.
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))


def test_a_run_killed_at_random_moments_loses_and_doubles_nothing(tmp_path: Path) -> None:
    folder, chance, kills, earlier = tmp_path / "run", random.Random(5), 0, set[str]()
    finished = False
    while not finished:
        writer = PROCESSES.Process(target=write, args=(folder, CALLS, 0.005))
        writer.start()
        writer.join(chance.uniform(0.0, 0.05 + 0.02 * kills))  # on a slow machine the run ends all the same
        finished = writer.exitcode == 0
        if not finished:
            writer.kill()
            writer.join()
            kills += 1
        now = ids(folder)
        assert len(now) == len(set(now)), "a row is there twice"
        assert earlier <= set(now), "a row was lost"
        earlier = set(now)
    generations = read_generations(folder).to_pylist()
    assert kills >= 10
    assert sorted(row["example_id"] for row in generations) == sorted(questions(CALLS)["id"].to_pylist())
    assert {row["attempt"] for row in generations} == {0}
    assert not list((folder / "generations").glob(".*")), "a killed write left its temporary file"


def test_two_writers_on_one_run_are_refused(tmp_path: Path) -> None:
    writer = PROCESSES.Process(target=write, args=(tmp_path / "run", 1_000, 0.01))
    writer.start()
    try:
        while not generation_files(tmp_path / "run"):
            assert writer.is_alive()
        with pytest.raises(UserError, match="another process is writing"):
            RunWriter.open(tmp_path / "run", DESCRIPTION, questions(1_000))
    finally:
        writer.kill()
        writer.join()
    RunWriter.open(tmp_path / "run", DESCRIPTION, questions(1_000)).close()  # the lock died with its holder


def test_a_full_disk_is_one_clear_line_and_costs_nothing_that_was_written(tmp_path: Path) -> None:
    examples = questions(20)
    requests = [Request(row["id"], row["prompt"]) for row in examples.to_pylist()]
    with RunWriter.open(tmp_path, DESCRIPTION, examples, rows_per_part=5) as run:
        collect(run, Parrot(), requests[:10], quiet=True)
        full = tmp_path / "generations" / ".part-00002.parquet.writing"
        full.symlink_to("/dev/full")  # the kernel's own full disk
        with pytest.raises(UserError, match=r"no space left for .*part-00002\.parquet: free some and run"):
            collect(run, Parrot(), requests, quiet=True)
    assert len(ids(tmp_path)) == 15, "what the disk refused was kept, and written as soon as there was room"
    with RunWriter.open(tmp_path, DESCRIPTION, examples) as run:
        assert collect(run, Parrot(), requests, quiet=True).answered_before == 15
    assert len(set(ids(tmp_path))) == 20


def test_a_cut_off_part_is_named(tmp_path: Path) -> None:
    examples = questions(10)
    with RunWriter.open(tmp_path, DESCRIPTION, examples) as run:
        collect(run, Parrot(), [Request(row["id"], row["prompt"]) for row in examples.to_pylist()], quiet=True)
    part = tmp_path / "generations" / "part-00000.parquet"
    part.write_bytes(part.read_bytes()[:-20])
    with pytest.raises(UserError, match=r"part-00000\.parquet cannot be read as Parquet"):
        read_generations(tmp_path)
    with pytest.raises(UserError, match=r"part-00000\.parquet cannot be read as Parquet"):
        RunWriter.open(tmp_path, DESCRIPTION, examples)


def test_a_failed_request_is_a_row_and_is_tried_again_as_a_further_attempt(tmp_path: Path) -> None:
    examples = questions(3)
    requests = [Request(row["id"], row["prompt"]) for row in examples.to_pylist()]
    flaky = Parrot(failures={"question-Tom 1": 2})
    with RunWriter.open(tmp_path, DESCRIPTION, examples) as run:
        progress = collect(run, flaky, requests, quiet=True)
    assert (progress.answered, progress.failed) == (3, 0)
    rows = [row for row in read_generations(tmp_path).to_pylist() if row["example_id"] == "question-Tom 1"]
    assert [(row["attempt"], row["error"], row["generation"] is None) for row in rows] == [
        (0, "503 overloaded", True),
        (1, "503 overloaded", True),
        (2, None, False),
    ]
    assert len({row["generation_id"] for row in rows}) == 3


def test_every_part_is_plain_parquet_with_the_columns_in_order(tmp_path: Path) -> None:
    examples = questions(4)
    with RunWriter.open(tmp_path, DESCRIPTION, examples, rows_per_part=3) as run:
        collect(run, Parrot(), [Request(row["id"], row["prompt"]) for row in examples.to_pylist()], quiet=True)
    names = [path.name for path in generation_files(tmp_path)]
    assert names == ["part-00000.parquet", "part-00001.parquet"]
    assert [pq.read_metadata(path).num_rows for path in generation_files(tmp_path)] == [3, 1]
