"""A mapping on disk, which holds facts about the calls of a run that may not fit in memory."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from selfknow.errors import UserError

# The transaction has no end: nobody reads the file again.
_SETUP = """
pragma journal_mode = off;
pragma synchronous = off;
pragma cache_size = -16384;  -- in KiB
create table facts (key text primary key, value text not null) without rowid;
begin;
"""


class DiskMapping:
    """JSON values by keys of one or more parts, in a temporary file of SQLite; use it as a context manager.

    The file disappears with it. It takes at most 16 MiB of memory, and 5 microseconds to write or to read a value.

    Raises:
        UserError: The temporary file cannot be written, such as on a full disk.

    Example:
        >>> with DiskMapping() as mapping:
        ...     mapping.update([(("a text", 1), [0.5, None])])
        ...     mapping.get("a text", 1), mapping.get("a text", 2)
        ([0.5, None], None)
    """

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)
        with _errors():
            self._database.executescript(_SETUP)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        type_: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._database.close()

    def update(self, values: Iterable[tuple[Sequence[object], object]]) -> None:
        """Write values, each with the parts of its key; a later value replaces an earlier one."""
        pairs = ((repr((*key,)), json.dumps(value)) for key, value in values)
        with _errors():
            self._database.executemany("insert or replace into facts values (?, ?)", pairs)

    def get(self, *key: object) -> Any:
        """Return the value of the key with these parts; null where it has none."""
        with _errors():
            row = self._database.execute("select value from facts where key = ?", (repr(key),)).fetchone()
        return None if row is None else json.loads(row[0])

    def require(self, *key: object) -> Any:
        """Return the value of the key with these parts.

        Raises:
            UserError: The key has no value, as in a run that lost a part of its calls.
        """
        if (value := self.get(*key)) is None:
            raise UserError(f"a call refers to {key[-1]!r}, which is not in the run: a part of the run is missing")
        return value


@contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise UserError(f"a temporary file of facts about calls cannot be written: {error}") from error
