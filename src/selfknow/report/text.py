"""The format of numbers and texts in a report. The page and Markdown escape texts themselves."""

from collections.abc import Collection

from selfknow.untrusted import for_terminal

LONGEST_REPLY = 3_000
"""The number of characters of a reply that are shown."""
_LONGEST_CELL_IN_CHARACTERS = 200
_NOTHING = "\N{EN DASH}"
_PLAIN_INTEGERS = ("cohort", "seed", "number")  # columns without a thousands separator
_SHARES = ("share", "low", "high", "chance")


def cell(value: object, column: str = "", shares: Collection[str] = ()) -> str:
    """Format a value for a table.

    Args:
        value: A value of a query.
        column: The name of its column.
        shares: Columns that are shares (see :class:`selfknow.report.shape.Figure`).

    Example:
        >>> cell(1234, "n"), cell(0.5, "accuracy", ["accuracy"]), cell(0.5, "mean"), cell(True)
        ('1,234', '50.0%', '0.5', 'yes')
    """
    if value is None:
        return _NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return percent(value) if _is_share(column, shares) else f"{value:,.3f}".rstrip("0").rstrip(".")
    if isinstance(value, int):
        return f"{value:,}" if column not in _PLAIN_INTEGERS else str(value)
    text = " ".join(str(value).split())
    text = for_terminal(text)
    return text if len(text) <= _LONGEST_CELL_IN_CHARACTERS else f"{text[: _LONGEST_CELL_IN_CHARACTERS - 1]}…"


def _is_share(column: str, shares: Collection[str]) -> bool:
    name = column.removesuffix("_low").removesuffix("_high")
    return name in _SHARES or name in shares or name.startswith("share_") or name.endswith("_share")


def percent(value: float | None) -> str:
    """Format a share as a percentage with one decimal, or none for 0% and 100%.

    Example:
        >>> percent(0.125), percent(0.5), percent(0.00002), percent(-0.198)
        ('12.5%', '50.0%', '<0.1%', '−19.8%')
    """
    if value is None:
        return _NOTHING
    if 0 < abs(value) < 0.0005:
        return "<0.1%"
    text = f"{value:.0%}" if value in (0, 1) else f"{value:.1%}"
    return text.replace("-", "−")


def rounded(value: float) -> str:
    """Format a share for a sentence, in whole percents; a share below 1% gets one decimal.

    Example:
        >>> rounded(0.637), rounded(0.0096), rounded(0.002), rounded(0)
        ('64%', '1%', '0.2%', '0%')
    """
    return percent(value) if 0 < abs(value) < 0.0095 else f"{value:.0%}"


def change(value: float, low: float | None, high: float | None) -> str:
    """Format a difference of two shares with its 95% interval, for the end of a sentence.

    Example:
        >>> change(0.04, -0.08, 0.16), change(0.04, None, None)
        ('+4.0 points; 95%: −8.0 to +16.0', '+4.0 points')
    """
    interval = "" if low is None or high is None else f"; 95%: {points(low)} to {points(high)}"
    return f"{points(value)} points{interval}"


def points(value: float | None) -> str:
    """Format a difference of two shares in percentage points.

    Example:
        >>> points(0.125), points(-0.5), points(0.0)
        ('+12.5', '−50.0', '0.0')
    """
    if value is None:
        return _NOTHING
    return f"{value * 100:+.1f}".replace("-", "−") if abs(value) >= 0.0005 else "0.0"


def capitalized(text: str) -> str:
    """Capitalize the first letter of a text, and leave the others unchanged.

    Example:
        >>> capitalized("share of QUIP")
        'Share of QUIP'
    """
    return text[:1].upper() + text[1:]


def listed(parts: list[str]) -> str:
    """List parts in a sentence, with commas and a last "and".

    Example:
        >>> listed(["reads", "writes", "counts"])
        'reads, writes and counts'
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def visible(text: str) -> str:
    """Make control characters except newlines visible, and marks that change the direction of a line."""
    return for_terminal(text).replace("\t", "␉")


def plain(text: str) -> str:
    """Escape a text so that it has no meaning in Markdown or HTML."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{char}" if char in "\\`*_[]|#" else char for char in escaped)
