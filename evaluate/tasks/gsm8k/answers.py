r"""The number that a reply to a mathematics question gives, by a published rule, once its thinking is taken off.

1. What it gives as its answer, the last of them: after ``####``, after ``Answer:`` or ``Final answer:`` that begins a
   line, in ``\boxed{}``, after "the answer is". After ``####`` the number that stands there, else, as after the
   others, the last one on that line (the next line where nothing else stands on it).
2. Without one, the one number in bold on the last line with numbers; else the last number of the reply, what stands in
   brackets at the end of a sentence, or with an equation in them, aside; of a reply without digits the one in words.

None where several have equal right (:func:`gives_several`): different lines of ``####`` at the end, "45 or 48",
"between 10 and 15", "1 hour and 30 minutes", or a doubt after the answer that names another number.

A number is in digits, with a sign, a currency, commas before every three digits, a decimal point or a denominator if
it has them: ``-$1,234.50``, ``3/4``, ``3½``, ``1.2 million``, in LaTeX ``1{,}000`` and ``\frac{3}{4}``. Factors are
no numbers: ``2*sqrt(5)`` holds none. Two numbers are the same if they are equal: 1,000 and 1000.0, but not 25 and 5.
"""

import re
from collections import deque
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile

from selfknow.evaluate.readers.numbers import NUMBER, in_plain_digits, numerals, value_of
from selfknow.evaluate.readers.sentences import sentences
from selfknow.evaluate.replies import Excerpt, explicit_answers, without_thinking

_IS = re.compile(r"\b(?:final |correct )?answer(?: to \w+ \w+)?,? (?:is|would be)[\s:]*(?=\S)", re.IGNORECASE)
_ASIDES = re.compile(
    r"(?<=[.!?])\s*\([^()\n]*\)|\([^()\n=]*=[^()\n]*\)|"
    r"\([^()\n]*\)(?=\s?[.!?]?[ \t]*(?:\n|\Z))|\bnot [$€£¥]?\d[\d,]*(?:\.\d+)?",
    re.IGNORECASE,
)
_OFFERS = re.compile(
    r"(?:\d(?: [a-z]+)?,? or|\bbetween [$€£]?[\d.,]+(?: [a-z]+)? and|(?<!from )(?<![\d.,])[$€£]?[\d.,]+ to) [$€£]?\Z",
    re.IGNORECASE,
)
_DOUBTS = re.compile(
    r"\b(?:wait|hold on|actually|might|maybe|perhaps|could be|should it|not sure|unsure|on second thoughts?)\b",
    re.IGNORECASE,
)
_BOLD = re.compile(r"\*\*([^*\n]{1,200})\*\*")
_LONGEST_UNIT = 40  # in characters
_TWO_UNITS = re.compile(
    r"\d (?:hours?|hrs?|minutes?|mins?|days?|weeks?|months?|years?|feet|foot|ft|yards?|pounds?|lbs?|dollars?|km|miles?|"
    r"kilometers?|meters?|gallons?|kilograms?|kg)(?:,| and|, and)? [0-9.]+ "
    r"(?:minutes?|mins?|seconds?|secs?|hours?|days?|weeks?|months?|inch(?:es)?|feet|ounces?|oz|cents?|meters?|cm|grams?|quarts?|pints?)\b",
    re.IGNORECASE,
)
_STANDS_BEHIND = re.compile(r"[\s*_:=(\\{\[]*")


def number_of_reply(reply: str, prompt: str = "") -> Fraction | None:
    r"""Return the number that a reply gives; null where it gives none.

    Args:
        reply: The model's reply.
        prompt: The rendered prompt; it may open the reply's thinking.

    >>> number_of_reply("3 + 4 = 7, so Ann has 7 apples.\n#### 7")
    Fraction(7, 1)
    >>> number_of_reply("The final answer is 72. (48 in April + 24 in May)")
    Fraction(72, 1)
    """
    return _read(without_thinking(reply, prompt)).number


@dataclass(frozen=True)
class _Read:
    """The number of a reply, or null; and whether that is so because several have equal right."""

    number: Fraction | None
    is_several: bool = False


def _read(spoken: Excerpt) -> _Read:
    answers = [(answer.start, answer.text) for answer in explicit_answers(spoken)]
    stated = [(spoken.start + match.end(), spoken.text[match.end() :]) for match in [*_IS.finditer(spoken.text)][-1:]]
    for start, answer in sorted([*answers, *stated], reverse=True):
        line, _, rest = answer.strip().partition("\n")
        if (start, answer) in stated:
            line = next(iter(sentences(line)), "")
        is_marked = spoken.reply[:start].rstrip().endswith("####")
        number = _number_of_line(in_plain_digits(line), first=is_marked)
        if _offers_several(in_plain_digits(line)) or (number is not None and _doubts(rest, number)):
            return _Read(None, is_several=True)
        if number is not None or is_marked:
            return _Read(_in_words(line) if number is None else number)
    text = in_plain_digits(spoken.text)
    if answers:
        return _Read(None)
    if _ends_in_two_units(text) or _offers_several(text):
        return _Read(None, is_several=True)
    number = _bold_number(spoken.text) or _said_number(text)
    return _Read(_in_words(text) if number is None else number)


def gives_several(reply: str, prompt: str = "") -> bool:
    r"""Return true if a reply gives several numbers of equal right: ``####`` lines, alternatives, or two units.

    >>> gives_several("#### 24\n#### 3"), gives_several("#### 24\nNo, wait.\n#### 3")
    (True, False)
    """
    if _read(without_thinking(reply, prompt)).is_several:
        return True
    lines = [line.strip() for line in reply.strip().splitlines() if line.strip()]
    last = list(takewhile(lambda line: line.startswith("####"), reversed(lines)))
    return len({_number_of_line(in_plain_digits(line.strip("# ")), first=True) for line in last}) > 1


def _offers_several(text: str) -> bool:
    """Return true if the last number of a text is the second of two that it offers: "45 or 48", "between 10 and 15"."""
    last = deque(NUMBER.finditer(text), maxlen=1)
    return any(_OFFERS.search(text[max(0, match.start() - _LONGEST_UNIT) : match.start()]) for match in last)


def _doubts(rest: str, number: Fraction) -> bool:
    """Return true if what stands after an answer doubts it, and names another number."""
    other = _last_number(in_plain_digits(rest))
    return other not in (None, number) and bool(_DOUBTS.search(rest))


def _bold_number(text: str) -> Fraction | None:
    """Return the one number in bold on the last line that holds any number."""
    line = next((line for line in reversed(text.splitlines()) if NUMBER.search(in_plain_digits(line))), "")
    numbers = [number for bold in _BOLD.findall(line) if (number := _said_number(in_plain_digits(bold))) is not None]
    return numbers[0] if len(numbers) == 1 else None


def _ends_in_two_units(text: str) -> bool:
    """Return true if the last number is the second part of a quantity in two units: neither of them is the answer."""
    last = deque(NUMBER.finditer(text), maxlen=1)
    return any(_TWO_UNITS.search(text[max(0, match.start() - _LONGEST_UNIT) : match.end() + 20]) for match in last)


def _in_words(text: str) -> Fraction | None:
    """Return the one number that a text without digits names in words; "one" may be a pronoun and is none."""
    numbers = {number for number in numerals(text) if number != 1}
    return Fraction(numbers.pop()) if len(numbers) == 1 and not NUMBER.search(text) else None


def _number_of_line(line: str, *, first: bool) -> Fraction | None:
    if first and (opening := _STANDS_BEHIND.match(line)):
        match = NUMBER.match(line, opening.end())
        if match and (number := value_of(match)) is not None:
            return number
    return _said_number(line)


def number_of_solution(solution: str) -> Fraction | None:
    """Return the number after the ``####`` of a solution in GSM8K's format; null where none stands there."""
    _, marker, rest = solution.rpartition("####")
    return _number_of_line(next(iter(rest.strip().splitlines()), ""), first=True) if marker else None


def _said_number(text: str) -> Fraction | None:
    """Return the last number, leaving aside numbers in closing brackets and numbers that the text denies."""
    number = _last_number(_ASIDES.sub("", text))
    return _last_number(text) if number is None else number


def _last_number(text: str) -> Fraction | None:
    numbers = [number for match in NUMBER.finditer(text) if (number := value_of(match)) is not None]
    return numbers[-1] if numbers else None
