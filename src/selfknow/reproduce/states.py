"""The states of cells: one small file a cell, written when it ends, whichever job ran it.

::

    OUT/states/NAME.json    how it ended, its commands, seconds, and in one line why it failed
    OUT/states/NAME.log     what a failed cell printed at the end
    OUT/states/NAME.lock    held by the job that runs it
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from filelock import FileLock, Timeout

from selfknow.errors import UserError
from selfknow.files import read_json, write_json
from selfknow.models.address import without_credentials
from selfknow.reproduce.cells import Cell


class State(StrEnum):
    """The progress of a cell."""

    finished = "finished"
    failed = "failed"
    running = "running"  # in another process
    missing = "missing"


@dataclass(frozen=True)
class Record:
    """The record of one cell.

    Attributes:
        state: How far it has come.
        seconds: That its last run took; null where it has not ended.
        error: Why it failed, in one line.
    """

    state: State
    seconds: float | None = None
    error: str | None = None


@dataclass(frozen=True)
class States:
    """The states of the cells in a folder.

    Attributes:
        folder: Where the plan's cells lie.
    """

    folder: Path

    def read(self, cell: Cell) -> Record:
        """Return the record of a cell; one of other commands counts as missing."""
        path = self._path(cell, ".json")
        try:
            content = read_json(path)
        except UserError:  # none yet, or damaged by a full disk: a cell resumes, so it is run again
            content = {}
        if content.get("commands") == self._commands(cell):
            state, seconds, error = (content.get(name) for name in ("state", "seconds", "error"))
            is_there = cell.evidence.exists()
            if state == State.failed or (state == State.finished and is_there):
                taken = seconds if isinstance(seconds, float) else None
                return Record(State(str(state)), taken, None if error is None else str(error))
        return Record(State.running if self._is_held(cell) else State.missing)

    def write(self, cell: Cell, record: Record, log: str = "") -> None:
        """Keep how a cell ended.

        Args:
            cell: The cell.
            record: How it ended.
            log: What it printed last, kept of a failed one.
        """
        log_path = self._path(cell, ".log")
        log_path.parent.mkdir(parents=True, exist_ok=True)
        if record.state is State.failed:
            log_path.write_text(log, encoding="utf-8")
        else:
            log_path.unlink(missing_ok=True)
        write_json(self._path(cell, ".json"), {**asdict(record), "commands": self._commands(cell)})

    def has_other_commands(self, cell: Cell) -> bool:
        """Return true if a cell was begun with other commands than its own."""
        path = self._path(cell, ".json")
        return path.is_file() and read_json(path).get("commands") != self._commands(cell)

    @contextmanager
    def held(self, cell: Cell) -> Iterator[bool]:
        """Hold a cell's lock while the block runs; false where another process holds it."""
        lock = self._lock(cell)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            yield False
            return
        try:
            yield True
        finally:
            lock.release()

    def _is_held(self, cell: Cell) -> bool:
        if not self._path(cell, ".lock").exists():
            return False
        with self.held(cell) as is_free:
            return not is_free

    def _lock(self, cell: Cell) -> FileLock:
        path = self._path(cell, ".lock")
        path.parent.mkdir(parents=True, exist_ok=True)
        return FileLock(path)

    def _path(self, cell: Cell, ending: str) -> Path:
        return self.folder / "states" / f"{cell.name}{ending}"

    def _commands(self, cell: Cell) -> list[str]:
        """Return a cell's commands without the output folder and without keys."""
        return [without_credentials(" ".join(words)).replace(f"{self.folder}/", "") for words in cell.commands]
