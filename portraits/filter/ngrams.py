"""A batch of texts ready to be hashed: its bytes, its segments, and the powers for the rolling hash."""

import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa

from selfknow.portraits.filter import reference
from selfknow.portraits.filter.hashing import BASE, MERSENNE_61
from selfknow.portraits.filter.reference import Words
from selfknow.portraits.filter.segments import Bytes, Positions, Segments, cut, text_offsets
from selfknow.portraits.filter.texts import buffers
from selfknow.portraits.filter.workers import run

_BLOCK_HASHES = 1 << 15
ONE_THREAD_BYTES = 1 << 17  # less text than this is not worth a second thread, nor a first compilation
_BYTES_BY_NUMPY = 1 << 21  # NumPy takes as long for this much text as the kernel takes to load


@dataclass
class _Hashed:
    """A count of what this process has hashed so far."""

    bytes_by_numpy: int = 0


_hashed = _Hashed()


@dataclass(frozen=True)
class Batch:
    """Texts whose n-grams are to be hashed.

    Attributes:
        data: UTF-8 bytes.
        offsets: Start of each text and end of the last, in bytes; shape (texts + 1,).
        width: Characters of an n-gram.
        stride: Characters from one n-gram to the next.
    """

    data: Bytes
    offsets: Positions
    width: int
    stride: int

    @classmethod
    def from_texts(cls, texts: pa.LargeStringArray, width: int, stride: int) -> "Batch":
        """Make a batch of an Arrow array of valid UTF-8, as ``texts.arrow_batches`` yields it."""
        data, offsets = buffers(texts)
        return cls(data, offsets, width, stride)

    @property
    def size_in_bytes(self) -> int:
        """Bytes of all texts: no batch has more n-grams."""
        return int(self.offsets[-1] - self.offsets[0])

    def is_small(self) -> bool:
        """Return True if plain NumPy is faster: little text so far, and no kernel loaded yet in this process."""
        return (
            self.size_in_bytes <= ONE_THREAD_BYTES
            and _hashed.bytes_by_numpy < _BYTES_BY_NUMPY
            and "selfknow.portraits.filter.rolling" not in sys.modules
        )

    def segments(self) -> Segments:
        """Cut the texts into pieces that threads can share."""
        return cut(self.data, self.offsets, self.width, self.stride)


@lru_cache(maxsize=8)
def base_powers(width: int) -> Words:
    """Return ``BASE ** i`` modulo 2^61 - 1 for each byte position i of an n-gram and the character after it."""
    powers = [1]
    for _ in range(4 * width + 8):
        powers.append(powers[-1] * BASE % MERSENNE_61)
    return np.array(powers, dtype=np.uint64)


def shares_by_bytes(segments: Segments, parts: int) -> list[tuple[int, int]]:
    """Split segments into consecutive ranges, ``parts`` at most, with about the same number of bytes."""
    cumulative_bytes = np.cumsum(segments.ends - segments.starts)
    if not len(cumulative_bytes):
        return []
    targets = np.arange(1, parts + 1) * (int(cumulative_bytes[-1]) / parts)
    bounds = np.unique(np.concatenate([[0], np.searchsorted(cumulative_bytes, targets - 0.5) + 1]))
    bounds = np.minimum(bounds, len(cumulative_bytes)).tolist()
    return [(first, last) for first, last in itertools.pairwise(bounds) if last > first]


def hash_batch(batch: Batch, threads: int) -> tuple[Words, Positions]:
    """Return the hashes of a batch's n-grams, and the offset of each text's first hash, shape (texts + 1,)."""
    if batch.is_small():
        _hashed.bytes_by_numpy += batch.size_in_bytes
        starts, ends, ngrams = reference.ngram_bounds(batch.data, batch.offsets, batch.width, batch.stride)
        return reference.hash_ngrams(batch.data, starts, ends), np.concatenate(
            [np.zeros(1, np.int64), np.cumsum(ngrams)]
        )
    segments = batch.segments()
    counts = np.zeros(len(segments.starts), np.int64)

    def hash_share(share: tuple[int, int]) -> Words:
        first, last = share
        out = np.empty(int(np.sum(segments.ends[first:last] - segments.starts[first:last])), np.uint64)
        _, num_hashes = _hash(batch, segments, first, last, len(out) + 1, out, counts)
        return out[:num_hashes]

    threads = threads if batch.size_in_bytes > ONE_THREAD_BYTES else 1
    parts = run(hash_share, shares_by_bytes(segments, threads), threads)
    hashes = parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, np.uint64), *parts])
    return hashes, text_offsets(counts, segments)


def hash_blocks(
    batch: Batch, segments: Segments, first: int, last: int, counts: Positions | None = None
) -> Iterator[tuple[Words, int]]:
    """Hash the n-grams of segments ``first`` to ``last`` in blocks that stay in a core's cache.

    Yields:
        The hashes of a block, in an array that the next block overwrites; and the segment after the block. If an array
        ``counts`` is passed, it receives the number of n-grams of each segment.
    """
    longest = int(np.max(segments.ends[first:last] - segments.starts[first:last], initial=0))
    out = np.empty(_BLOCK_HASHES + longest, np.uint64)
    if counts is None:
        counts = np.empty(len(segments.starts), np.int64)
    while first < last:
        first, num_hashes = _hash(batch, segments, first, last, _BLOCK_HASHES, out, counts)
        yield out[:num_hashes], first


def _hash(
    batch: Batch, segments: Segments, first: int, last: int, enough: int, out: Words, counts: Positions
) -> tuple[int, int]:
    """Call the kernel, and return the next segment and the number of n-grams hashed."""
    from selfknow.portraits.filter.rolling import hash_segments

    next_segment, num_hashes = hash_segments(
        batch.data, segments.starts, segments.ends, segments.skips, first, last, batch.width, batch.stride,
        base_powers(batch.width), enough, out, counts,
    )  # fmt: skip
    return int(next_segment), int(num_hashes)


def sum_by_text(hits: Bytes, offsets: Positions) -> Positions:
    """Return the number of hits of each text."""
    if "selfknow.portraits.filter.rolling" not in sys.modules:
        return np.diff(np.concatenate([np.zeros(1, np.int64), np.cumsum(hits, dtype=np.int64)])[offsets])
    from selfknow.portraits.filter.rolling import sum_runs

    sums = np.zeros(len(offsets) - 1, np.int64)
    sum_runs(hits, offsets, sums)
    return sums
