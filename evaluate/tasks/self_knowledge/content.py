"""The part of a generating reply that the verifying prompt asks about, and the answer that the reply claims.

The text is a slice of the reply: without thinking, preamble, postscript, code fence and quotation marks
(:mod:`selfknow.evaluate.replies`). In a chain-of-thought reply it begins after the last line ``Final text:``. Some
tasks use only a part of that:

- ``fact``: the name, put into the sentence "NAME was born on DATE.". The name is the first line if that has at most
  five words, else the first capitalised words in it that are no month and not just the line's opening word.
- ``arxiv``: the title, after ``Title:``. The claimed answer is the one identifier in the reply.
- ``code``: the one fenced block that is not output, or the whole text if there is no such block.
- ``benchmark``: question and options. The claimed answer is the letter after ``Correct:``.
"""

import datetime
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from selfknow.builders.self_knowledge.tasks import spell_date
from selfknow.evaluate.readers.programs import read_program
from selfknow.evaluate.readers.reading import is_refusal
from selfknow.evaluate.readers.words import find_name, only, read_arxiv_id
from selfknow.evaluate.replies import Excerpt, asked_text, plain, unquoted, without_thinking

_FINAL_TEXT = re.compile(r"^[ \t*_#>-]*final text[*_]*:?[*_]*", re.IGNORECASE | re.MULTILINE)
_TITLE = re.compile(r"^[ \t*_#>-]*title[*_]*:[*_]*[ \t]*(\S[^\n]*)$", re.IGNORECASE | re.MULTILINE)
_CORRECT = re.compile(
    r"^[ \t*_#>-]*(?:correct(?: answer| option)?|answer)[*_]*:[*_]*\s*\(?([A-D])\b[^\n]*$", re.IGNORECASE | re.MULTILINE
)
_OPTION = re.compile(r"^[^\w\n]*([A-D])[).:]", re.MULTILINE)


@dataclass(frozen=True)
class Content:
    """The part of a reply that the verifying prompt asks about.

    Attributes:
        text: The text for the prompt; null if there is none, with the ``reason``.
        claim: The answer that the reply itself claims; only for ``arxiv`` and ``benchmark``.
        subject: The person's name; only for ``fact``.
        reason: The reason that there is no text, such as ``refusal``.
        excerpt: The part of the reply that the text was taken from.
    """

    text: str | None
    claim: str | None = None
    subject: str | None = None
    reason: str | None = None
    excerpt: Excerpt | None = None


def content_of(
    task: str,
    params: Mapping[str, Any],
    reply: str,
    finish_reason: str | None = None,
    *,
    final_text: bool = False,
    prompt: str = "",
) -> Content:
    """Return the content of a reply to the generating prompt.

    Args:
        task: The task.
        params: The example's parameters.
        reply: The model's reply.
        finish_reason: ``length`` if the reply was cut off. Its text is used, unless ``Final text:`` is missing.
        final_text: True if the prompt demands a line ``Final text:``.
        prompt: The rendered prompt; its end may already begin the reply's thinking.
    """
    if not reply.strip():
        return Content(None, reason="empty")
    excerpt = without_thinking(reply, prompt)
    if not excerpt.text:
        return Content(None, reason="cut off" if finish_reason == "length" else "thinking only", excerpt=excerpt)
    if final_text:
        ends = [match.end() for match in _FINAL_TEXT.finditer(excerpt.text)]
        if not ends:
            return Content(None, reason="cut off" if finish_reason == "length" else "no final text", excerpt=excerpt)
        excerpt = excerpt.part(ends[-1]).stripped()
    if not excerpt.text:
        return Content(None, reason="empty", excerpt=excerpt)
    if is_refusal(excerpt.text):
        return Content(None, reason="refusal", excerpt=excerpt)
    reader = _READERS.get(task, _text)
    return reader(excerpt, params)


def _text(spoken: Excerpt, params: Mapping[str, Any]) -> Content:  # noqa: ARG001
    excerpt = asked_text(spoken)
    return Content(excerpt.text, excerpt=excerpt)


def _fact(spoken: Excerpt, params: Mapping[str, Any]) -> Content:
    name = find_name(asked_text(spoken))
    if name is None:
        return Content(None, reason="no name", excerpt=spoken)
    return Content(statement(name.text, params["date"]), subject=name.text, excerpt=name)


def statement(name: str, date: str) -> str:
    """Return the statement to verify, such as "Ada Lovelace was born on 10 December 1815."; the date is ISO 8601."""
    return f"{name} was born on {spell_date(datetime.date.fromisoformat(date))}."


def _arxiv(spoken: Excerpt, params: Mapping[str, Any]) -> Content:  # noqa: ARG001
    titles = [unquoted(spoken.part(*match.span(1)).stripped("\"“”*_' \t")) for match in _TITLE.finditer(spoken.text)]
    title = only("title", (plain(title.text) for title in titles))
    claim = read_arxiv_id(spoken.text)
    return Content(title.value, claim.value, reason=title.reason, excerpt=titles[0] if titles else spoken)


def _code(spoken: Excerpt, params: Mapping[str, Any]) -> Content:  # noqa: ARG001
    program, reason = read_program(spoken)
    return Content(None, reason=reason, excerpt=spoken) if program is None else Content(program.text, excerpt=program)


def _benchmark(spoken: Excerpt, params: Mapping[str, Any]) -> Content:  # noqa: ARG001
    excerpt = asked_text(spoken)
    lines = list(_CORRECT.finditer(spoken.text))
    letters = only("letter after Correct:", (match[1].upper() for match in lines))
    place = spoken.start + lines[0].start() if lines else excerpt.end
    if excerpt.start < place < excerpt.end:
        excerpt = excerpt.part(0, place - excerpt.start).stripped()
    content = Content(excerpt.text, letters.value, excerpt=excerpt)
    options = _OPTION.findall(excerpt.text)
    return content if options == list("ABCD") else replace(content, text=None, reason="no four options A) to D)")


_READERS: Mapping[str, Callable[[Excerpt, Mapping[str, Any]], Content]] = {
    "fact": _fact,
    "arxiv": _arxiv,
    "code": _code,
    "benchmark": _benchmark,
}
