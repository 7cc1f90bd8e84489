r"""The steps of every reader: thinking is taken off, then the places of an answer are tried in order.

1. What the reply gives as its answer, the last of it: after ``Answer:`` or ``####``, in ``\boxed{}``; the line there,
   else all that follows.
2. Of a reply that corrects itself ("wait", "no, sorry") what stands after the last correction, and nothing else.
3. Everything that is left, by the reader of its kind: a reply that is nothing but the value, else its conclusion.

What does not parse is null, with a reason: ``empty``, ``cut off``, ``thinking only``, ``refusal``, ``no …``,
``several …``, ``says both …``.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.replies import Excerpt, explicit_answers, without_thinking

UNFINISHED = ("empty", "cut off", "thinking only")
"""Reasons of a reply that never came to its answer: where an exact one is asked for, it is wrong."""
Reader = Callable[[str], Outcome[str]]


@dataclass(frozen=True)
class Reading:
    """The value that was read from a reply, and its place.

    Attributes:
        outcome: The value, or null with its reason.
        excerpt: The part that it was read from.
    """

    outcome: Outcome[str]
    excerpt: Excerpt


def read_reply(reader: Reader, reply: str, finish_reason: str | None = None, prompt: str = "") -> Reading:
    """Read a reply.

    Args:
        reader: Reads a value of its kind from a text.
        reply: The model's reply.
        finish_reason: ``length`` where it was cut off, so that its end is missing.
        prompt: The rendered prompt; it may open the reply's thinking.

    Example:
        >>> from selfknow.evaluate.readers.numbers import read_number
        >>> reading = read_reply(read_number, "<think>56? Or 57.</think> There are **57** words.")
        >>> reading.outcome.value, reading.excerpt.start
        ('57', 26)
    """
    spoken = without_thinking(reply, prompt)
    if reason := _unreadable(reply, finish_reason, spoken):
        return Reading(Outcome(None, reason), spoken)
    corrected = behind_correction(spoken)
    answers = [part for part in _answers(spoken) if corrected is None or part.start >= corrected.start]
    for part in answers:
        outcome = reader(part.text)
        if outcome.value is not None:
            return Reading(outcome, part)
    if corrected is not None:
        return Reading(_read_corrected(reader, spoken, corrected), corrected)
    outcome = reader(spoken.text)
    if outcome.value is None and is_refusal(spoken.text):
        outcome = Outcome(None, "refusal")
    return Reading(outcome, spoken)


def _read_corrected(reader: Reader, spoken: Excerpt, corrected: Excerpt) -> Outcome[str]:
    """Return the text after the last correction; nothing where only what was taken back can be read."""
    outcome = reader(corrected.text)
    if outcome.value is not None or reader(spoken.text).value is None:
        return outcome
    return Outcome(None, CORRECTS_ITSELF)


def _unreadable(reply: str, finish_reason: str | None, spoken: Excerpt) -> str | None:
    if not reply.strip():
        return "empty"
    if finish_reason == "length":
        return "cut off"
    return None if spoken.text else "thinking only"


def _answers(spoken: Excerpt) -> Iterator[Excerpt]:
    """Yield where the answer may stand: of every explicit one its first line, then all of it."""
    for answer in explicit_answers(spoken):
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


def behind_correction(spoken: Excerpt) -> Excerpt | None:
    """Return the text after the last correction in a reply; null if it has none.

    Example:
        >>> text = "The word is “softly” – no, sorry, it is “gently”."
        >>> behind_correction(Excerpt(text, 0, len(text))).text
        'it is “gently”.'
    """
    corrections = deque(_CORRECTION.finditer(spoken.text), maxlen=1)
    return spoken.part(corrections[0].end()).stripped().stripped(" ,:;!…–—") if corrections else None


_REFUSAL = re.compile(
    r"^\W*(?:i['’]m sorry|i am sorry|sorry,|i apologi[sz]e|i can(?:no|['’])t|i['’]m (?:not able|unable)|"
    r"i am (?:not able|unable)|unfortunately, i|as an ai)\b",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    """Return true if a text opens like a refusal ("I'm sorry", "I cannot", "As an AI", …)."""
    return bool(_REFUSAL.search(text))
