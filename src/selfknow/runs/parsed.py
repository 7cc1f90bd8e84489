"""Files that scoring writes into a run beside its scores."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class ParsedFiles:
    """The files in a run's folder ``parsed/`` that one SQL view shows.

    Attributes:
        pattern: A pattern of their paths in the run, such as ``parsed/documents-*.parquet``.
        schema: A function that returns their schema; calling it may import heavy libraries.
    """

    pattern: str
    schema: "Callable[[], pa.Schema]"
