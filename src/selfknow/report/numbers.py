"""From rows of a query to the numbers of a headline."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from selfknow.report.shape import Measure, Number, Row

if TYPE_CHECKING:
    from selfknow.report.gather import Report


def number(
    label: str, row: Row, value: str, *, n_graded: str = "n_graded", n: str = "n", chance: str | None = "chance"
) -> Number:
    """A row's number; its interval stands in ``VALUE_low`` and ``VALUE_high``, or in ``low`` and ``high``.

    Args:
        label: Whose it is.
        row: The row.
        value: Its column.
        n_graded: The column of how many it is over.
        n: The column of how many were asked.
        chance: The column of its chance line; null: it has none.
    """
    low, high = (row.get(f"{value}_{end}", row.get(end)) for end in ("low", "high"))
    return Number(label, row[value], low, high, row[n_graded], row[n], row.get(chance) if chance else None)


def measures(report: "Report", *of_names: tuple[str, str, Sequence[Number]], **more: Any) -> list[Measure]:
    """Return the measures that have numbers.

    Args:
        report: The report with their queries.
        of_names: For each the name, the query and the numbers.
        more: What else is said of all of them (see :class:`selfknow.report.shape.Measure`).
    """
    return [Measure(name, numbers, report.queries[query], **more) for name, query, numbers in of_names if numbers]


def beside_chance(one: Number) -> str:
    """What a sentence adds to a number that does not beat chance; empty for one that does or has no chance line.

    Example:
        >>> f"recalls 6%{beside_chance(Number('a', 0.06, 0.03, 0.12, 128, 128, 0.33))}"
        'recalls 6% (below chance)'
    """
    if one.chance is None or one.low is None or one.is_above_chance:
        return ""
    return " (below chance)" if one.is_below_chance else " (no better than chance)"


def first_value(found: Sequence[Measure]) -> float | None:
    """The first number of the first measure; null where it could not be graded."""
    return found[0].numbers[0].value
