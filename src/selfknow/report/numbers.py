"""The numbers of a headline, read from rows of queries."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from selfknow.report.shape import Measure, Number, Row

if TYPE_CHECKING:
    from selfknow.report.gather import Report


def number(
    label: str, row: Row, value: str, *, n_graded: str = "n_graded", n: str = "n", chance: str | None = "chance"
) -> Number:
    """Read a number from a row; its interval is in ``VALUE_low`` and ``VALUE_high``, or in ``low`` and ``high``.

    Args:
        label: The label of the model or cohort.
        row: The row.
        value: The column of the value.
        n_graded: The column that counts graded replies.
        n: The column that counts questions.
        chance: The column of the chance line; null: there is none.
    """
    low, high = (row.get(f"{value}_{end}", row.get(end)) for end in ("low", "high"))
    return Number(label, row[value], low, high, row[n_graded], row[n], row.get(chance) if chance else None)


def measures(report: "Report", *of_names: tuple[str, str, Sequence[Number]], **more: Any) -> list[Measure]:
    """Return the measures that have numbers.

    Args:
        report: The report with their queries.
        of_names: For each measure its name, its query and its numbers.
        more: Further attributes of all of them (see :class:`selfknow.report.shape.Measure`).
    """
    return [Measure(name, numbers, report.queries[query], **more) for name, query, numbers in of_names if numbers]


def beside_chance(number: Number) -> str:
    """Return a remark for a number that does not beat chance; empty if it does or has no chance line.

    Example:
        >>> f"recalls 6%{beside_chance(Number('a', 0.06, 0.03, 0.12, 128, 128, 0.33))}"
        'recalls 6% (below chance)'
    """
    if number.chance is None or number.low is None or number.is_above_chance:
        return ""
    return " (below chance)" if number.is_below_chance else " (no better than chance)"


def first_value(measures: Sequence[Measure]) -> float | None:
    """Return the first number of the first measure; null if it could not be graded."""
    return measures[0].numbers[0].value
