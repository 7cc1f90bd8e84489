"""From hits to quoted spans: a run of hits ends at its first miss, and the spans of separate runs stay apart."""

from dataclasses import dataclass

import numpy as np

from selfknow.portraits.segments import Bytes


@dataclass(frozen=True, order=True)
class Quote:
    """A quoted span of a text, in code points.

    Attributes:
        start: Its first character.
        end: One past its last character.
    """

    start: int
    end: int


def quoted_spans(hits: Bytes, width: int, stride: int) -> list[Quote]:
    """The maximal quoted spans.

    A run of hits goes on from a hit to the one ``stride`` characters later. Spans of separate runs stay apart even
    where they overlap; one that lies within another is left out (tiles of repetitive text can hit at every place).

    Args:
        hits: One value for each n-gram of the text, at every character, true where it stands in the corpus.
        width: Characters of an n-gram.
        stride: Characters from one n-gram of the corpus to the next.

    Example:
        >>> quoted_spans(np.array([1, 1, 0, 1], np.uint8), width=25, stride=1)
        [Quote(start=0, end=26), Quote(start=3, end=28)]
    """
    is_hit = hits.astype(bool)
    before = np.zeros(len(is_hit), bool)
    before[stride:] = is_hit[:-stride]
    after = np.zeros(len(is_hit), bool)
    after[:-stride] = is_hit[stride:]
    spans: list[Quote] = []
    for phase in range(min(stride, len(is_hit))):
        starts = np.flatnonzero((is_hit & ~before)[phase::stride]) * stride + phase
        ends = np.flatnonzero((is_hit & ~after)[phase::stride]) * stride + phase + width
        spans.extend(Quote(start, end) for start, end in zip(starts.tolist(), ends.tolist(), strict=True))
    return _maximal(spans)


def _maximal(spans: list[Quote]) -> list[Quote]:
    """The spans that lie within no other, in order."""
    kept: list[Quote] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not kept or span.end > kept[-1].end:
            kept.append(span)
    return kept
