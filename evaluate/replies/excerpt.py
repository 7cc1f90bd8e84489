"""A slice of a reply, its code blocks, and the answers that it states explicitly."""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Excerpt:
    """A slice of a reply: the part that is read or measured.

    Attributes:
        reply: The raw reply.
        start: The index of the first character.
        end: The index after the last character.

    Example:
        >>> Excerpt("**42**", 2, 4).text
        '42'
    """

    reply: str
    start: int
    end: int

    @property
    def text(self) -> str:
        """The text of the slice."""
        return self.reply[self.start : self.end]

    @property
    def is_whole(self) -> bool:
        """True if the rest of the reply is only white space."""
        return not (self.reply[: self.start] + self.reply[self.end :]).strip()

    def part(self, start: int, end: int | None = None) -> "Excerpt":
        """Return a slice of this slice, by indices of its ``text``."""
        end = self.end - self.start if end is None else end
        assert 0 <= start <= end <= self.end - self.start, "a part lies within its excerpt"
        return Excerpt(self.reply, self.start + start, self.start + end)

    def stripped(self, characters: str | None = None) -> "Excerpt":
        """Return the slice without white space, or these characters, around it."""
        text = self.text
        left = text.lstrip(characters)
        return self.part(len(text) - len(left), len(text) - len(left) + len(left.rstrip(characters)))


_FENCE = re.compile(r"^[ \t]*```[^\n`]*$", re.MULTILINE)


def fenced_blocks(excerpt: Excerpt) -> Iterator[tuple[str, Excerpt]]:
    """Yield the code blocks of a text with their language in lower case; an unclosed block runs to the end."""
    text = excerpt.text
    fences = list(_FENCE.finditer(text))
    for opening, closing in zip(fences[::2], [*fences[1::2], None], strict=False):
        end = len(text) if closing is None else closing.start()
        yield opening[0].strip().strip("`").strip().casefold(), excerpt.part(min(opening.end() + 1, end), end)


_ANSWER_LINE = re.compile(
    r"^[ \t*_#>-]*(?:(?:so|thus|therefore|hence),? )?(?:(?:the|my) )?(?:final |correct |right )?answer[*_]*"
    r"(?:\s?:|[*_ ]+is[*_ ]*:)[*_]*|####|<answer>",
    re.IGNORECASE | re.MULTILINE,
)
_BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{((?:[^{}]|\{[^{}]{0,100}\}){0,200})\}")
_MAX_ANSWERS = 10  # a model that repeats itself states thousands


def explicit_answers(excerpt: Excerpt) -> list[Excerpt]:
    r"""Return a reply's stated answers, the last one first; an answer after ``Answer:`` runs to the reply's end.

    Example:
        >>> from selfknow.evaluate.replies.thinking import without_thinking
        >>> [answer.text for answer in explicit_answers(without_thinking("So $\\boxed{12}$.\n**Answer:** 12"))]
        ['12', '12']
    """
    answers = []
    for match in deque(_ANSWER_LINE.finditer(excerpt.text), _MAX_ANSWERS):
        closing = excerpt.text.find("</answer>", match.end()) if match[0][0] == "<" else -1
        answers.append(excerpt.part(match.end(), None if closing < 0 else closing).stripped())
    boxes = deque(_BOXED.finditer(excerpt.text), _MAX_ANSWERS)
    answers += [excerpt.part(*match.span(1)).stripped() for match in boxes]
    return sorted((answer for answer in answers if answer.text), key=lambda item: item.start, reverse=True)
