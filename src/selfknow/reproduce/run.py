"""Runs cells one after another. Finished cells are never repeated, and a failed cell does not stop the others."""

import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

from filelock import FileLock, Timeout

from selfknow.reproduce.cells import Cell
from selfknow.reproduce.launch import Ending, Launch
from selfknow.reproduce.states import Record, State, States

_SECONDS_TO_END = 60  # that a process may take to notice that the one which started it was killed


def run_cells(cells: Sequence[Cell], folder: Path, launch: Launch) -> None:
    """Run those cells that are not finished, in order, with a bar over cells on stderr.

    A cell whose training has failed is not tried. One that another process runs is left to it.

    Args:
        cells: Of one job, each evaluation behind its training.
        folder: Where the plan's cells lie.
        launch: Runs one command.
    """
    from selfknow.bars import Bar

    states = States(folder)
    finished = sum(states.read(cell).state is State.finished for cell in cells)
    with Bar(total=len(cells), initial=finished, unit="cell", desc="cells") as bar:
        for cell in cells:
            if states.read(cell).state is State.finished:
                continue
            bar.set_postfix_str(cell.name)
            print(file=sys.stderr)  # noqa: T201  (the cell's own bars go below)
            record = run_cell(cell, states, launch)
            if record.state is State.failed:
                bar.write(f"{cell.name} failed: {record.error}", file=sys.stderr)
            bar.update()


def run_cell(cell: Cell, states: States, launch: Launch) -> Record:
    """Run one cell to its end, and keep how it ended; a finished one is not run again."""
    with states.held(cell) as is_mine:
        if not is_mine:
            return Record(State.running)
        found = states.read(cell)
        if found.state is State.finished:
            return found
        source = State.finished if cell.trained_by is None else states.read(cell.trained_by).state
        if source is State.failed:
            return _ended(cell, states, Ending("its training failed"), 0.0)
        if source is not State.finished:  # another job has it
            return Record(State.missing)
        if not _is_let_go(cell.folder):
            return Record(State.running)
        start = monotonic()
        ending = Ending()
        for words in cell.commands:
            ending = launch(words)
            if ending.error is not None:
                break
        return _ended(cell, states, ending, monotonic() - start)


def _ended(cell: Cell, states: States, ending: Ending, seconds: float) -> Record:
    state = State.finished if ending.error is None else State.failed
    record = Record(state, round(seconds, 1), ending.error)
    states.write(cell, record, ending.log)
    return record


def _is_let_go(folder: Path) -> bool:
    """Wait until the process of a job that was killed has left its training or run folder."""
    path = folder / "run.lock"
    if not path.exists():
        return True
    try:
        with FileLock(path).acquire(timeout=_SECONDS_TO_END):
            return True
    except Timeout:
        return False
