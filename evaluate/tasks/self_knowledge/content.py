"""The part of a generating reply that goes into the verifying prompt, and the answer that the reply claims.

The text is a slice of the reply: without thinking, and without preamble, postscript, code fence and quotation marks
around it (:mod:`selfknow.evaluate.replies`). Of a chain-of-thought reply only what stands below its last line ``Final
text:`` is taken. Of that

- ``fact``: the name, as the sentence "NAME was born on DATE.": the first line if it has at most five words, else the
  first run of capitalised words in it that is no month and no single opening word;
- ``arxiv``: the title, after ``Title:``; the claimed answer is the one identifier in the reply;
- ``code``: the one fenced block that is no output, or everything if there is none;
- ``benchmark``: question and options; the claimed answer is the letter after ``Correct:``;
- everywhere else all of it.
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
        text: The text that is put into the prompt; null if there is none, with the ``reason``.
        claim: The answer that the reply itself claims, in the tasks where it does.
        subject: The person's name; only for ``fact``.
        reason: Why there is no text.
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
        finish_reason: ``length`` where it was cut off; the text up to there is used, except for ``cot``.
        final_text: True if the prompt asked for a line ``Final text:``.
        prompt: The rendered prompt; it may open the reply's thinking.
    """
    if not reply.strip():
        return Content(None, reason="empty")
    spoken = without_thinking(reply, prompt)
    if not spoken.text:
        return Content(None, reason="cut off" if finish_reason == "length" else "thinking only", excerpt=spoken)
    if final_text:
        ends = [match.end() for match in _FINAL_TEXT.finditer(spoken.text)]
        if not ends:
            return Content(None, reason="cut off" if finish_reason == "length" else "no final text", excerpt=spoken)
        spoken = spoken.part(ends[-1]).stripped()
    if not spoken.text:
        return Content(None, reason="empty", excerpt=spoken)
    if is_refusal(spoken.text):
        return Content(None, reason="refusal", excerpt=spoken)
    reader = _READERS.get(task, _text)
    return reader(spoken, params)


def _text(spoken: Excerpt, params: Mapping[str, Any]) -> Content:  # noqa: ARG001
    excerpt = asked_text(spoken)
    return Content(excerpt.text, excerpt=excerpt)


def _fact(spoken: Excerpt, params: Mapping[str, Any]) -> Content:
    name = find_name(asked_text(spoken))
    if name is None:
        return Content(None, reason="no name", excerpt=spoken)
    return Content(statement(name.text, params["date"]), subject=name.text, excerpt=name)


def statement(name: str, date: str) -> str:
    """Return the statement about a birth that is to be verified; the date is ISO 8601."""
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
