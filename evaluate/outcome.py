"""Outcomes: a value, or null with a reason, for everything that is read, judged or scored."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    import pyarrow as pa

Value = TypeVar("Value")


@dataclass(frozen=True)
class Outcome(Generic[Value]):
    """The outcome of reading, judging or scoring.

    Attributes:
        value: The value; null if it is not certain.
        reason: The reason that there is no value. Beside a value: its basis, or a remark.

    Example:
        >>> Outcome(1.0), Outcome(None, "cut off")
        (Outcome(value=1.0, reason=None), Outcome(value=None, reason='cut off'))
    """

    value: Value | None
    reason: str | None = None


def failed(row: Mapping[str, Any]) -> Outcome[Any]:
    """Return the outcome of a call that got no reply, the same for every task.

    Args:
        row: A row of ``generations`` with an error.
    """
    return Outcome(None, f"the request failed: {row['error']}")


def scores_table(scores: Iterable[tuple[str, str, Outcome[float]]]) -> "pa.Table":
    """Return scores as a table.

    Args:
        scores: Triples of ``generation_id``, metric and outcome.

    Returns:
        A table in the shape of :data:`selfknow.runs.schema.SCORES`.
    """
    import pyarrow as pa

    from selfknow.runs.schema import SCORES

    # Lists of columns take a tenth of the memory of a dict for each row.
    columns: dict[str, list[Any]] = {name: [] for name in SCORES.names}
    for generation_id, metric, outcome in scores:
        for name, value in zip(SCORES.names, (generation_id, metric, outcome.value, outcome.reason), strict=True):
            columns[name].append(value)
    return pa.Table.from_pydict(columns, schema=SCORES)
