"""How verifying replies are read: by the readers of all tasks (:mod:`selfknow.evaluate.readers`), one a kind.

``number`` (a whole one), ``yes-no``, ``word``, ``arxiv-id``, ``output`` (of a program), ``letter`` (A to D), and
``color``, of the closed list of colours.
"""

from collections.abc import Mapping
from functools import partial

from selfknow.builders.self_knowledge.sources import words
from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.readers.numbers import read_number
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
    asked: str | None = None,
) -> Reading:
    """Read a verifying reply.

    Args:
        kind: One of :data:`KINDS`.
        reply: What the model said.
        finish_reason: ``length`` where it was cut off, so that its end is missing.
        prompt: As rendered; it may open the reply's thinking.
        noun: Of a number what is counted, as a regular expression.
        asked: Of yes or no the answer that the question was about.
    """
    of_question = {"number": partial(read_number, noun=noun), "yes-no": partial(read_verdict, asked=asked)}
    reader = of_question.get(kind, _KINDS[kind])
    return read_reply(reader, reply, finish_reason, prompt)


def parse(kind: str, reply: str, finish_reason: str | None = None) -> Outcome[str]:
    """The value of a verifying reply.

    Example:
        >>> parse("number", "There are 57 words.")
        Outcome(value='57', reason=None)
        >>> parse("number", "Between 50 and 60.")
        Outcome(value=None, reason='several numbers')
    """
    return read(kind, reply, finish_reason).outcome
