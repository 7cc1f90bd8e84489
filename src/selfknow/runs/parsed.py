"""Files that scoring writes into a run beside its scores."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class ParsedFiles:
    """Files in ``parsed/`` that a view shows.

    Attributes:
        pattern: The pattern of their names, such as ``parsed/documents-*.parquet``.
        schema: Returns their columns.
    """

    pattern: str
    schema: "Callable[[], pa.Schema]"
