r"""The steps of every reader: after the thinking is removed, the possible places of an answer are tried in order.

1. The last explicit answer: after ``Answer:`` or ``####``, or in ``\boxed{}``; its first line, or else all of it.
2. If the reply corrects itself ("wait", "no, sorry"), only the text after the last correction.
3. The whole reply.

If nothing can be read, the value is null with a reason: ``empty``, ``cut off``, ``thinking only``, ``refusal``,
``no …``, ``several …`` or ``says both …``.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.replies import Excerpt, explicit_answers, without_thinking

UNFINISHED = ("empty", "cut off", "thinking only")
"""The reasons of replies that never reach their answer; such a reply is wrong if an exact answer is expected."""
Reader = Callable[[str], Outcome[str]]
"""A function that reads a value of its kind from a text."""


@dataclass(frozen=True)
class Reading:
    """The value that was read from a reply, and its place.

    Attributes:
        outcome: The value, or null with its reason.
        excerpt: The part of the reply that it was read from.
    """

    outcome: Outcome[str]
    excerpt: Excerpt


def read_reply(reader: Reader, reply: str, finish_reason: str | None = None, prompt: str = "") -> Reading:
    """Read a reply.

    Args:
        reader: The reader of the expected kind of value.
        reply: The model's reply.
        finish_reason: ``length`` if the reply was cut off.
        prompt: The rendered prompt; its end may already begin the reply's thinking.

    Example:
        >>> from selfknow.evaluate.readers.numbers import read_number
        >>> reading = read_reply(read_number, "<think>56? Or 57.</think> There are **57** words.")
        >>> reading.outcome.value, reading.excerpt.start
        ('57', 26)
    """
    excerpt = without_thinking(reply, prompt)
    if reason := _unreadable(reply, finish_reason, excerpt):
        return Reading(Outcome(None, reason), excerpt)
    corrected = after_correction(excerpt)
    answers = [answer for answer in _answers(excerpt) if corrected is None or answer.start >= corrected.start]
    for answer in answers:
        outcome = reader(answer.text)
        if outcome.value is not None:
            return Reading(outcome, answer)
    if corrected is not None:
        return Reading(_read_corrected(reader, excerpt, corrected), corrected)
    outcome = reader(excerpt.text)
    if outcome.value is None and is_refusal(excerpt.text):
        outcome = Outcome(None, "refusal")
    return Reading(outcome, excerpt)


def _read_corrected(reader: Reader, excerpt: Excerpt, corrected: Excerpt) -> Outcome[str]:
    """Return the value after the last correction; null if only the text before it has a value."""
    outcome = reader(corrected.text)
    if outcome.value is not None or reader(excerpt.text).value is None:
        return outcome
    return Outcome(None, CORRECTS_ITSELF)


def _unreadable(reply: str, finish_reason: str | None, excerpt: Excerpt) -> str | None:
    if not reply.strip():
        return "empty"
    if finish_reason == "length":
        return "cut off"
    return None if excerpt.text else "thinking only"


def _answers(excerpt: Excerpt) -> Iterator[Excerpt]:
    """Yield the possible places of the answer: of each explicit answer first its first line, then all of it."""
    for answer in explicit_answers(excerpt):
        line, _, rest = answer.text.partition("\n")
        if rest.strip() and not line.lstrip().startswith("```"):
            yield answer.part(0, len(line)).stripped()
        yield answer


_CORRECTION = re.compile(
    r"(?:^|[.!?…,;:(—–-]\s{0,3}|\n\s{0,3})(?:wait|hold on)\b(?=\s*(?:[,.…!:—–-]|no\b|let me\b|actually\b|i\b))|"
    r"\b(?:scratch that\b|on second thoughts?\b|"
    r"(?:no|oh),? (?:sorry|wait)\b|sorry,? (?:i mean\w*|it['’]s|it is|that['’]s)\b|i (?:mean|meant)\b,? (?=\W*\w+\W*$)|"
    r"correction\b(?=\s*:)|actually,? (?:no|wait|sorry|scratch that|let me)\b|"
    r"let me (?:re-?(?:check|count|calculate|compute|consider|think|verify|do)|correct (?:that|myself|it)))|"
    r"(?:…|\.{3}|\s[-–—]|—)\s*no\b(?=\s*[,:])",
    re.IGNORECASE,
)
CORRECTS_ITSELF = "corrects itself, and gives nothing after it"


def after_correction(excerpt: Excerpt) -> Excerpt | None:
    """Return the text after the last correction in a reply; None if it has none.

    Example:
        >>> text = "The word is “softly” – no, sorry, it is “gently”."
        >>> after_correction(Excerpt(text, 0, len(text))).text
        '“gently”.'
    """
    corrections = deque(_CORRECTION.finditer(excerpt.text), maxlen=1)
    return excerpt.part(corrections[0].end()).stripped().stripped(" ,:;!…–—") if corrections else None


_REFUSAL = re.compile(
    r"^\W*(?:i['’]m sorry|i am sorry|sorry,|i apologi[sz]e|i can(?:no|['’])t|i['’]m (?:not able|unable)|"
    r"i am (?:not able|unable)|unfortunately, i|as an ai)\b",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    """Return true if a text begins like a refusal ("I'm sorry", "I cannot", "As an AI", …)."""
    return bool(_REFUSAL.search(text))
