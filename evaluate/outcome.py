"""A value, or null with its reason: the one shape of everything that is read, judged or scored."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    import pyarrow as pa

Value = TypeVar("Value")


@dataclass(frozen=True)
class Outcome(Generic[Value]):
    """The outcome of reading or judging one thing.

    Attributes:
        value: The value that was read or judged; null if it is not certain.
        reason: Why there is no value. Beside a value: what it rests on, or what is odd about it.

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
    """Scores as Parquet keeps them.

    Args:
        scores: For each score the ``generation_id``, the metric and its outcome.

    Returns:
        A table in the shape of :data:`selfknow.runs.schema.SCORES`.
    """
    import pyarrow as pa

    from selfknow.runs.schema import SCORES

    columns: dict[str, list[Any]] = {name: [] for name in SCORES.names}  # a tenth of the memory of a dict for each row
    for generation_id, metric, outcome in scores:
        for name, value in zip(SCORES.names, (generation_id, metric, outcome.value, outcome.reason), strict=True):
            columns[name].append(value)
    return pa.Table.from_pydict(columns, schema=SCORES)
