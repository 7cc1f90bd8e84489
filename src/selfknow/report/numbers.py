"""The numbers and verdicts of a headline, from rows of queries."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from selfknow.report.shape import Measure, Number, Row, Verdict

if TYPE_CHECKING:
    from selfknow.report.gather import Report


def number(
    label: str,
    row: Row,
    value: str,
    *,
    n_graded: str = "n_graded",
    n: str = "n",
    chance: str | None = "chance",
    of: str | None = None,
    unit: str = "",
) -> Number:
    """Read a number from a row; its interval is in ``VALUE_low`` and ``VALUE_high``, or in ``low`` and ``high``.

    A share's numerator is in ``VALUE_yes``.

    Args:
        label: The label of the model or cohort.
        row: The row.
        value: The column of the value.
        n_graded: The column that counts graded replies.
        n: The column that counts questions.
        chance: The column of the chance line; null if there is none.
        of: The column of a share's denominator; null uses ``VALUE_of``.
        unit: The unit that a mean is taken over, such as ``questions``.
    """
    low, high = (row.get(f"{value}_{end}", row.get(end)) for end in ("low", "high"))
    yes, total = row.get(f"{value}_yes"), row.get(of or f"{value}_of")
    chance_value = row.get(chance) if chance else None
    return Number(label, row[value], low, high, row[n_graded], row[n], chance_value, yes, total, unit)


def measures(report: "Report", *parts: tuple[str, str, Sequence[Number]], **more: Any) -> list[Measure]:
    """Return the measures that have numbers.

    Args:
        report: The report with their queries.
        parts: The name, the query's name and the numbers of each measure.
        more: Further attributes of all measures (see :class:`selfknow.report.shape.Measure`).
    """
    return [Measure(name, numbers, report.queries[query], **more) for name, query, numbers in parts if numbers]


YES, PARTLY = Verdict("Yes, mostly", is_good=True), Verdict("In part", is_good=None)
NO_SIGN, NO = Verdict("No sign of it", is_good=False), Verdict("Mostly not", is_good=False)
A_LITTLE, NOT_SHOWN = Verdict("A little", is_good=None), Verdict("Not shown", is_good=None)
TOO_FEW, HALF = Verdict("Too few to say", is_good=None), Verdict("About half the time", is_good=None)
_LITTLE = 0.2  # a share above chance but below this is a little
_WIDE = 0.4  # an interval around one half that is wider says nothing


def against_half(number: Number) -> Verdict:
    """Return a verdict: whether the whole interval of a share is above or below one half.

    Example:
        >>> against_half(Number("a", 0.1, 0.02, 0.3, 20, 20)).text, against_half(Number("a", 1, 0.8, 1, 20, 20)).text
        ('Mostly not', 'Yes, mostly')
    """
    if number.low is None or number.high is None:
        return TOO_FEW
    if number.low > 1 / 2:
        return YES
    if number.high < 1 / 2:
        return NO
    return TOO_FEW if number.high - number.low > _WIDE else HALF


def against_chance(number: Number) -> Verdict:
    """Return a verdict: whether the whole interval of a share is above its chance line and above one half.

    Example:
        >>> against_chance(Number("a", 0.4, 0.3, 0.6, 50, 50, chance=0.33)).text
        'No sign of it'
    """
    if number.low is None or number.high is None:
        return TOO_FEW
    if not number.is_above_chance:
        return NO_SIGN
    if number.high < _LITTLE:
        return A_LITTLE
    return YES if number.low > 1 / 2 else PARTLY


def axis_end(numbers: Sequence[Number]) -> float:
    """Return the upper end of an axis for these shares: 1, or less if all of them are small.

    Example:
        >>> axis_end([Number("a", 0.002, 0.001, 0.004, 9, 9)]), axis_end([Number("a", 0.5, 0.4, 0.6, 9, 9)])
        (0.005, 1)
    """
    return axis_end_for_shares(end for number in numbers for end in (number.value, number.high, number.chance))


def axis_end_for_shares(shares: Iterable[float | None]) -> float:
    """Return the upper end of an axis for these shares (see :func:`axis_end`)."""
    largest = max((share for share in shares if share is not None), default=0.0)
    return next((end for end in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2) if largest <= end), 1)
