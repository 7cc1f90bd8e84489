"""Is a benchmark in a training corpus? How much of each row stands there, as far as a portrait of it can say.

A filter says yes by mistake now and then. So beside the hits stand those that chance alone would give a benchmark that
shares nothing with the corpus, with the interval that holds 95 of 100 such counts.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from selfknow.bars import Bar
from selfknow.errors import UserError
from selfknow.portraits.portrait import Portrait
from selfknow.portraits.quotes import Quote, shaped

MIN_SPAN = 50
_Z = 1.959963984540054  # of 95%
_EXACT_UP_TO = 500  # expected false hits; beyond, a Poisson count is as good as normal


@dataclass(frozen=True)
class RowOverlap:
    """How much of one row stands in the corpus.

    Attributes:
        row: Its number, from 0.
        text: The row's text; null where it has none.
        ngrams: How many it has; none where it is shorter than the portrait's width.
        hits: How many of them stand in the corpus, false ones among them.
        longest_span: Characters of its longest quoted span, whatever the least length.
        spans: Its quoted spans of the least length or more, in their order.
    """

    row: int
    text: str | None
    ngrams: int
    hits: int
    longest_span: int
    spans: tuple[Quote, ...]

    @property
    def share(self) -> float | None:
        """The share of its n-grams that stand in the corpus (QUIP); null where it has none."""
        return self.hits / self.ngrams if self.ngrams else None

    def longest(self, count: int) -> list[str]:
        """Its longest quoted spans."""
        assert self.text is not None or not self.spans, "what is quoted stands in a text"
        ordered = sorted(self.spans, key=lambda span: (span.start - span.end, span.start))
        return [(self.text or "")[span.start : span.end] for span in ordered[:count]]


@dataclass(frozen=True)
class Overlap:
    """How much of a benchmark stands in a corpus.

    Attributes:
        rows: All rows.
        rate: The filter's actual false positive rate.
        width: Characters of an n-gram.
        min_span: The least number of characters of a span that counts.
        whole_words: Whether spans give up parts of words at their ends.
    """

    rows: Sequence[RowOverlap]
    rate: float
    width: int
    min_span: int
    whole_words: bool

    def table(self, spans_shown: int = 3) -> list[dict[str, Any]]:
        """A row a row of the benchmark, as it is printed and written.

        Args:
            spans_shown: So many of a row's spans, the longest first.

        Returns:
            ``row``, ``characters``, ``ngrams``, ``hits``, ``share``, ``share_corrected`` (false positives taken out),
            ``false_hits_expected`` with ``false_hits_low`` and ``false_hits_high`` (95%), ``longest_span``,
            ``num_spans`` and ``spans``.
        """
        return [
            {
                "row": one.row,
                "characters": None if one.text is None else len(one.text),
                "ngrams": one.ngrams,
                "hits": one.hits,
                "share": one.share,
                "share_corrected": None if one.share is None else self._corrected(one.share),
                **self._false_hits(one.ngrams),
                "longest_span": one.longest_span,
                "num_spans": len(one.spans),
                "spans": one.longest(spans_shown),
            }
            for one in self.rows
        ]

    def summary(self) -> dict[str, Any]:
        """The benchmark as a whole.

        Returns:
            ``rows``; ``scored``, those long enough for an n-gram; ``share``, the mean of their shares, with
            ``share_low`` and ``share_high`` (95%, over rows) and ``share_corrected``; ``rows_with_span``, those with a
            span of the least length, as a share of all rows with its Wilson interval; ``longest_span``; ``ngrams``,
            ``hits`` and the false hits that are expected.
        """
        shares = np.array([one.share for one in self.rows if one.share is not None])
        mean = float(shares.mean()) if len(shares) else None
        error = _Z * float(shares.std(ddof=1)) / math.sqrt(len(shares)) if len(shares) > 1 else None
        known = mean is not None and error is not None
        with_span = sum(bool(one.spans) for one in self.rows)
        low, high = wilson(with_span, len(self.rows))
        ngrams = sum(one.ngrams for one in self.rows)
        return {
            "rows": len(self.rows),
            "scored": len(shares),
            "share": mean,
            "share_low": max(0.0, mean - error) if known and mean is not None and error is not None else None,
            "share_high": min(1.0, mean + error) if known and mean is not None and error is not None else None,
            "share_corrected": None if mean is None else self._corrected(mean),
            "rows_with_span": with_span,
            "rows_with_span_share": with_span / len(self.rows) if self.rows else None,
            "rows_with_span_low": low,
            "rows_with_span_high": high,
            "longest_span": max((one.longest_span for one in self.rows), default=0),
            "ngrams": ngrams,
            "hits": sum(one.hits for one in self.rows),
            **self._false_hits(ngrams),
        }

    def _corrected(self, share: float) -> float:
        return (share - self.rate) / (1 - self.rate)

    def _false_hits(self, ngrams: int) -> dict[str, Any]:
        expected = ngrams * self.rate
        low, high = poisson_interval(expected)
        return {"false_hits_expected": expected, "false_hits_low": low, "false_hits_high": high}


def measure_overlap(
    portrait: Portrait,
    texts: Iterable[Any],
    *,
    min_span: int = MIN_SPAN,
    whole_words: bool = True,
    progress: bool = False,
) -> Overlap:
    """Measure how much of each text of a benchmark stands in a corpus.

    Args:
        portrait: Of the corpus; with stride 1.
        texts: A ``Corpus``, an Arrow array, or any iterable of strings; read once.
        min_span: The least number of characters of a span that counts.
        whole_words: Whether spans give up parts of words at their ends.
        progress: Whether a progress bar is shown on stderr.

    Raises:
        UserError: The portrait has a stride, or there is no row.

    Example:
        >>> portrait = Portrait.build(["The cat sat on the mat, and the dog sat by the door."])
        >>> overlap = measure_overlap(portrait, ["Who wrote: and the dog sat by the door?", "No."], min_span=20)
        >>> overlap.rows[0].longest(1), overlap.rows[1].share
        (['and the dog sat by the door'], None)
    """
    if portrait.description.stride != 1:
        raise UserError(
            f"overlap needs a portrait of stride 1, and this one has stride {portrait.description.stride}: build one "
            "with stride 1"
        )
    with Bar(unit="row", disable=not progress) as bar:
        rows = list(_rows(portrait, texts, min_span, whole_words, bar))
    if not rows:
        raise UserError("the benchmark has no rows")
    description = portrait.description
    return Overlap(rows, description.actual_false_positive_rate, description.width, min_span, whole_words)


def _rows(portrait: Portrait, texts: Iterable[Any], min_span: int, whole_words: bool, bar: Bar) -> Iterator[RowOverlap]:
    width = portrait.description.width
    row = 0
    for batch, spans in portrait.spans(texts):
        for place, text in enumerate(batch.to_pylist()):
            found = spans.of(place)
            hits = sum(span.end - span.start - width + 1 for span in found)  # stride 1: a run of hits is one span
            ngrams = max(0, len(text) - width + 1) if text is not None else 0
            longest = max((span.end - span.start for span in found), default=0)
            kept = shaped(text or "", found, min_span, whole_words=whole_words)
            yield RowOverlap(row, text, ngrams, hits, longest, tuple(kept))
            row += 1
        bar.update(len(batch))


def wilson(successes: int, n: int) -> tuple[float | None, float | None]:
    """Wilson's 95% interval of a share; null where there is nothing.

    Example:
        >>> [round(bound, 3) for bound in wilson(1, 10)]
        [0.018, 0.404]
    """
    if n == 0:
        return None, None
    share, spread = successes / n, _Z**2 / n
    centre = (share + spread / 2) / (1 + spread)
    half = _Z * math.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    return max(0.0, centre - half), min(1.0, centre + half)


def poisson_interval(expected: float) -> tuple[int, int]:
    """The counts that hold 95 of 100 draws, with at most 2.5 of 100 on either side.

    Example:
        >>> poisson_interval(0.0), poisson_interval(2.0)
        ((0, 0), (0, 5))
    """
    if expected > _EXACT_UP_TO:
        half = _Z * math.sqrt(expected)
        return math.floor(expected - half), math.ceil(expected + half)
    low, count, chance, below = 0, 0, math.exp(-expected), 0.0
    while below + chance < 0.975:
        below += chance
        if below <= 0.025:
            low = count + 1
        count += 1
        chance *= expected / count
    return low, count
