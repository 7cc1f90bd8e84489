"""Removal of thinking and of chat templates' marks from replies."""

import re
from collections.abc import Iterator

from selfknow.evaluate.replies.excerpt import Excerpt

_NAMES = r"(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis|seed:think|antml:thinking)"
_MARKS = re.compile(
    rf"(?P<opens><{_NAMES}>|\[THINK\]|◁think▷|<\|(?:begin_of_thought|START_THINKING|think)\|>|<\|channel>thought|"
    r"<\|channel\|>\s*(?:analysis|commentary))|"
    rf"(?P<closes></{_NAMES}>|\[/THINK\]|◁/think▷|<\|(?:end_of_thought|END_THINKING|/think)\|>|<channel\|>|"
    r"<\|channel\|>\s*final[^<\n]{0,40}<\|message\|>)",
    re.IGNORECASE,
)
_OPENED = re.compile(
    rf"(?:<{_NAMES}>|\[THINK\]|◁think▷|<\|(?:begin_of_thought|START_THINKING|think)\|>)\s*\Z", re.IGNORECASE
)
_HARMONY_IN_WORDS = re.compile(r"assistant\s?final(?=\S)")  # gpt-oss where its special tokens were dropped
_FRONT = re.compile(
    r"(?:\s*(?:<\|(?:im_start|start|start_header_id|START_RESPONSE|begin_of_solution|message)\|>|<bos>|<s>|"
    r"<start_of_turn>model\n|assistant(?:<\|[a-z_]{1,20}\|>)?\n))*\s*",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"<\|(?:im_end|end|return|eot_id|eot|eom_id|endoftext|end_of_text|END_RESPONSE|end_of_solution|call)\|>|"
    r"</s>|<end_of_turn>|<eos>",
    re.IGNORECASE,
)


def without_thinking(reply: str, prompt: str = "") -> Excerpt:
    """Return a reply without its thinking, closed or not, and without the marks of chat templates.

    Some templates open the thinking in the prompt. The result is the text after the last thinking or, if nothing
    follows it, the last text before it. If the reply only thinks, the result is empty.

    Args:
        reply: The raw reply.
        prompt: The rendered prompt; if it ends in an opening mark, the reply begins with thinking.

    Example:
        >>> without_thinking("<think>Is 7 right? No, wait…</think> Yes").text
        'Yes'
        >>> without_thinking("<think>Let me count: 1, 2, 3").text
        ''
    """
    stretches = [(start, end) for start, end in _outside(reply, prompt) if reply[start:end].strip()]
    start, end = stretches[-1] if stretches else (len(reply), len(reply))
    if start == 0 and reply.startswith("analysis") and (ends := list(_HARMONY_IN_WORDS.finditer(reply, start, end))):
        start = ends[-1].end()
    if start == 0 and end == len(reply) and "<" not in reply:
        return Excerpt(reply, 0, len(reply))
    front = _FRONT.match(reply, start, end)
    start = front.end() if front else start
    back = _BACK.search(reply, start, end)
    return Excerpt(reply, start, back.start() if back else end).stripped()


THINKING_OFF = "thinking taken off"
"""The reason of a score whose reply had thinking, which was removed before scoring."""


def measured_text(reply: str, prompt: str = "") -> Excerpt:
    r"""Return the part of a raw text to score: without its thinking, or the unchanged text if there is none.

    Example:
        >>> measured_text(" as it came\n").text, measured_text("<think>hm</think>\nas it came").text
        (' as it came\n', 'as it came')
    """
    excerpt = without_thinking(reply, prompt)
    return Excerpt(reply, 0, len(reply)) if excerpt.is_whole else excerpt


def _outside(reply: str, prompt: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of a reply that are not thinking."""
    marks = list(_MARKS.finditer(reply))
    is_thinking = bool(_OPENED.search(prompt[-100:])) or bool(marks and marks[0]["closes"])
    start = 0
    for mark in marks:
        if mark["opens"] and not is_thinking:
            yield start, mark.start()
            is_thinking = True
        elif mark["closes"]:
            is_thinking, start = False, mark.end()
    if not is_thinking:
        yield start, len(reply)
