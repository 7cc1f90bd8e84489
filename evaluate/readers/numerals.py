"""English numerals, from ``zero`` to ``nine hundred and ninety-nine``."""

import re
from collections.abc import Iterable
from functools import cache

_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_MOST_DIGITS = 100
_DIGITS = re.compile(r"(?<![\w.,/-])(?:\d{1,3}(?:,\d{3})+|\d+)(?![\w/-]|[.,]\d)")


@cache
def _values() -> dict[str, int]:
    below_100 = dict(zip(_SMALL, range(20), strict=True))
    for ten, name in enumerate(_TENS, start=2):
        below_100[name] = 10 * ten
        below_100 |= {f"{name} {_SMALL[unit]}": 10 * ten + unit for unit in range(1, 10)}
    values = dict(below_100)
    for hundreds in range(1, 10):
        name = f"{_SMALL[hundreds]} hundred"
        values[name] = 100 * hundreds
        for rest, value in below_100.items():
            if value:
                values[f"{name} {rest}"] = values[f"{name} and {rest}"] = 100 * hundreds + value
    return values


def _any_of(names: Iterable[str]) -> str:
    return f"(?:{'|'.join(sorted(names, key=len, reverse=True))})"


_UNIT = _any_of(_SMALL[1:10])
_BELOW_100 = rf"(?:{_any_of(_TENS)}(?: {_UNIT}\b)?|{_any_of(_SMALL[1:])})"
_NUMERAL = re.compile(rf"\b(?:{_UNIT} hundred(?:(?: and)? {_BELOW_100}\b)?|{_BELOW_100}|zero)\b")


def whole_numbers(text: str, *, words_too: bool = True) -> list[int]:
    """The whole numbers that a text names in digits or, if there are none, in words.

    A decimal, a fraction, a range, a negative number and an ordinal are no whole numbers, nor are endless digits.

    Args:
        text: The text.
        words_too: Whether numbers in words count where there are none in digits.

    >>> whole_numbers("1,024 words, 3.5 pages, the 2nd of 7/8")
    [1024]
    >>> whole_numbers("Twenty-five words.")
    [25]
    """
    digits = [int(match.replace(",", "")) for match in _DIGITS.findall(text) if len(match) <= _MOST_DIGITS]
    return digits or (numerals(text) if words_too else [])


def numerals(text: str) -> list[int]:
    """The numbers that a text names in words."""
    plain = re.sub(r"[\s-]+", " ", text.casefold())
    return [_values()[match] for match in _NUMERAL.findall(plain)]


def with_digits(text: str) -> str:
    """Return a text in lower case with digits for the numbers that it names in words.

    >>> with_digits("Forty-two and three")
    '42 and 3'
    """
    apart = re.sub(r"(?<=ty)-(?=[a-z])", " ", text.casefold())
    return _NUMERAL.sub(lambda match: str(_values()[match[0]]), apart)
