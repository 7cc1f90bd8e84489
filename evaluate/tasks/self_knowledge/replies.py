"""Readers of each task's verifying replies (:mod:`selfknow.evaluate.readers`), and a check for leaked answers.

The kinds of reply are ``number`` (a whole one), ``yes-no``, ``word``, ``arxiv-id``, ``output`` (of a program),
``letter`` (A to D) and ``color`` (from a closed list). Two tables keep the readings beside the scores.
"""

import re
from collections.abc import Mapping
from functools import partial

import pyarrow as pa

from selfknow.builders.self_knowledge.sources import words
from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.readers.numbers import read_number, whole_numbers
from selfknow.evaluate.readers.programs import read_output
from selfknow.evaluate.readers.reading import Reader, Reading, is_refusal, read_reply
from selfknow.evaluate.readers.verdicts import read_verdict
from selfknow.evaluate.readers.words import read_among, read_arxiv_id, read_letter, read_word


def _read_color(text: str) -> Outcome[str]:
    return read_among(words()["colors"], "colour", text)


def _read_output(text: str) -> Outcome[str]:
    return Outcome(None, "refusal") if is_refusal(text) else read_output(text)


_KINDS: Mapping[str, Reader] = {
    "number": read_number,
    "yes-no": read_verdict,
    "word": read_word,
    "arxiv-id": read_arxiv_id,
    "output": _read_output,
    "color": _read_color,
    "letter": read_letter,
}
KINDS = tuple(_KINDS)


def read(
    kind: str,
    reply: str,
    finish_reason: str | None = None,
    prompt: str = "",
    *,
    noun: str | None = None,
    asked_value: str | None = None,
) -> Reading:
    """Read a verifying reply.

    Args:
        kind: One of :data:`KINDS`.
        reply: The model's reply.
        finish_reason: ``length`` if the reply was cut off.
        prompt: The rendered prompt; its end may already begin the reply's thinking.
        noun: The thing that a number counts, as a regular expression.
        asked_value: The value in a yes-no question: "7" in "Is 7 the correct answer?".
    """
    specific = {"number": partial(read_number, noun=noun), "yes-no": partial(read_verdict, asked_value=asked_value)}
    reader = specific.get(kind, _KINDS[kind])
    return read_reply(reader, reply, finish_reason, prompt)


def parse(kind: str, reply: str, finish_reason: str | None = None) -> Outcome[str]:
    """Return the value of a verifying reply.

    Example:
        >>> parse("number", "There are 57 words.")
        Outcome(value='57', reason=None)
        >>> parse("number", "Between 50 and 60.")
        Outcome(value=None, reason='several numbers')
    """
    return read(kind, reply, finish_reason).outcome


REPLY_KINDS: Mapping[str, str] = {
    "total-count": "number",
    "designated-count": "number",
    "fact": "yes-no",
    "arxiv": "arxiv-id",
    "math": "yes-no",
    "theorem": "yes-no",
    "code": "output",
    "grammar": "number",
    "add-first-word": "word",
    "delete-first-word": "word",
    "change-word": "word",
    "specific-mention": "yes-no",
    "sentiment": "yes-no",
    "sports-statistics": "yes-no",
    "image-counting": "number",
    "image-color": "color",
    "image-position": "yes-no",
    "benchmark": "letter",
}
COUNTED: Mapping[str, str] = {
    "total-count": "words?",
    "designated-count": "(?:times|occurrences?|appearances?|instances?)",
    "grammar": "prepositions?",
    "specific-mention": "(?:different|distinct)",
    "sentiment": "positive words?",
}
"""The thing that a number counts, as a regular expression."""
_LABELLED = re.compile(
    r"\b(?:word count|number of words|words|count|total|occurrences|prepositions)[*_]*\s?[:=][*_\s]*(\d+)\b",
    re.IGNORECASE,
)
_MAX_CHARACTERS_OF_THREE_WORDS = 100
_COMMENT = re.compile(r"#(.*)$", re.MULTILINE)


def leaks_answer(task: str, text: str, *answers: str | None) -> bool | None:
    """Return true if a text states its own answer, which makes the question about it trivial (section 7.2.1).

    A paragraph leaks if the answer is at most two words before the noun that is counted ("consists of precisely 58
    words"), or follows it and a colon ("Word count: 58"). A program leaks if a comment contains the answer. A question
    leaks if the answer follows the word "answer". Other numbers do not matter: "looked at the river three times" leaks
    nothing if the answer is 5.

    Args:
        task: The task.
        text: The text as the verifying model sees it.
        answers: The answers that may leak, such as the demanded and the true one; null ones are ignored.

    Returns:
        Null if nothing can leak in the task.

    >>> leaks_answer("total-count", "This paragraph, my friends, consists of precisely 58 words.", "58")
    True
    """
    known = [answer for answer in answers if answer is not None]
    if task in COUNTED:
        ends = (match.start() for match in re.finditer(rf"\b{COUNTED[task]}\b", text, re.IGNORECASE))
        numbers = {number for end in ends for number in whole_numbers(_words_before(text, end))}
        stated = {*map(str, numbers), *_LABELLED.findall(text)}
        return not stated.isdisjoint(known)
    if task == "code" and known:
        return any(answer in comment for comment in _COMMENT.findall(text) for answer in known)
    if task in ("math", "benchmark") and known:
        return any(
            re.search(rf"\banswer\b\W+(?:\w+\W+){{0,2}}?{re.escape(answer)}(?!\w)", text, re.IGNORECASE)
            for answer in known
        )
    return None


def _words_before(text: str, end: int) -> str:
    """Return up to three words before a place, within the last 100 characters."""
    return "".join(re.findall(r"[\w,-]+\W+", text[max(0, end - _MAX_CHARACTERS_OF_THREE_WORDS) : end])[-3:])


READINGS = pa.schema(
    [
        pa.field("generation_id", pa.string(), nullable=False),
        pa.field("said", pa.string()),
        pa.field("expected", pa.string()),
        pa.field("truth", pa.string()),
        pa.field("reason", pa.string()),
    ]
)
"""A row per verifying reply: its answer, a consistent model's answer, the true answer, and why one of them is null."""

UNREAD = pa.schema(
    [pa.field("generation_id", pa.string(), nullable=False), pa.field("metric", pa.string(), nullable=False)]
)
"""A row per metric that is null because its reply could not be read, or could be read two ways.

Headlines count it as wrong. Metrics that are null for another reason, such as a failed request, have no row.
"""
