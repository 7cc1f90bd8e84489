"""The answer in a short reply, found less strictly than by the authors' exact match.

The authors compare the text before the first ``;``. But chat models repeat the format, label its parts, use Markdown or
omit the semicolon: ``Answer: Paris`` and, below it, ``Explanation: …``. Here the answer is the part that a person would
call the answer. It is correct if it contains a reference as whole words.
"""

import re
from collections.abc import Sequence

from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.replies import Excerpt, plain, without_preamble, without_thinking
from selfknow.evaluate.tasks.short_answers import is_verdict, whole_word_match

_FORMAT = re.compile(r"^[^\w\n]{0,9}answer[^\w\n;]{0,9};[^\w\n]{0,9}explanation[^\w\n]*$", re.IGNORECASE | re.MULTILINE)
_LABEL = re.compile(
    r"^[ \t]*(?:(?:[-•]|\d{1,2}[.)])[ \t]*)?"
    r"(?:(?:(?:the|your|my|short|final|correct) ){0,2}answer(?:\s*[:=]|[ \t]*$)|a:)\s*",
    re.IGNORECASE | re.MULTILINE,
)
_EXPLANATION_LABEL = re.compile(r"\bexplanation\b[ \t]*(?::|$)", re.IGNORECASE | re.MULTILINE)
_DASH = re.compile(r"\s[-–—]\s|\s?—\s?")
_CORRECTION = re.compile(
    r"(?:…|\.{3}|[-–—,;.])\s*(?:(?:no|wait|sorry|oops|hmm|actually|correction|rather|scratch that),?\s+){1,3}"
    r"(?:(?:sorry|wait|no|i mean|i meant|let me correct (?:that|myself)|it['’]s|it is|it was)[,:]?\s+){0,3}",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    r"\b(?:not|isn['’]t|wasn['’]t|aren['’]t|weren['’]t|rather than|instead of|other than|unlike|except)\s+"
    r"(?:(?:in|on|at|by|from|to|the|an?)\s+)?(?P<denied>[^,.;:]+)",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:or|either|neither|nor|although|though|but|however|while|whereas|despite|not|cannot|some say|others say|"
    r"perhaps|unless|depends|depending)\b|n['’]t\b",
    re.IGNORECASE,
)
AMBIGUOUS = "can be read two ways"


def answer_part(reply: str) -> str:
    r"""Return the answer in a short reply, without Markdown and labels.

    Example:
        >>> answer_part("Answer; Explanation\nParis; It is the capital of France.")
        'Paris'
        >>> answer_part("**Answer:** Paris\n\n**Explanation:** It is the capital of France.")
        'Paris'
    """
    excerpt = without_thinking(reply)
    text = _FORMAT.sub("", plain(_without_introduction(excerpt).text)).strip()
    if label := _LABEL.search(text):
        text = text[label.end() :]
    text = _EXPLANATION_LABEL.split(text, maxsplit=1)[0].strip(" \t\n([-").partition("\n")[0]
    text = re.sub(r"^(?:[-•]|\d{1,2}[.)])\s+", "", text)
    return text.partition(";")[0].strip()


def _without_introduction(excerpt: Excerpt) -> Excerpt:
    """Return a reply without "Sure! Here is …:"; the whole reply if that would remove its only semicolon."""
    shorter = without_preamble(excerpt)
    return shorter if ";" in shorter.text or ";" not in excerpt.text else excerpt


def answer_match(reply: str, references: Sequence[str]) -> Outcome[float]:
    """Return 1 if the answer in a short reply contains a reference as whole words, else 0.

    A reference that the answer denies ("not Tokyo") does not count. If the reply corrects itself, its last answer
    counts. The value is null if the answer offers alternatives or hedges.

    Example:
        >>> answer_match("Harper Lee (1926-2016); She wrote it in 1960.", ["Harper Lee"]).value
        1.0
        >>> answer_match("Lyon; It is the largest city after Paris.", ["Paris"]).value
        0.0
        >>> answer_match("Tokyo or Kyoto; It depends.", ["Tokyo"])
        Outcome(value=None, reason='can be read two ways')
    """
    answer = answer_part(reply)
    if is_verdict(references):
        return whole_word_match(answer, references)
    answer = _CORRECTION.split(answer)[-1]
    answer = _DASH.split(answer, maxsplit=1)[0]  # "K2 - the highest after Mount Everest"
    statement = _DENIAL.sub(" ", answer)
    matches = whole_word_match(statement, references)
    if matches.value and _HEDGE.search(_without_references(references, statement)):
        return Outcome(None, AMBIGUOUS)
    return matches


def _without_references(references: Sequence[str], text: str) -> str:
    """Return a text without the references: an "or" inside a reference is no hedge."""
    for reference in sorted(references, key=len, reverse=True):
        text = re.sub(re.escape(reference), " ", text, flags=re.IGNORECASE)
    return text
