"""Quoted spans from hits: a run of hits ends at its first miss, and the spans of separate runs stay apart."""

from collections.abc import Iterable
from dataclasses import dataclass
from unicodedata import combining, east_asian_width

import numpy as np

from selfknow.errors import UserError
from selfknow.portraits.filter.segments import Bytes, Positions


@dataclass(frozen=True, order=True)
class Quote:
    """A quoted span of a text, in code points.

    Attributes:
        start: Index of its first character.
        end: Index one past its last character.
    """

    start: int
    end: int


def trim_quotes(text: str, quotes: Iterable[Quote], min_span: int = 0, *, whole_words: bool = False) -> list[Quote]:
    """Trim quotes to whole words and drop those that are too short.

    Args:
        text: The quoted text.
        quotes: Spans of the text.
        min_span: Least number of characters of a quote after trimming.
        whole_words: Cut off parts of words, and blanks, at a quote's ends. A word is a run of letters, digits and
            underscores; each Chinese or Japanese character is a word.

    Raises:
        UserError: ``min_span`` is negative.

    Example:
        >>> trim_quotes("a hill and dale", [Quote(3, 13)], whole_words=True)
        [Quote(start=7, end=10)]
    """
    if min_span < 0:
        raise UserError(f"min_span is a number of characters, 0 or more, not {min_span}")
    trimmed = (_trim_to_words(text, quote) for quote in quotes) if whole_words else quotes
    return [quote for quote in trimmed if quote.end - quote.start >= max(min_span, 1)]


def _trim_to_words(text: str, quote: Quote) -> Quote:
    start, end = quote.start, quote.end
    while start < end and (text[start].isspace() or (start > 0 and _is_inside_word(text, start))):
        start += 1
    while end > start and (text[end - 1].isspace() or (end < len(text) and _is_inside_word(text, end))):
        end -= 1
    return Quote(start, end)


def _is_inside_word(text: str, position: int) -> bool:
    """Return True if a word continues across a position; Chinese and Japanese words have no visible bounds."""
    neighbours = text[position - 1 : position + 1]
    return all(
        (letter.isalnum() and east_asian_width(letter) not in "WF") or letter == "_" or combining(letter)
        for letter in neighbours
    )


@dataclass(frozen=True)
class Spans:
    """Quoted spans of many texts, ordered by text and start.

    Attributes:
        firsts: Index of each text's first span; shape (texts + 1,).
        starts: Index of each span's first character, in its text.
        ends: Index one past each span's last character.
    """

    firsts: Positions
    starts: Positions
    ends: Positions

    def quotes(self, text: int) -> list[Quote]:
        """Return the quotes of the text with this number."""
        indices = slice(self.firsts[text], self.firsts[text + 1])
        return [Quote(*span) for span in zip(self.starts[indices].tolist(), self.ends[indices].tolist(), strict=True)]


def quoted_spans(hits: Bytes, offsets: Positions, width: int, stride: int) -> Spans:
    """Return the maximal quoted spans of texts.

    A run of hits continues as long as the n-gram ``stride`` characters later is a hit. Spans of separate runs stay
    apart even if they overlap. A span within another is left out: tiles of repetitive text can hit at every position.

    Args:
        hits: One value for each n-gram of the texts, at every character; true if the corpus holds it.
        offsets: Index of each text's first n-gram in ``hits``; shape (texts + 1,).
        width: Characters of an n-gram.
        stride: Characters from one n-gram of the corpus to the next.

    Example:
        >>> quoted_spans(np.array([1, 1, 0, 1]), np.array([0, 4]), width=25, stride=1).quotes(0)
        [Quote(start=0, end=26), Quote(start=3, end=28)]
    """
    (indices,) = np.nonzero(hits)
    text_numbers = np.searchsorted(offsets, indices, side="right") - 1
    positions = indices - offsets[text_numbers]
    order = np.lexsort((positions, positions % stride, text_numbers)) if stride > 1 else slice(None)
    text_numbers, positions = text_numbers[order], positions[order]
    follows = np.zeros(len(positions), bool)
    follows[1:] = (text_numbers[1:] == text_numbers[:-1]) & (positions[1:] == positions[:-1] + stride)
    is_last = np.ones(len(positions), bool)
    is_last[:-1] = ~follows[1:]
    texts, starts, ends = text_numbers[~follows], positions[~follows], positions[is_last] + width
    if stride > 1:
        texts, starts, ends = _maximal_spans(texts, starts, ends)
    return Spans(np.searchsorted(texts, np.arange(len(offsets))), starts, ends)


def _maximal_spans(texts: Positions, starts: Positions, ends: Positions) -> tuple[Positions, Positions, Positions]:
    """Return the spans that lie within no other of their text, in order."""
    order = np.lexsort((-ends, starts, texts))
    texts, starts, ends = texts[order], starts[order], ends[order]
    # All ends of a text must exceed those of the texts before it.
    ordered_ends = ends + texts * (int(ends.max(initial=0)) + 1)
    furthest_before = np.concatenate([[-1], np.maximum.accumulate(ordered_ends)[:-1]])
    is_maximal = ordered_ends > furthest_before
    return texts[is_maximal], starts[is_maximal], ends[is_maximal]
