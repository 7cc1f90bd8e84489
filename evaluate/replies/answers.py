"""The answer that a reply states explicitly."""

import re
from collections import deque

from selfknow.evaluate.replies.kept import Kept

_ANSWER_LINE = re.compile(
    r"^[ \t*_#>-]*(?:(?:so|thus|therefore|hence),? )?(?:(?:the|my) )?(?:final |correct |right )?answer[*_]*"
    r"(?:\s?:|[*_ ]+is[*_ ]*:)[*_]*|####|<answer>",
    re.IGNORECASE | re.MULTILINE,
)
_BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{((?:[^{}]|\{[^{}]{0,100}\}){0,200})\}")
_MOST_ANSWERS = 10  # a model that got stuck gives thousands


def explicit_answers(kept: Kept) -> list[Kept]:
    r"""What a reply gives as its answer, the last one first; what stands behind ``Answer:`` runs to the reply's end.

    Example:
        >>> [one.text for one in explicit_answers(without_thinking("So $\\boxed{12}$.\n**Answer:** 12"))]
        ['12', '12']
    """
    answers = []
    for match in deque(_ANSWER_LINE.finditer(kept.text), _MOST_ANSWERS):
        closing = kept.text.find("</answer>", match.end()) if match[0][0] == "<" else -1
        answers.append(kept.part(match.end(), None if closing < 0 else closing).stripped())
    boxes = deque(_BOXED.finditer(kept.text), _MOST_ANSWERS)
    answers += [kept.part(*match.span(1)).stripped() for match in boxes]
    return sorted((one for one in answers if one.text), key=lambda one: one.start, reverse=True)
