"""Graders of short answers: whole words, exact match, F1, and the substring of Yin et al.

The normalisation of exact match and F1 is SQuAD's (Rajpurkar et al., 2016): lower case, no ASCII punctuation, no
articles, single spaces. Of several aliases, the best one counts.

The accuracy of Yin et al. (section 4.3) is 1 if an alias is anywhere in the reply, as a substring. So "Yes, it has been
known for centuries." is right if the answer is "no". This metric is ``substring_match``. The main metric is
``whole_word_match``: the reply has all words of an alias in a row. Numbers are compared by value, and yes and no count
only as the reply's verdict.
"""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Sequence

from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.readers.numbers import with_digits
from selfknow.evaluate.readers.reading import read_reply
from selfknow.evaluate.readers.verdicts import read_verdict
from selfknow.evaluate.replies import plain, without_thinking

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_WORD = re.compile(r"(?<!\w)[-−]?\d++(?:,\d{3})*+(?:\.\d++)?+(?![\w.,]{0,60}\d)|[\w']+")
_INITIALS = re.compile(r"(?<![\w'.])(?:[a-z]\.\s?){2,9}(?!\w)|(?<![\w'.])(?:[a-z]\.\s?){1,9}[a-z](?![\w'])")
_ORDINAL = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b(?=(?: of)? [a-z])")
_MONTH_FIRST = re.compile(
    r"\b(january|february|march|april|may|june|july|august|september|october|november|december) (\d{1,2})\b(?!,?\d)"
)


def normalize_answer(text: str) -> str:
    """Return a text in the form that exact match compares.

    >>> normalize_answer("The  Beatles!")
    'beatles'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(reply: str, answers: Sequence[str]) -> float:
    """Return 1 if the whole reply is one of the answers, else 0.

    >>> exact_match("The answer: 25", ["5"]), exact_match("5.", ["5"])
    (0.0, 1.0)
    """
    return float(normalize_answer(reply) in {normalize_answer(answer) for answer in answers})


def f1(reply: str, answers: Sequence[str]) -> float:
    """Return the F1 of the reply's words and those of the closest answer, from 0 to 1.

    >>> f1("in December 1972", ["14 December 1972 UTC", "1973"])
    0.5714285714285714
    """
    words = normalize_answer(reply).split()
    return max((_overlap(words, normalize_answer(answer).split()) for answer in answers), default=0.0)


def substring_match(reply: str, answers: Sequence[str]) -> float:
    """Return 1 if the reply contains an answer as a substring, ignoring case, else 0: the accuracy of Yin et al."""
    return float(any(answer.lower() in reply.lower() for answer in answers))


def whole_word_match(reply: str, answers: Sequence[str]) -> Outcome[float]:
    """Return 1 if the reply contains an answer as whole words, else 0.

    Numbers are compared by value ("1,000" is 1000, "six" is 6, and 25 is not 5). If every answer is yes or no, the
    reply's verdict decides; the value is null, with a reason, if the reply says neither or both.

    Example:
        >>> whole_word_match("Yes, and it has been known for centuries.", ["no"]).value
        0.0
        >>> whole_word_match("It is in Rome, of course.", ["rome"]).value
        1.0
    """
    if is_verdict(answers):
        expected = {normalize_answer(answer) for answer in answers}
        verdict = read_reply(read_verdict, reply).outcome
        return Outcome(None if verdict.value is None else float(verdict.value in expected), verdict.reason)
    text = _words(without_thinking(reply).text)
    return Outcome(float(any(_contains_in_a_row(_words(answer), text) for answer in answers)))


def is_verdict(answers: Sequence[str]) -> bool:
    """Return true if every answer is yes or no."""
    return bool(answers) and all(normalize_answer(answer) in ("yes", "no") for answer in answers)


def _words(text: str) -> list[str]:
    """Return the normalized words of a text: in lower case, without accents and articles, numbers in digits."""
    folded = unicodedata.normalize("NFKD", plain(text).replace("&", " and ").replace("%", " percent "))
    folded = "".join(item for item in folded if not unicodedata.combining(item)).casefold().replace("’", "'")
    folded = _INITIALS.sub(lambda match: re.sub(r"[\s.]", "", match[0]) + " ", _ORDINAL.sub(r"\1", folded))
    folded = _MONTH_FIRST.sub(r"\2 \1", with_digits(folded))
    return [_as_number(word) for word in _WORD.findall(folded) if word not in ("a", "an", "the")]


def _as_number(word: str) -> str:
    digits = word.replace(",", "").replace("−", "-")
    if re.fullmatch(r"-?\d{1,30}(?:\.\d{1,30})?", digits):
        return digits.rstrip("0").rstrip(".") if "." in digits else str(int(digits))
    return word.removesuffix("'s")


def _contains_in_a_row(answer: list[str], text: list[str]) -> bool:
    """Return true if a text contains the words of an answer in a row."""
    if not answer:
        return False
    return f"\0{chr(0).join(answer)}\0" in f"\0{chr(0).join(text)}\0"


def _overlap(words: list[str], expected: list[str]) -> float:
    if not words or not expected:
        return float(words == expected)
    shared = sum((Counter(words) & Counter(expected)).values())
    return 2 * shared / (len(words) + len(expected))
