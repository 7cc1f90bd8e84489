r"""The number that a reply gives as its answer to a mathematics question, by a published rule.

Thinking is ignored. The answer is, in this order:

1. The last explicit answer: after ``####``, after ``Answer:`` or ``Final answer:`` at the start of a line, in
   ``\boxed{}``, or after "the answer is". It is the number directly after ``####``, or else the last number on that
   line (or on the next line, if that line is empty).
2. The only bold number on the last line with numbers.
3. The last number of the reply. Brackets at the end of a sentence, and brackets with an equation, are ignored.
4. The number in words, if the reply has no digits.

There is no answer if several numbers compete (:func:`gives_several`). The reply may end in ``####`` lines that differ.
It may give alternatives ("45 or 48", "between 10 and 15") or a quantity with two units ("1 hour and 30 minutes"). It
may doubt its answer and name another number.

A number is in digits, possibly with a sign, a currency, thousands separators, a decimal point or a denominator:
``-$1,234.50``, ``3/4``, ``3½``, ``1.2 million``, in LaTeX ``1{,}000`` and ``\frac{3}{4}``. A factor does not count as
a number: ``2*sqrt(5)`` contains none. Numbers are compared by value: 1,000 equals 1000.0.
"""

import re
from collections import deque
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile

from selfknow.evaluate.readers.numbers import NUMBER, in_plain_digits, numerals, value_of
from selfknow.evaluate.readers.sentences import sentences
from selfknow.evaluate.replies import Excerpt, explicit_answers, without_thinking

_ANSWER_IS = re.compile(r"\b(?:final |correct )?answer(?: to \w+ \w+)?,? (?:is|would be)[\s:]*(?=\S)", re.IGNORECASE)
_ASIDES = re.compile(
    r"(?<=[.!?])\s*\([^()\n]*\)|"  # after a sentence: "It is 72. (48 in April + 24 in May)"
    r"\([^()\n=]*=[^()\n]*\)|"  # an equation: "(48 + 24 = 72)"
    r"\([^()\n]*\)(?=\s?[.!?]?[ \t]*(?:\n|\Z))|"  # at the end of a line: "It is 72 (48 in April)."
    r"\bnot [$€£¥]?\d[\d,]*(?:\.\d+)?",  # a number that is denied: "72, not 70"
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(  # it ends where the last number begins
    r"(?:\d(?: [a-z]+)?,? or|"  # "45 or 48"
    r"\bbetween [$€£]?[\d.,]+(?: [a-z]+)? and|"  # "between 10 and 15"
    r"(?<!from )(?<![\d.,])[$€£]?[\d.,]+ to"  # "10 to 15", but not "from 10 to 15"
    r") [$€£]?\Z",
    re.IGNORECASE,
)
_DOUBT_WORDS = re.compile(
    r"\b(?:wait|hold on|actually|might|maybe|perhaps|could be|should it|not sure|unsure|on second thoughts?)\b",
    re.IGNORECASE,
)
_BOLD = re.compile(r"\*\*([^*\n]{1,200})\*\*")
# The text around the last number that is searched for a second number.
_CHARACTERS_BEFORE_NUMBER = 40
_CHARACTERS_AFTER_NUMBER = 20
_TWO_UNITS = re.compile(
    r"\d (?:hours?|hrs?|minutes?|mins?|days?|weeks?|months?|years?|feet|foot|ft|yards?|pounds?|lbs?|dollars?|km|miles?|"
    r"kilometers?|meters?|gallons?|kilograms?|kg)(?:,| and|, and)? [0-9.]+ "
    r"(?:minutes?|mins?|seconds?|secs?|hours?|days?|weeks?|months?|inch(?:es)?|feet|ounces?|oz|cents?|meters?|cm|grams?|quarts?|pints?)\b",
    re.IGNORECASE,
)
_BEFORE_NUMBER = re.compile(r"[\s*_:=(\\{\[]*")


def number_of_reply(reply: str, prompt: str = "") -> Fraction | None:
    r"""Return the number that a reply gives as its answer; None if it gives none, or several.

    Of several ``####`` lines at the end, the last one counts; :func:`gives_several` finds those that differ.

    Args:
        reply: The model's reply.
        prompt: The rendered prompt; its end may already begin the reply's thinking.

    >>> number_of_reply("3 + 4 = 7, so Ann has 7 apples.\n#### 7")
    Fraction(7, 1)
    >>> number_of_reply("The final answer is 72. (48 in April + 24 in May)")
    Fraction(72, 1)
    """
    return _read(without_thinking(reply, prompt)).number


@dataclass(frozen=True)
class _ReadNumber:
    """The number of a reply; None with ``is_several`` if several numbers compete."""

    number: Fraction | None
    is_several: bool = False


def _read(excerpt: Excerpt) -> _ReadNumber:
    answers = [(answer.start, answer.text) for answer in explicit_answers(excerpt)]
    stated = [
        (excerpt.start + match.end(), excerpt.text[match.end() :])
        for match in [*_ANSWER_IS.finditer(excerpt.text)][-1:]
    ]
    for start, answer in sorted([*answers, *stated], reverse=True):
        line, _, rest = answer.strip().partition("\n")
        if (start, answer) in stated:
            line = next(iter(sentences(line)), "")
        is_marked = excerpt.reply[:start].rstrip().endswith("####")
        number = _number_of_line(in_plain_digits(line), prefer_start=is_marked)
        if _offers_several(in_plain_digits(line)) or (number is not None and _doubts(rest, number)):
            return _ReadNumber(None, is_several=True)
        if number is not None or is_marked:
            return _ReadNumber(_number_in_words(line) if number is None else number)
    text = in_plain_digits(excerpt.text)
    if answers:  # an explicit answer without a number is not replaced by another number of the reply
        return _ReadNumber(None)
    if _ends_in_two_units(text) or _offers_several(text):
        return _ReadNumber(None, is_several=True)
    number = _bold_number(excerpt.text)
    if number is None:  # a bold 0 is a number, too
        number = _last_stated_number(text)
    return _ReadNumber(_number_in_words(text) if number is None else number)


def gives_several(reply: str, prompt: str = "") -> bool:
    r"""Return true if several numbers of a reply compete: ``####`` lines, alternatives, or two units.

    >>> gives_several("#### 24\n#### 3"), gives_several("#### 24\nNo, wait.\n#### 3")
    (True, False)
    """
    if _read(without_thinking(reply, prompt)).is_several:
        return True
    lines = [line.strip() for line in reply.strip().splitlines() if line.strip()]
    trailing_answers = list(takewhile(lambda line: line.startswith("####"), reversed(lines)))
    return len({_number_of_line(in_plain_digits(line.strip("# ")), prefer_start=True) for line in trailing_answers}) > 1


def _offers_several(text: str) -> bool:
    """Return true if a text ends in two alternatives: "45 or 48", "between 10 and 15"."""
    last = deque(NUMBER.finditer(text), maxlen=1)
    return any(
        _ALTERNATIVE.search(text[max(0, match.start() - _CHARACTERS_BEFORE_NUMBER) : match.start()]) for match in last
    )


def _doubts(rest: str, number: Fraction) -> bool:
    """Return true if the text after an answer doubts it and names another number."""
    other = _last_number(in_plain_digits(rest))
    return other not in (None, number) and bool(_DOUBT_WORDS.search(rest))


def _bold_number(text: str) -> Fraction | None:
    """Return the only bold number on the last line with numbers."""
    line = next((line for line in reversed(text.splitlines()) if NUMBER.search(in_plain_digits(line))), "")
    numbers = [
        number for bold in _BOLD.findall(line) if (number := _last_stated_number(in_plain_digits(bold))) is not None
    ]
    return numbers[0] if len(numbers) == 1 else None


def _ends_in_two_units(text: str) -> bool:
    """Return true if a text ends in two units, neither of which is the answer alone: "1 hour and 30 minutes"."""
    last = deque(NUMBER.finditer(text), maxlen=1)
    return any(
        _TWO_UNITS.search(
            text[max(0, match.start() - _CHARACTERS_BEFORE_NUMBER) : match.end() + _CHARACTERS_AFTER_NUMBER]
        )
        for match in last
    )


def _number_in_words(text: str) -> Fraction | None:
    """Return the only number in words of a text without digits; "one" does not count, as it may be a pronoun."""
    numbers = {number for number in numerals(text) if number != 1}
    return Fraction(numbers.pop()) if len(numbers) == 1 and not NUMBER.search(text) else None


def _number_of_line(line: str, *, prefer_start: bool) -> Fraction | None:
    """Return the last number of a line; if ``prefer_start``, the number at its start comes first."""
    if prefer_start and (opening := _BEFORE_NUMBER.match(line)):
        match = NUMBER.match(line, opening.end())
        if match and (number := value_of(match)) is not None:
            return number
    return _last_stated_number(line)


def number_of_solution(solution: str) -> Fraction | None:
    """Return the number after the ``####`` of a solution in GSM8K's format; None if there is none."""
    _, marker, rest = solution.rpartition("####")
    return _number_of_line(next(iter(rest.strip().splitlines()), ""), prefer_start=True) if marker else None


def _last_stated_number(text: str) -> Fraction | None:
    """Return the last number that is not in an aside and does not follow "not"; else the last number of all."""
    number = _last_number(_ASIDES.sub("", text))
    return _last_number(text) if number is None else number


def _last_number(text: str) -> Fraction | None:
    numbers = [number for match in NUMBER.finditer(text) if (number := value_of(match)) is not None]
    return numbers[-1] if numbers else None
