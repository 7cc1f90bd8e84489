"""The states of cells: a small file per cell, ``OUT/states/NAME.json``, written when the cell ends.

A run folder resumes by itself, and its lock says that it is being written. It does not say which commands a cell ran,
how long they took, or why one failed. The jobs of a plan need to know this about each other's cells.
"""

from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

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
        state: The progress of the cell.
        seconds: The duration of its last run in seconds; null if it has not ended.
        error: The error of a failed cell, in one line.
    """

    state: State
    seconds: float | None = None
    error: str | None = None


@dataclass(frozen=True)
class States:
    """The states of the cells in a folder.

    Attributes:
        folder: The plan's folder, absolute.
    """

    folder: Path

    def read(self, cell: Cell) -> Record:
        """Return the record of a cell; a record of other commands counts as missing."""
        try:
            content: dict[str, Any] = read_json(self._path(cell))
        except UserError:  # no record yet, or a record damaged by a full disk; the cell then runs again and resumes
            content = {}
        state = content.get("state") if content.get("commands") == self._commands(cell) else None
        if state == State.finished and cell.evidence.exists():
            return Record(State.finished, content.get("seconds"), content.get("error"))
        if not is_free(cell.folder):
            return Record(State.running)
        if state == State.failed:
            return Record(State.failed, content.get("seconds"), content.get("error"))
        return Record(State.missing)

    def write(self, cell: Cell, record: Record) -> None:
        """Save how a cell ended."""
        path = self._path(cell)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, {**asdict(record), "commands": self._commands(cell)})

    def _path(self, cell: Cell) -> Path:
        return self.folder / "states" / f"{cell.name}.json"

    def _commands(self, cell: Cell) -> list[str]:
        """Return a cell's commands without the plan's folder and without keys."""
        return [without_credentials(" ".join(words)).replace(f"{self.folder}/", "") for words in cell.commands]


def is_free(folder: Path, timeout: float = 0) -> bool:
    """Return true if the lock of a run or a training is free, or becomes free within ``timeout`` seconds."""
    path = folder / "run.lock"
    if not path.exists():
        return True
    try:
        with FileLock(path).acquire(timeout=timeout):
            return True
    except Timeout:
        return False
