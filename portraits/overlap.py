"""The overlap of a benchmark with a training corpus: the part of each row that stands in the corpus's portrait.

A Bloom filter has false positives. So each number of hits comes with the number that a benchmark sharing nothing with
the corpus would have by chance, and its 95% interval.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from selfknow.bars import Bar
from selfknow.errors import UserError
from selfknow.portraits.portrait import Portrait
from selfknow.portraits.quotes import Quote, trim_quotes

MIN_SPAN = 50  # characters
_Z = 1.959963984540054  # standard deviations to either end of a 95% interval
_EXACT_UP_TO = 500  # expected false hits; above, the normal approximation of a Poisson count is good enough


@dataclass(frozen=True)
class RowOverlap:
    """The overlap of one row with the corpus.

    Attributes:
        row: Number of the row, from 0.
        text: The row's text; null if it has none.
        ngrams: Number of n-grams; 0 if the text is shorter than the portrait's width.
        hits: Number of n-grams in the corpus, false positives included.
        longest_span: Characters of the longest quoted span, even if fewer than ``min_span``; 0 if nothing is quoted.
        spans: Quoted spans of ``min_span`` characters or more, in the order of the text.
    """

    row: int
    text: str | None
    ngrams: int
    hits: int
    longest_span: int
    spans: tuple[Quote, ...]

    @property
    def share(self) -> float | None:
        """The share of the row's n-grams that stand in the corpus (QUIP); null if it has no n-gram."""
        return self.hits / self.ngrams if self.ngrams else None

    def longest(self, count: int) -> list[str]:
        """Return the texts of the row's ``count`` longest quoted spans, the longest first."""
        assert self.text is not None or not self.spans, "a row without text has no spans"
        ordered = sorted(self.spans, key=lambda span: (span.start - span.end, span.start))
        return [(self.text or "")[span.start : span.end] for span in ordered[:count]]


@dataclass(frozen=True)
class Overlap:
    """The overlap of a benchmark with a corpus.

    Attributes:
        rows: The overlap of each row of the benchmark, in order.
        rate: The filter's actual false positive rate.
        width: Characters of an n-gram.
        min_span: Least number of characters of a span that counts.
        whole_words: True if parts of words at the ends of spans were cut off.
    """

    rows: Sequence[RowOverlap]
    rate: float
    width: int
    min_span: int
    whole_words: bool

    def table(self, spans_shown: int = 3) -> list[dict[str, Any]]:
        """Return a table, to print or write, with one row for each row of the benchmark.

        Args:
            spans_shown: Number of spans to list for each row, the longest first.

        Returns:
            ``row``, ``characters``, ``ngrams``, ``hits``, ``share``, ``share_corrected`` (false positives taken out),
            ``false_hits_expected`` with ``false_hits_low`` and ``false_hits_high`` (95%), ``longest_span``,
            ``num_spans`` and ``spans``.
        """
        return [
            {
                "row": row.row,
                "characters": None if row.text is None else len(row.text),
                "ngrams": row.ngrams,
                "hits": row.hits,
                "share": row.share,
                "share_corrected": None if row.share is None else self._corrected(row.share),
                **self._false_hits(row.ngrams),
                "longest_span": row.longest_span,
                "num_spans": len(row.spans),
                "spans": row.longest(spans_shown),
            }
            for row in self.rows
        ]

    def summary(self) -> dict[str, Any]:
        """Return the numbers of the whole benchmark.

        Returns:
            ``rows``: the number of rows. ``scored``: rows long enough for an n-gram. ``share``: the mean of their
            shares, with ``share_low`` and ``share_high`` (95%, over rows) and ``share_corrected``. ``rows_with_span``:
            rows with a span of ``min_span`` or more, also as a share of all rows with its Wilson interval. Over all
            rows: ``longest_span``, ``ngrams``, ``hits`` and the expected false hits.
        """
        shares = np.array([row.share for row in self.rows if row.share is not None])
        mean = float(shares.mean()) if len(shares) else None
        share_low, share_high = _mean_interval(shares)
        num_with_span = sum(bool(row.spans) for row in self.rows)
        span_share_low, span_share_high = wilson(num_with_span, len(self.rows))
        ngrams = sum(row.ngrams for row in self.rows)
        return {
            "rows": len(self.rows),
            "scored": len(shares),
            "share": mean,
            "share_low": share_low,
            "share_high": share_high,
            "share_corrected": None if mean is None else self._corrected(mean),
            "rows_with_span": num_with_span,
            "rows_with_span_share": num_with_span / len(self.rows) if self.rows else None,
            "rows_with_span_low": span_share_low,
            "rows_with_span_high": span_share_high,
            "longest_span": max((row.longest_span for row in self.rows), default=0),
            "ngrams": ngrams,
            "hits": sum(row.hits for row in self.rows),
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
    """Measure how much of each text of a benchmark is in a corpus.

    Args:
        portrait: The corpus's portrait, of stride 1.
        texts: A ``Corpus``, an Arrow array, or any iterable of strings; read once.
        min_span: Least number of characters of a span that counts.
        whole_words: Cut off parts of words at the ends of spans.
        progress: Show a progress bar on stderr.

    Raises:
        UserError: The portrait's stride is not 1, or there is no row.

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
    number = 0
    for batch, spans in portrait.spans(texts):
        for index, text in enumerate(batch.to_pylist()):
            quotes = spans.quotes(index)
            # With stride 1, each span is one run of hits.
            hits = sum(quote.end - quote.start - width + 1 for quote in quotes)
            ngrams = max(0, len(text) - width + 1) if text is not None else 0
            longest = max((quote.end - quote.start for quote in quotes), default=0)
            long_quotes = trim_quotes(text or "", quotes, min_span, whole_words=whole_words)
            yield RowOverlap(number, text, ngrams, hits, longest, tuple(long_quotes))
            number += 1
        bar.update(len(batch))


def _mean_interval(shares: npt.NDArray[np.float64]) -> tuple[float | None, float | None]:
    """Return the 95% interval of the mean of shares; nulls if there are fewer than two."""
    if len(shares) < 2:
        return None, None
    mean = float(shares.mean())
    half = _Z * float(shares.std(ddof=1)) / math.sqrt(len(shares))
    return max(0.0, mean - half), min(1.0, mean + half)


def wilson(successes: int, n: int) -> tuple[float | None, float | None]:
    """Return Wilson's 95% interval of the share ``successes / n``; nulls if ``n`` is 0.

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
    """Return the 95% interval of a Poisson count, with a probability of at most 2.5% on either side.

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
