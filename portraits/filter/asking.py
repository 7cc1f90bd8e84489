"""The lookup of n-grams in a Bloom filter, in place or sorted by region; both ways give the same answers."""

import itertools
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from selfknow.portraits.filter import reference
from selfknow.portraits.filter.layout import FilterShape, probe_constants
from selfknow.portraits.filter.ngrams import ONE_THREAD_BYTES, Batch, hash_batch, hash_blocks, shares_by_bytes
from selfknow.portraits.filter.reference import Words
from selfknow.portraits.filter.segments import Bytes, Positions, text_offsets
from selfknow.portraits.filter.workers import Streams, region_shift, run

_SORTING_PAYS_BITS = 1 << 26  # 8 MiB: a smaller filter stays in a cache
_SORTING_PAYS_LOAD = 256  # bits of the filter per probe; with more, reading the whole filter once costs too much
_MIN_ROUND, _MAX_ROUND = 1 << 20, 1 << 22  # n-grams sorted at once; with 9 hashes, 36 or 72 bytes each
_MIN_INDEX_BITS = 10  # with fewer, marks would come too often, so entries get 64 bits
_SAMPLE = 1024  # n-grams that are probed to decide between the two ways


class Asker:
    """A reader of a filter's bit array, which looks up the n-grams of batches of texts.

    In place, probing an n-gram ends at its first miss, but each probe waits for memory. Sorted by region, probes are
    fast, but all probes of an n-gram are made. So large batches for large filters are sorted if a sample has many hits.
    """

    def __init__(self, shape: FilterShape, array: Bytes, threads: int) -> None:
        self.shape = shape
        self.array = array
        self._threads = threads
        self._constants = probe_constants(shape.hashes)
        self._reciprocal = np.uint64((1 << 64) // shape.size_in_bits)
        self._round = min(max(shape.size_in_bits // 256, _MIN_ROUND), _MAX_ROUND)
        self._streams: QueryStreams | None = None
        self._sorting = Lock()  # only one caller at a time may use the streams

    def hits(self, batch: Batch) -> tuple[Bytes, Positions]:
        """Look up the n-grams of a batch in the filter.

        Returns:
            One uint8 for each n-gram, 1 if the filter holds it, else 0; and the int64 offsets of each text's first
            n-gram, shape (texts + 1,).
        """
        if batch.is_small():
            hashes, offsets = hash_batch(batch, 1)
            return reference.answer(hashes, self.shape, self.array), offsets
        if self.shape.size_in_bits <= _SORTING_PAYS_BITS:
            return self._answer_at_once(batch)
        hashes, offsets = hash_batch(batch, self._threads)
        return self._answer(hashes), offsets

    def _answer_at_once(self, batch: Batch) -> tuple[Bytes, Positions]:
        """Probe the n-grams of a batch in place, while their hashes are in a core's cache."""
        segments = batch.segments()
        counts = np.zeros(len(segments.starts), np.int64)

        def answer(share: tuple[int, int]) -> Bytes:
            first, last = share
            hits = np.empty(int(np.sum(segments.ends[first:last] - segments.starts[first:last])), np.uint8)
            num_answered = 0
            for hashes, _ in hash_blocks(batch, segments, first, last, counts):
                self._probe_in_place(hashes, hits[num_answered : num_answered + len(hashes)])
                num_answered += len(hashes)
            return hits[:num_answered]

        threads = self._threads if batch.size_in_bytes > ONE_THREAD_BYTES else 1
        parts = run(answer, shares_by_bytes(segments, threads), threads)
        hits = parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, np.uint8), *parts])
        return hits, text_offsets(counts, segments)

    def _answer(self, hashes: Words) -> Bytes:
        if self._is_sorting_faster(hashes):
            hits = np.ones(len(hashes), np.uint8)
            with self._sorting:
                for start in range(0, len(hashes), self._round):
                    part = slice(start, start + self._round)
                    self._answer_sorted(hashes[part], hits[part])
            return hits
        hits = np.empty(len(hashes), np.uint8)
        threads = self._threads if len(hashes) > ONE_THREAD_BYTES else 1
        run(lambda part: self._probe_in_place(hashes[part], hits[part]), _slices(len(hashes), threads), threads)
        return hits

    def _is_sorting_faster(self, hashes: Words) -> bool:
        is_large = self.shape.size_in_bits > _SORTING_PAYS_BITS
        probes = min(len(hashes), self._round) * self.shape.hashes
        if not is_large or probes * _SORTING_PAYS_LOAD < self.shape.size_in_bits:
            return False
        sample = np.ascontiguousarray(hashes[:: max(1, len(hashes) // _SAMPLE)])
        hits = np.empty(len(sample), np.uint8)
        self._probe_in_place(sample, hits)
        return float(hits.mean()) > 0.5

    def _probe_in_place(self, hashes: Words, hits: Bytes) -> None:
        from selfknow.portraits.filter.kernel import probe_in_place

        bits = np.uint64(self.shape.size_in_bits)
        probe_in_place(hashes, self._constants, bits, self._reciprocal, self.array, hits)

    def _answer_sorted(self, hashes: Words, hits: Bytes) -> None:
        from selfknow.portraits.filter.kernel import answer_regions, scatter_queries

        if self._streams is None:
            self._streams = QueryStreams.make(self.shape, -(-self._round // self._threads), self._threads)
        queries, streams = self._streams, self._streams.streams
        bounds = np.linspace(0, len(hashes), self._threads + 1).astype(np.uint64)

        def scatter(worker: int) -> None:
            scatter_queries(
                hashes, bounds[worker], bounds[worker + 1], self._constants, np.uint64(self.shape.size_in_bits),
                self._reciprocal, streams.shift, queries.index_bits, streams.cursors[worker], streams.limits,
                streams.entries[worker], queries.marks[worker], self.array, hits,
            )  # fmt: skip

        def answer(share: tuple[int, int]) -> None:
            answer_regions(
                *share, streams.shift, queries.index_bits, streams.starts, streams.cursors, streams.entries,
                queries.marks, bounds, self.array, hits,
            )  # fmt: skip

        run(scatter, range(self._threads), self._threads)
        run(answer, streams.shares(self._threads), self._threads)


@dataclass(frozen=True)
class QueryStreams:
    """Streams of probes with their n-grams' numbers.

    Attributes:
        streams: Each entry holds the probe's place in its region in its high bits, and the n-gram's number since the
            last mark in its low bits.
        index_bits: The number of those low bits: a mark follows every 2^index_bits n-grams.
        marks: The cursors at each mark, shape (workers, marks, regions).
    """

    streams: Streams
    index_bits: int
    marks: npt.NDArray[np.uint32]

    @classmethod
    def make(cls, shape: FilterShape, ngrams_per_worker: int, workers: int) -> "QueryStreams":
        """Make streams for a round; entries have 32 bits, or 64 if large regions would need too many marks."""
        index_bits = 32 - region_shift(shape.size_in_bits, workers)
        dtype: type[np.unsignedinteger[Any]] = np.uint32
        if index_bits < _MIN_INDEX_BITS:
            index_bits, dtype = 32, np.uint64
        streams = Streams.make(shape.size_in_bits, ngrams_per_worker * shape.hashes, workers, dtype)
        marks = (ngrams_per_worker >> index_bits) + 2
        return cls(streams, index_bits, np.empty((workers, marks, len(streams.starts)), np.uint32))


def _slices(length: int, parts: int) -> list[slice]:
    bounds = np.linspace(0, length, parts + 1).astype(int).tolist()
    return [slice(first, last) for first, last in itertools.pairwise(bounds)]
