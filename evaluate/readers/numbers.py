"""Numbers in a text, and the whole number that a reply gives as its answer.

The answer is, in this order:

1. The only number in digits or words, apart from brackets and quotations; the same number may occur repeatedly.
2. The only number of the concluding sentence ("So there are 56."), or of a concluding clause.
3. The only number before the counted noun ("56 words"), if no other number is larger (those may be parts of it) and
   there is no range ("50 to 60 words").

"Once" and "twice" are 1 and 2, and "does not appear" is 0. A pronoun ("the closest one") is no number.
"""

import re
import unicodedata
from collections.abc import Iterable
from fractions import Fraction
from functools import cache

from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.readers.sentences import concludes, sentences, without_asides, without_quotations
from selfknow.evaluate.replies import plain

_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_MAX_DIGITS = 100
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
    """Return the whole numbers that a text names in digits or, if there are none, in words.

    Decimals, fractions, ranges, negative numbers, ordinals and numbers of more than 100 digits do not count.

    Args:
        text: The text.
        words_too: True to look for numbers in words if there are none in digits.

    >>> whole_numbers("1,024 words, 3.5 pages, the 2nd of 7/8")
    [1024]
    >>> whole_numbers("Twenty-five words.")
    [25]
    """
    digits = [int(match.replace(",", "")) for match in _DIGITS.findall(text) if len(match) <= _MAX_DIGITS]
    return digits or (numerals(text) if words_too else [])


def numerals(text: str) -> list[int]:
    """Return the numbers that a text names in words."""
    plain = re.sub(r"[\s-]+", " ", text.casefold())
    return [_values()[match] for match in _NUMERAL.findall(plain)]


def with_digits(text: str) -> str:
    """Return a text in lower case with digits for the numbers that it names in words.

    >>> with_digits("Forty-two and three")
    '42 and 3'
    """
    apart = re.sub(r"(?<=ty)-(?=[a-z])", " ", text.casefold())
    return _NUMERAL.sub(lambda match: str(_values()[match[0]]), apart)


NUMBER = re.compile(
    r"(?<![a-z]\()(?P<sign>(?<![\w)\]])[-−–])?(?:[$€£¥](?P<minus>[-−–])?)?"
    r"(?P<number>(?>(?>[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+))"
    r"(?>\s?/\s?(?P<denominator>[0-9]+))?"
    r"(?!\s*[*^/×·]\s*[\w(√]|\s*(?:\\?sqrt|\\?pi\b|√|π))"
)
"""A number in digits, with groups for :func:`value_of`. Factors do not match: ``2*sqrt(5)`` contains no number."""
_NARROW_SPACE = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")
_VULGAR = re.compile(r"(\d{0,9})\s?([½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])")
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_SCALED = re.compile(
    r"(?<![\d.,/])(?P<number>\d{1,12}(?:,\d{3}){0,4}(?:\.\d{1,9})?) (?P<scale>thousand|million|billion)\b",
    re.IGNORECASE,
)


def in_plain_digits(text: str) -> str:
    """Return a text without Markdown and LaTeX, its numbers in digits: "3½", "57 500" and "1.2 million" as well."""
    text = _NARROW_SPACE.sub("", plain(text))
    text = _VULGAR.sub(lambda match: _plain_fraction(*match.groups()), text)
    return _SCALED.sub(lambda match: str(_scaled(match["number"], match["scale"])), text)


def _plain_fraction(whole: str, part: str) -> str:
    value = int(whole or 0) + Fraction(unicodedata.numeric(part)).limit_denominator(10)
    return f"{value.numerator}/{value.denominator}"


def _scaled(number: str, scale: str) -> str:
    value = as_fraction(number) * _SCALES[scale.casefold()]
    return str(value.numerator) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def as_fraction(digits: str) -> Fraction:
    """Return a number in digits, which may have commas, a sign, a decimal point or a denominator.

    Raises:
        ValueError: It is not a number, or has thousands of digits.
        ZeroDivisionError: Its denominator is 0.

    >>> as_fraction("−1,000.5"), as_fraction("3/4")
    (Fraction(-2001, 2), Fraction(3, 4))
    """
    return Fraction(digits.replace(",", "").replace("−", "-"))


def value_of(match: re.Match[str]) -> Fraction | None:
    """Return the value of a match of :data:`NUMBER`; None if it has thousands of digits, or a denominator of 0.

    >>> value_of(NUMBER.search("It costs -$1,234.50."))
    Fraction(-2469, 2)
    """
    try:
        value = as_fraction(match["number"]) / as_fraction(match["denominator"] or "1")
    except (ValueError, ZeroDivisionError):
        return None
    return -value if match["sign"] or match["minus"] else value


_LIST_NUMBER = re.compile(r"^[ \t]*\d{1,3}[.)]\s+(?=\S)", re.MULTILINE)
_EQUATION = re.compile(r"\d[\d\s+*/×x(),.−-]{0,200}=\s*(?=\d)")
_OTHER_COUNTS = re.compile(
    r"\b\d[\d,]* (?:letters?|characters?|sentences?|digits?|lines?|syllables?|paragraphs?|degrees?)\b", re.IGNORECASE
)
_TIMES = {"once": 1, "twice": 2, "thrice": 3}
_ADVERB = re.compile(r"\b(?<!at )(?<!than )(?<!least )(once|twice|thrice)\b(?! (?:upon|again|more))", re.IGNORECASE)
_NONE = re.compile(
    r"\b(?:does|do|did|is|are)(?: not|n['’]t) (?:\w+ )?"
    r"(?:appear|occur|contain|used|found|present|mentioned|have|any)\b|"
    r"\bnever (?:appears?|occurs?|used)\b|\bnone\b|"
    r"\b(?:there (?:is|are)|has|have|contains?|shows?|sees?|names?|mentions?|uses?) no\b|"
    r"\bno (?:occurrences?|instances?|words?|prepositions?|times?)\b|\bnot (?:appear|occur|present|used|found|once)\b|"
    r"\bno such word\b",
    re.IGNORECASE,
)
_AMOUNT = rf"(?:\d[\d,]*|{_any_of(_SMALL[1:13])})"
_RANGE = re.compile(rf"\b{_AMOUNT}\s*(?:\bto\b|\bor\b|[-–—])\s*{_AMOUNT}\b|\bbetween {_AMOUNT}\b", re.IGNORECASE)
_SO = re.compile(r"[,;] (?:and )?(?:so|thus|therefore|hence)\b", re.IGNORECASE)
_PRONOUN = re.compile(
    r"\b(?!(?:is|are|has|have|exactly|only|just|of|and|total|appears|occurs|contains|with|hundred|answer)\b)[a-z]+\W+one\b"
    r"(?! (?:time|word|occurrence|instance|preposition|hundred))",
    re.IGNORECASE,
)


def read_number(text: str, noun: str | None = None) -> Outcome[str]:
    """Return the whole number that a text gives as its answer, by the rule above.

    Args:
        text: The text to read.
        noun: The counted noun as a regular expression, such as ``words?``.

    Example:
        >>> read_number("It appears four times (once in each of the first 2 sentences).")
        Outcome(value='4', reason=None)
        >>> read_number("I count 3 sentences and 56 words.", "words?")
        Outcome(value='56', reason=None)
        >>> read_number("Between 50 and 60.")
        Outcome(value=None, reason='several numbers')
    """
    bare = _EQUATION.sub("", _LIST_NUMBER.sub("", without_quotations(plain(text))))
    if noun:
        bare = _OTHER_COUNTS.sub(" ", bare)
    statement = without_asides(bare)
    numbers = _numbers(statement) or _numbers(bare)
    if len(set(numbers)) == 1:
        return Outcome(str(numbers[0]))
    if not numbers:
        return Outcome(None, "no number")
    ends = [sentence for sentence in sentences(statement) if concludes(sentence) and _numbers(sentence)]
    if ends and ends[-1] == next(sentence for sentence in reversed(sentences(statement)) if _numbers(sentence)):
        concluded = set(_numbers(ends[-1]))
        if len(concluded) == 1:
            return Outcome(str(concluded.pop()))
    clause = _SO.split(next(sentence for sentence in reversed(sentences(statement)) if _numbers(sentence)))
    if len(clause) > 1 and len(set(_numbers(clause[-1]))) == 1:
        return Outcome(str(_numbers(clause[-1])[0]))
    counted = set(_counted(statement, noun)) if noun and not _RANGE.search(statement) else set()
    if len(counted) == 1 and counted == {max(numbers)}:
        return Outcome(str(counted.pop()))
    return Outcome(None, "several numbers")


def _numbers(text: str) -> list[int]:
    """Return all numbers in digits, words and adverbs; ``[0]`` if the text only says that there is nothing."""
    digits, words = whole_numbers(text, words_too=False), numerals(_PRONOUN.sub(" ", text))
    numbers = [*digits, *(number for number in words if number != 1 or not digits)]  # "There is one answer: 56"
    adverbs = [_TIMES[word.lower()] for word in _ADVERB.findall(text)]
    if adverbs and not numbers:
        # "once in the first sentence and once in the last": the sum is a candidate, too
        return adverbs if len(adverbs) == 1 else [*adverbs, sum(adverbs)]
    return numbers or ([0] if _NONE.search(text) else [])


def _counted(text: str, noun: str) -> list[int]:
    """Return the numbers before the counted noun, with at most one word between."""
    matches = re.finditer(rf"(?P<number>\d[\d,]*)\W{{1,3}}(?:[a-z-]+ )?{noun}\b", text, re.IGNORECASE)
    return [number for match in matches for number in whole_numbers(match["number"], words_too=False)]
