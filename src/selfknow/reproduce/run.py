"""Parallel runs of cells (trainings and evaluations). Finished cells are skipped; a failed cell stops no other."""

import os
import sys
from collections.abc import Callable, Collection, Sequence
from importlib.util import find_spec
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Condition, Thread
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self

from selfknow.reproduce.cells import Cell
from selfknow.reproduce.launch import Launch, Worker
from selfknow.reproduce.states import Record, State, States, is_free

if TYPE_CHECKING:
    from selfknow.bars import Bar

_SECONDS_TO_END = 10  # that the processes of a killed job may take to end
_SECONDS_TO_STOP = 10  # that an interrupted command may take to save its results
_SECONDS_BETWEEN_REFRESHES = 1.0


def num_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def num_jobs(cells: Sequence[Cell], launcher: Sequence[str] = ()) -> int:
    """Return how many cells may run in parallel: one per core, but only one if they share something besides cores.

    What they may share is a GPU, a launcher that takes all devices, or a served model with a request limit.
    """
    if len(cells) < 2 or launcher or any(cell.settings.get("endpoint") for cell in cells):
        return 1
    return 1 if _has_accelerator() else min(num_cores(), len(cells))


def _has_accelerator() -> bool:
    if find_spec("torch") is None:
        return False
    from selfknow.models.checkpoints import best_device

    return best_device() != "cpu"


def workers(cells: Sequence[Cell], jobs: int | None = None, launcher: Sequence[str] = ()) -> list[Worker]:
    """Return the workers that run these cells in parallel and share the cores; :class:`Running` ends them.

    Args:
        cells: The cells of one job.
        jobs: The number of workers; null: as many as :func:`num_jobs` says.
        launcher: The program that starts trainings.
    """
    jobs = jobs or num_jobs(cells, launcher)
    num_threads = max(1, num_cores() // jobs) if jobs > 1 else None
    return [Worker(launcher, num_threads) for _ in range(jobs)]


def run_cells(cells: Sequence[Cell], folder: Path, *launches: Launch) -> None:
    """Run the unfinished cells, and show a progress bar on stderr.

    Cells whose training failed, and cells that another process is running, are skipped.

    Args:
        cells: The cells of one job, each evaluation after its training.
        folder: The plan's folder.
        launches: Functions that run a command each; they work in parallel, each on one command at a time.
    """
    with Running(cells, folder, launches) as running:
        running.wait()


class Running:
    """A run of cells in parallel, in order. Leaving its ``with`` block stops the cells that are still running.

    A single launch runs its cells inside :meth:`wait`; several run them in background threads.

    Args:
        cells: The cells of one job.
        folder: The plan's folder.
        launches: Functions that run a command each, one at a time.
    """

    def __init__(self, cells: Sequence[Cell], folder: Path, launches: Sequence[Launch]) -> None:
        self.states = States(folder)
        self._names = {cell.name for cell in cells}
        self._pending = [cell for cell in cells if self.states.read(cell).state is not State.finished]
        self._ended = self._names - {cell.name for cell in self._pending}
        self._begun = monotonic()
        self._changed = Condition()
        self._is_stopped = False
        self._crash: BaseException | None = None
        self._lines: SimpleQueue[str] = SimpleQueue()
        self._launches = launches
        self._threads = [
            Thread(target=self._run_all, args=(launch,), daemon=True) for launch in launches if len(launches) > 1
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, KeyboardInterrupt):
            error.add_note("finished cells are kept; give the same command again to resume")
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()
        workers = [launch for launch in self._launches if isinstance(launch, Worker)]
        if self._ended < self._names:
            for worker in workers:
                worker.stop()
            for thread in self._threads:
                thread.join(_SECONDS_TO_STOP)
        for worker in workers:
            worker.end()
        while not self._lines.empty():
            _print(self._lines.get())

    def wait(self, cells: Collection[Cell] | None = None) -> None:
        """Wait until these cells (default: all) have ended; meanwhile, show the output of all cells on stderr."""
        from selfknow.bars import Bar

        names = self._names if cells is None else {cell.name for cell in cells}
        with Bar(total=len(self._names), initial=len(self._ended), unit="cell", desc="cells") as bar:
            while not names <= self._ended:
                if self._threads:
                    self._show_next_line(bar)
                elif cell := self._next():
                    self._run(cell, self._launches[0], _print)
                bar.update(len(self._ended) - bar.n)

    def _show_next_line(self, bar: "Bar") -> None:
        try:
            _print(self._lines.get(timeout=_SECONDS_BETWEEN_REFRESHES))
        except Empty:
            bar.refresh()
        if self._crash is not None:
            raise self._crash

    def _run_all(self, launch: Launch) -> None:
        try:
            while cell := self._next():
                self._run(cell, launch, self._lines.put)
        except BaseException as error:  # wait() raises it again
            self._crash = error

    def _next(self) -> Cell | None:
        """Take the first cell that need not wait for its training; null if no cell is left."""
        with self._changed:
            while self._pending and not self._is_stopped:
                for cell in self._pending:
                    if cell.trained_by is None or cell.trained_by.name not in self._names - self._ended:
                        self._pending.remove(cell)
                        return cell
                self._changed.wait()
        return None

    def _run(self, cell: Cell, launch: Launch, say: Callable[[str], None]) -> None:
        if isinstance(launch, Worker):
            launch.say = lambda line: say(f"{cell.name}: {line}")
        say(f"{cell.name}: begins")
        start = monotonic()
        record = self._run_commands(cell, launch)
        is_failed = record.state is State.failed
        ending = f" failed: {record.error}" if is_failed else f": {record.state} after {monotonic() - start:.0f} s"
        with self._changed:
            self._ended |= {cell.name}
            self._changed.notify_all()
        say(f"{cell.name}{ending}")

    def _run_commands(self, cell: Cell, launch: Launch) -> Record:
        """Run one cell's commands and save how they ended; skip a cell that another job has run or is running."""
        training_state = None if cell.trained_by is None else self.states.read(cell.trained_by).state
        if training_state is State.failed:
            return self._saved(cell, Record(State.failed, 0.0, "its training failed"))
        if training_state not in (None, State.finished):  # another job runs the training
            return Record(State.missing)
        is_free(cell.folder, timeout=max(0, self._begun + _SECONDS_TO_END - monotonic()))
        record = self.states.read(cell)
        if record.state in (State.finished, State.running):
            return record
        start = monotonic()
        error = None
        for words in cell.commands:
            error = launch(words) if error is None else error
        if self._is_stopped and error is not None:
            return Record(State.missing)
        state = State.finished if error is None else State.failed
        return self._saved(cell, Record(state, round(monotonic() - start, 1), error))

    def _saved(self, cell: Cell, record: Record) -> Record:
        self.states.write(cell, record)
        return record


def _print(line: str) -> None:
    from selfknow.bars import Bar

    Bar.write(line, file=sys.stderr)  # above the bar, if one is drawn
