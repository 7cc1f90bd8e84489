"""The readers of each task's verifying replies (:mod:`selfknow.evaluate.readers`).

``number`` (a whole one), ``yes-no``, ``word``, ``arxiv-id``, ``output`` (of a program), ``letter`` (A to D), and
``color``, of the closed list of colours. What was written may leak the answer to whoever is asked about it; and scoring
keeps, beside the scores, how replies were read and which numbers nothing was read for.
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
        finish_reason: ``length`` where it was cut off, so that its end is missing.
        prompt: The rendered prompt; it may open the reply's thinking.
        noun: The thing that a number counts, as a regular expression.
        asked_value: The value that a yes-no question asked about.
    """
    of_question = {"number": partial(read_number, noun=noun), "yes-no": partial(read_verdict, asked_value=asked_value)}
    reader = of_question.get(kind, _KINDS[kind])
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
_LONGEST_THREE_WORDS = 100  # in characters
_COMMENT = re.compile(r"#(.*)$", re.MULTILINE)


def leaks_answer(task: str, text: str, *answers: str | None) -> bool | None:
    """Return true if what was written states its own answer, as a crib for whoever is asked about it (section 7.2.1).

    The rule: in a paragraph one of the answers stands at most two words before the word for what is counted ("consists
    of precisely 58 words") or after it and a colon ("Word count: 58"); in a program the answer stands in a comment; in
    a question "answer" stands before it. Another number is none: who "looked at the river three times" says nothing
    where 5 was asked for.

    Args:
        task: The task.
        text: The text that is shown to the model that is asked about it.
        answers: Such as the one that was asked for, and the true one; null ones are passed over.

    Returns:
        Null in the tasks where nothing can be leaked.

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
    """Return the last three words in front of a place, as far as they are of a common length."""
    return "".join(re.findall(r"[\w,-]+\W+", text[max(0, end - _LONGEST_THREE_WORDS) : end])[-3:])


READINGS = pa.schema(
    [
        pa.field("generation_id", pa.string(), nullable=False),
        pa.field("said", pa.string()),
        pa.field("expected", pa.string()),
        pa.field("truth", pa.string()),
        pa.field("reason", pa.string()),
    ]
)
"""A row per verifying reply: what it said, what a consistent model says, what is true; why one of them is null."""

UNREAD = pa.schema(
    [pa.field("generation_id", pa.string(), nullable=False), pa.field("metric", pa.string(), nullable=False)]
)
"""A row per number that is null because its reply could not be read, or could be read two ways: a headline counts it as
wrong. Numbers that are null for another reason (a failed request, no program that knows) are not here."""
