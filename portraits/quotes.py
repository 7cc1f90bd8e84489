"""From hits to quoted spans: a run of hits ends at its first miss, and the spans of separate runs stay apart."""

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
        start: Its first character.
        end: One past its last character.
    """

    start: int
    end: int


def shaped(text: str, quotes: Iterable[Quote], min_span: int = 0, *, whole_words: bool = False) -> list[Quote]:
    """Quotes as a reader wants them: not too short, and none that begins or ends within a word.

    Args:
        text: What they are quotes of.
        quotes: Spans of it.
        min_span: The least number of characters that a quote has when it is cut to whole words.
        whole_words: Whether a quote gives up the part of a word at its ends, and blanks there. A word is a run of
            letters, digits and underscores; a Chinese or Japanese character is one of its own.

    Raises:
        UserError: The least length is negative.

    Example:
        >>> shaped("a hill and dale", [Quote(3, 13)], whole_words=True)
        [Quote(start=7, end=10)]
    """
    if min_span < 0:
        raise UserError(f"min_span is a number of characters, 0 or more, not {min_span}")
    kept = (_whole_words(text, quote) for quote in quotes) if whole_words else quotes
    return [quote for quote in kept if quote.end - quote.start >= max(min_span, 1)]


def _whole_words(text: str, quote: Quote) -> Quote:
    start, end = quote.start, quote.end
    while start < end and (text[start].isspace() or (start > 0 and _in_word(text, start))):
        start += 1
    while end > start and (text[end - 1].isspace() or (end < len(text) and _in_word(text, end))):
        end -= 1
    return Quote(start, end)


def _in_word(text: str, place: int) -> bool:
    """Whether the characters before and at a place belong to one word; Chinese and Japanese write none apart."""
    around = text[place - 1 : place + 1]
    return all((one.isalnum() and east_asian_width(one) not in "WF") or one == "_" or combining(one) for one in around)


@dataclass(frozen=True)
class Spans:
    """Quoted spans of many texts, ordered by text and start.

    Attributes:
        firsts: For each text, its first span; shape (texts + 1,).
        starts: First character of each span.
        ends: One past its last character.
    """

    firsts: Positions
    starts: Positions
    ends: Positions

    def of(self, text: int) -> list[Quote]:
        """The spans of one text."""
        here = slice(self.firsts[text], self.firsts[text + 1])
        return [Quote(*span) for span in zip(self.starts[here].tolist(), self.ends[here].tolist(), strict=True)]


def quoted_spans(hits: Bytes, offsets: Positions, width: int, stride: int) -> Spans:
    """The maximal quoted spans of texts.

    A run of hits goes on from a hit to the one ``stride`` characters later. Spans of separate runs stay apart even
    where they overlap; one that lies within another is left out (tiles of repetitive text can hit at every place).

    Args:
        hits: One value for each n-gram of the texts, at every character, true where it stands in the corpus.
        offsets: Where each text's n-grams start in ``hits``; shape (texts + 1,).
        width: Characters of an n-gram.
        stride: Characters from one n-gram of the corpus to the next.

    Example:
        >>> quoted_spans(np.array([1, 1, 0, 1]), np.array([0, 4]), width=25, stride=1).of(0)
        [Quote(start=0, end=26), Quote(start=3, end=28)]
    """
    (at,) = np.nonzero(hits)
    text = np.searchsorted(offsets, at, side="right") - 1
    place = at - offsets[text]
    order = np.lexsort((place, place % stride, text)) if stride > 1 else slice(None)
    text, place = text[order], place[order]
    follows = np.zeros(len(place), bool)
    follows[1:] = (text[1:] == text[:-1]) & (place[1:] == place[:-1] + stride)
    is_last = np.ones(len(place), bool)
    is_last[:-1] = ~follows[1:]
    texts, starts, ends = text[~follows], place[~follows], place[is_last] + width
    if stride > 1:
        texts, starts, ends = _maximal(texts, starts, ends)
    return Spans(np.searchsorted(texts, np.arange(len(offsets))), starts, ends)


def _maximal(texts: Positions, starts: Positions, ends: Positions) -> tuple[Positions, Positions, Positions]:
    """The spans that lie within no other of their text, in order."""
    order = np.lexsort((-ends, starts, texts))
    texts, starts, ends = texts[order], starts[order], ends[order]
    reached = ends + texts * (int(ends.max(initial=0)) + 1)  # grows from text to text
    furthest = np.concatenate([[-1], np.maximum.accumulate(reached)[:-1]])
    kept = reached > furthest
    return texts[kept], starts[kept], ends[kept]
