"""Cells that run side by side: their order, what waits for what, and what is left after Ctrl-C."""

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Barrier, Lock, Timer

import pytest
from filelock import FileLock

from selfknow.files import write_json
from selfknow.reproduce import run
from selfknow.reproduce.cells import Cell
from selfknow.reproduce.launch import Worker
from selfknow.reproduce.run import Running, num_jobs, run_cells
from selfknow.reproduce.states import Record, State, States

SECONDS = 20


def training(folder: Path, name: str) -> Cell:
    return Cell("train", name, "m", "d:1", (), folder / name)


def evaluation(folder: Path, name: str, trained_by: Cell | None = None, **settings: object) -> Cell:
    return Cell("evaluate", name, "m", "d:1", (), folder / name, trained_by, settings=settings)


def launch(folder: Path, work: Callable[[str], str | None]) -> Callable[[Sequence[str]], str | None]:
    """Return what runs a cell by its name, and leaves the evidence of it."""

    def launched(words: Sequence[str]) -> str | None:
        name = Path(words[-1]).name
        error = work(name)
        if error is None:
            write_json(folder / name / "run.json", {})
        return error

    return launched


def states(cells: Sequence[Cell], folder: Path) -> list[State]:
    return [States(folder).read(cell).state for cell in cells]


def test_independent_cells_run_at_the_same_time(tmp_path: Path) -> None:
    both = Barrier(2, timeout=SECONDS)
    cells = [training(tmp_path, "a"), training(tmp_path, "b")]

    def meets(_: str) -> None:
        both.wait()

    run_cells(cells, tmp_path, *[launch(tmp_path, meets)] * 2)
    assert states(cells, tmp_path) == [State.finished] * 2


def test_an_evaluation_waits_for_its_training_and_what_needs_neither_goes_first(tmp_path: Path) -> None:
    began: list[str] = []
    lock = Lock()
    first = training(tmp_path, "training")
    cells = [first, evaluation(tmp_path, "of-the-training", first), evaluation(tmp_path, "other")]

    def work(name: str) -> None:
        with lock:
            began.append(name)
        deadline = time.monotonic() + SECONDS
        while name == "training" and "other" not in began and time.monotonic() < deadline:
            time.sleep(0.01)

    run_cells(cells, tmp_path, *[launch(tmp_path, work)] * 3)
    assert (set(began[:2]), began[2]) == ({"training", "other"}, "of-the-training")
    assert states(cells, tmp_path) == [State.finished] * 3


def test_a_failed_cell_is_named_and_the_others_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = training(tmp_path, "bad")
    cells = [first, evaluation(tmp_path, "of-the-bad", first), training(tmp_path, "good")]
    run_cells(cells, tmp_path, *[launch(tmp_path, lambda name: "no card" if name == "bad" else None)] * 2)
    assert states(cells, tmp_path) == [State.failed, State.failed, State.finished]
    lines = capsys.readouterr().err.splitlines()
    assert "bad failed: no card" in lines
    assert "of-the-bad failed: its training failed" in lines
    assert "good: finished after 0 s" in lines


def test_each_line_says_whose_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = "import sys; print('half', 'way', file=sys.stderr)"
    cells = [training(tmp_path, "a"), training(tmp_path, "b")]
    with Worker([sys.executable, "-c", program]) as item, Worker([sys.executable, "-c", program]) as other:
        run_cells(cells, tmp_path, item, other)
    lines = capsys.readouterr().err.splitlines()
    for name in ("a", "b"):
        own = [line for line in lines if line.startswith(name)]
        assert own[:2] == [f"{name}: begins", f"{name}: half way"]


def test_what_is_waited_for_is_there_while_the_rest_goes_on(tmp_path: Path) -> None:
    end = Barrier(2, timeout=SECONDS)
    cells = [evaluation(tmp_path, "first"), training(tmp_path, "long")]

    def work(name: str) -> None:
        if name == "long":
            end.wait()

    with Running(cells, tmp_path, [launch(tmp_path, work)] * 2) as running:
        running.wait(cells[:1])
        assert states(cells, tmp_path)[0] is State.finished
        assert not (tmp_path / "long" / "run.json").exists()
        end.wait()
        running.wait()
    assert states(cells, tmp_path) == [State.finished] * 2


def test_one_launch_runs_what_is_waited_for_and_what_stands_before_it(tmp_path: Path) -> None:
    began: list[str] = []
    cells = [evaluation(tmp_path, name) for name in ("a", "b", "c")]
    with Running(cells, tmp_path, [launch(tmp_path, began.append)]) as running:  # type: ignore[func-returns-value, arg-type]
        running.wait(cells[1:2])
        assert began == ["a", "b"]
        running.wait()
    assert began == ["a", "b", "c"]


def test_ctrl_c_ends_all_processes_and_the_same_cells_run_again(tmp_path: Path) -> None:
    program = "import pathlib, sys, time; pathlib.Path(sys.argv[-1] + '.begun').touch(); time.sleep(600)"
    cells = [training(tmp_path, "a"), training(tmp_path, "b"), training(tmp_path, "c")]
    workers = [Worker([sys.executable, "-c", program]) for _ in range(2)]
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt), Running(cells, tmp_path, workers):
        while not all((tmp_path / f"{name}.begun").exists() for name in ("a", "b")):
            assert time.monotonic() - start < SECONDS
            time.sleep(0.01)
        processes = [worker._process for worker in workers]
        raise KeyboardInterrupt
    assert time.monotonic() - start < SECONDS
    assert all(process is not None and process.returncode is not None for process in processes)
    assert states(cells, tmp_path) == [State.missing] * 3, "none of them counts as failed"
    assert not (tmp_path / "c.begun").exists()
    run_cells(cells, tmp_path, *[launch(tmp_path, lambda _: None)] * 2)
    assert states(cells, tmp_path) == [State.finished] * 3


def test_a_cell_that_another_process_runs_is_left_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "_SECONDS_TO_END", 0.1)
    cells = [training(tmp_path, "theirs"), evaluation(tmp_path, "ours")]
    cells[0].folder.mkdir()
    with FileLock(tmp_path / "theirs" / "run.lock"):
        run_cells(cells, tmp_path, launch(tmp_path, lambda _: None))
        assert states(cells, tmp_path) == [State.running, State.finished]
    assert "theirs: running after 0 s" in capsys.readouterr().err
    assert not (tmp_path / "theirs" / "run.json").exists()


def test_a_cell_whose_killed_process_is_about_to_end_is_waited_for_and_run_again(tmp_path: Path) -> None:
    cells = [training(tmp_path, "killed")]
    States(tmp_path).write(cells[0], Record(State.failed, 1.0, "no card"))
    cells[0].folder.mkdir()
    lock = FileLock(tmp_path / "killed" / "run.lock", thread_local=False)
    lock.acquire()
    assert states(cells, tmp_path) == [State.running], "it is tried again"
    Timer(0.2, lock.release).start()
    run_cells(cells, tmp_path, launch(tmp_path, lambda _: None))
    assert states(cells, tmp_path) == [State.finished]


def test_what_is_wrong_in_a_thread_is_raised_where_cells_are_waited_for(tmp_path: Path) -> None:
    def fails(_: str) -> str | None:
        raise OSError("the disk is full")

    cells = [training(tmp_path, "a"), training(tmp_path, "b")]
    with pytest.raises(OSError, match="the disk is full"):
        run_cells(cells, tmp_path, *[launch(tmp_path, fails)] * 2)


def test_as_many_cells_run_as_there_are_cores_and_one_where_they_share_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "num_cores", lambda: 4)
    monkeypatch.setattr(run, "_has_accelerator", lambda: False)
    cells = [training(tmp_path, str(number)) for number in range(6)]
    assert num_jobs(cells) == 4
    assert num_jobs(cells[:3]) == 3
    assert num_jobs(cells[:1]) == 1
    assert num_jobs(cells, ["torchrun", "-m"]) == 1
    assert num_jobs([*cells, evaluation(tmp_path, "served", endpoint="http://host")]) == 1
    monkeypatch.setattr(run, "_has_accelerator", lambda: True)
    assert num_jobs(cells) == 1
