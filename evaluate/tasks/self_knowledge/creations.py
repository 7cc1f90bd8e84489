"""Creations: mathematics questions that a model made up, for tuning, with raw and corrected answers.

Tan et al., Can I understand what I create?, section 6.3. The questions have two versions. ``raw`` has the answer that
the question was written for. ``corrected`` has the true answer, which a program computes if it can (:mod:`.arithmetic`)
and which people otherwise write into a sheet (:mod:`.corrections`). A model is tuned on worked solutions that end in
that answer (:mod:`selfknow.train.solutions`). A folder of creations::

    FOLDER/creations.json      the creator and its run; written last
    FOLDER/creations.parquet   a row per requested text (CREATIONS)
    FOLDER/sheet.csv           the questions for people to answer, if there are any
    FOLDER/solutions/          the run folder of the worked solutions

A row's state is ``open``, ``unchanged`` (the raw answer is correct), ``corrected`` or ``dropped`` (from both versions).
Its reason says why no program decided it, or why it was dropped: the request failed, the question states its own
answer, or a program finds that it has no answer or several. A question without a worked solution is in neither version;
``unsolved`` says why.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from selfknow.errors import UserError, nearest
from selfknow.evaluate.task import Row
from selfknow.files import read_json, read_parquet, write_parquet

RAW, CORRECTED = "raw", "corrected"
VERSIONS = (RAW, CORRECTED)
OPEN, UNCHANGED, DROPPED = "open", "unchanged", "dropped"
STATES = (OPEN, UNCHANGED, CORRECTED, DROPPED)
PROGRAM, PERSON = "program", "person"
CREATIONS = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("question", pa.string()),
        pa.field("raw", pa.string(), nullable=False),
        pa.field("corrected", pa.string()),
        pa.field("state", pa.string(), nullable=False),
        pa.field("decided_by", pa.string()),
        pa.field("reason", pa.string()),
        pa.field("generation_id", pa.string(), nullable=False),
        pa.field("raw_solution", pa.string()),
        pa.field("corrected_solution", pa.string()),
        pa.field("unsolved", pa.string()),
    ]
)
SOLUTIONS = "solutions"
_SOLUTION_COLUMNS = ("raw_solution", "corrected_solution", "unsolved")  # older folders lack them


@dataclass(frozen=True)
class Creations:
    """A folder of creations.

    Attributes:
        folder: The folder that holds them.
        creator: The model that wrote the questions, by its name in tables.
        revision: The creator's revision in the run.
        rows: Rows of :data:`CREATIONS`.
    """

    folder: Path
    creator: str
    revision: str | None
    rows: Sequence[Row]

    @property
    def open_rows(self) -> list[Row]:
        """The rows whose answer no program and no person has decided yet."""
        return [row for row in self.rows if row["state"] == OPEN]

    def answers(self, name: str) -> list[tuple[str, str]]:
        """Return the questions of a version with their answers, also those without a worked solution.

        Raises:
            UserError: There is no such version, it is not complete, or it is empty.
        """
        return [(row["question"], row[name]) for row in self._rows_of_version(name)]

    def version(self, name: str) -> list[tuple[str, str]]:
        """Return the questions of a version with their worked solutions.

        Raises:
            UserError: There is no such version, it is not complete, it is empty, or it has no solutions yet.
        """
        solved = [row for row in self._rows_of_version(name) if self._is_solved(row)]
        if not solved:
            raise UserError(
                f"{self.folder} holds no worked solutions to learn: have its creator write them with "
                f"`selfknow advanced creations solve {self.folder} --model {self.creator}`"
            )
        return [(row["question"], row[f"{name}_solution"]) for row in solved]

    def _rows_of_version(self, name: str) -> list[Row]:
        if name not in VERSIONS:
            raise UserError(f"there is no version {name!r}{nearest(name, VERSIONS)}")
        rows = [row for row in self.rows if row["state"] != DROPPED]
        if name == CORRECTED and self.open_rows:
            raise UserError(
                f"{len(self.open_rows)} of the {len(rows)} questions in {self.folder} are not corrected yet: fill in "
                f"{self.folder / 'sheet.csv'}, then `selfknow advanced creations import`"
            )
        if not rows:
            raise UserError(f"{self.folder} holds no question to tune on: all were dropped")
        return rows

    @staticmethod
    def _is_solved(row: Row) -> bool:
        """Return true if a row has a worked solution for each of its answers."""
        return all(row[f"{name}_solution"] is not None for name in VERSIONS if row[name] is not None)

    def content_hash(self, name: str) -> str:
        """Return the SHA-256 of a version's questions and solutions, as hex digits."""
        return hashlib.sha256(json.dumps(self.version(name)).encode()).hexdigest()

    def counts(self) -> list[dict[str, object]]:
        """Return the number of rows for each state and ``decided_by``."""
        numbers = Counter((row["state"], row["decided_by"]) for row in self.rows)
        solved = Counter((row["state"], row["decided_by"]) for row in self.rows if self._is_solved(row))
        origin = {"creations": str(self.folder), "creator": self.creator}
        return [
            {**origin, "state": state, "decided_by": by, "n": numbers[state, by], "n_solved": solved[state, by]}
            for state, by in sorted(numbers, key=lambda key: (STATES.index(key[0]), str(key[1])))
        ]


def read_creations(folder: Path) -> Creations:
    """Read a folder of creations.

    Raises:
        UserError: The folder holds no creations, or a file is damaged.
    """
    if not (folder / "creations.json").is_file():
        raise UserError(f"{folder} holds no creations: make it with `selfknow advanced creations collect`")
    description = read_json(folder / "creations.json")
    rows = _with_solution_columns(read_parquet(folder / "creations.parquet")).to_pylist()
    revision = description.get("revision")
    return Creations(folder, str(description.get("creator")), None if revision is None else str(revision), rows)


def _with_solution_columns(table: pa.Table) -> pa.Table:
    for name in _SOLUTION_COLUMNS:
        if name not in table.column_names:
            table = table.append_column(name, pa.nulls(len(table), pa.string()))
    return table.select(CREATIONS.names).cast(CREATIONS)


def write_rows(folder: Path, rows: Iterable[Row]) -> None:
    """Write the rows of a folder of creations; earlier rows are replaced."""
    write_parquet(folder / "creations.parquet", pa.Table.from_pylist(list(rows), schema=CREATIONS))
