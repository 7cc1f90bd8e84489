"""Asking a Bloom filter which n-grams it holds, in place or sorted by region: the answers are the same, the cost is not."""

import numpy as np

from selfknow.portraits import reference
from selfknow.portraits.layout import FilterShape, probe_constants
from selfknow.portraits.ngrams import Batch, base_powers, shares_by_bytes
from selfknow.portraits.reference import Words
from selfknow.portraits.segments import Bytes, Positions, Segments
from selfknow.portraits.workers import Streams, run

_ONE_THREAD_BYTES = 1 << 17
_SORTING_PAYS_BITS = 1 << 26  # 8 MiB: what is smaller stays in a cache
_SORTING_PAYS_LOAD = 256  # bits of the filter for each probe, at most: each region is read once, whole
_MIN_ROUND, _MAX_ROUND = 1 << 20, 1 << 22  # n-grams sorted at once; 72 bytes each with 9 hashes
_SAMPLE = 1024


class Asker:
    """Answers for batches of texts from a bit array, which it never writes to.

    Sorted by region, all probes of an n-gram are made; in place, probing ends at the first miss, but each probe waits for
    memory. So the way is chosen by asking a sample first: many hits, a large filter and a large batch are sorted.
    """

    def __init__(self, shape: FilterShape, array: Bytes, threads: int) -> None:
        self.shape = shape
        self.array = array
        self._threads = threads
        self._constants = probe_constants(shape.hashes)
        self._reciprocal = np.uint64((1 << 64) // shape.size_in_bits)
        self._round = min(max(shape.size_in_bits // 256, _MIN_ROUND), _MAX_ROUND)
        self._streams: Streams | None = None

    def hits(self, batch: Batch) -> tuple[Bytes, Positions]:
        """Which n-grams of a batch are in the filter.

        Returns:
            One uint8 for each n-gram, 1 or 0, and int64 offsets of each text's first n-gram, shape (texts + 1,).
        """
        if batch.is_small():
            starts, ends, counts = reference.ngram_bounds(batch.data, batch.offsets, batch.width, batch.stride)
            hits = reference.answer(reference.hash_ngrams(batch.data, starts, ends), self.shape, self.array)
            return hits, np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        hashes, offsets = self._hashes(batch)
        return self._answer(hashes), offsets

    def _hashes(self, batch: Batch) -> tuple[Words, Positions]:
        from selfknow.portraits.kernel import hash_segments

        segments = batch.segments()
        counts = np.zeros(len(segments.starts), np.int64)

        def hash_share(share: tuple[int, int]) -> Words:
            first, last = share
            room = int(np.sum(segments.ends[first:last] - segments.starts[first:last]))
            out = np.empty(room, np.uint64)
            filled = hash_segments(
                batch.data, segments.starts, segments.ends, segments.skips, first, last, batch.width, batch.stride,
                base_powers(batch.width), out, counts,
            )  # fmt: skip
            return out[: int(filled)]

        threads = self._threads if batch.size_in_bytes > _ONE_THREAD_BYTES else 1
        parts = run(hash_share, shares_by_bytes(segments, threads), threads)
        hashes = parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, np.uint64), *parts])
        return hashes, text_offsets(counts, segments)

    def _answer(self, hashes: Words) -> Bytes:
        if self._sorting_pays(hashes):
            hits = np.ones(len(hashes), np.uint8)
            for start in range(0, len(hashes), self._round):
                part = slice(start, start + self._round)
                self._answer_sorted(hashes[part], hits[part])
            return hits
        hits = np.zeros(len(hashes), np.uint8)
        threads = self._threads if len(hashes) > _ONE_THREAD_BYTES else 1
        run(lambda part: self._probe_in_place(hashes[part], hits[part]), _slices(len(hashes), threads), threads)
        return hits

    def _sorting_pays(self, hashes: Words) -> bool:
        large = self.shape.size_in_bits > _SORTING_PAYS_BITS
        probes = min(len(hashes), self._round) * self.shape.hashes
        if not large or probes * _SORTING_PAYS_LOAD < self.shape.size_in_bits:
            return False
        sample = np.ascontiguousarray(hashes[:: max(1, len(hashes) // _SAMPLE)])
        hits = np.zeros(len(sample), np.uint8)
        self._probe_in_place(sample, hits)
        return float(hits.mean()) > 0.5

    def _probe_in_place(self, hashes: Words, hits: Bytes) -> None:
        from selfknow.portraits.kernel import probe_in_place

        bits = np.uint64(self.shape.size_in_bits)
        probe_in_place(hashes, self._constants, bits, self._reciprocal, self.array, hits)

    def _answer_sorted(self, hashes: Words, hits: Bytes) -> None:
        from selfknow.portraits.kernel import answer_regions, scatter_queries

        if self._streams is None:
            probes = -(-self._round // self._threads) * self.shape.hashes
            self._streams = Streams.make(self.shape.size_in_bits, probes, self._threads, np.uint64)
        streams = self._streams

        def scatter(job: tuple[int, slice]) -> None:
            worker, part = job
            scatter_queries(
                hashes, part.start, part.stop, self._constants, np.uint64(self.shape.size_in_bits), self._reciprocal,
                streams.shift, streams.cursors[worker], streams.limits, streams.entries[worker], self.array, hits,
            )  # fmt: skip

        run(scatter, list(enumerate(_slices(len(hashes), self._threads))), self._threads)
        run(
            lambda share: answer_regions(
                *share, streams.shift, streams.starts, streams.cursors, streams.entries, self.array, hits
            ),
            streams.shares(self._threads),
            self._threads,
        )


def text_offsets(counts: Positions, segments: Segments) -> Positions:
    """Where each text's n-grams start, from the counts of its segments."""
    return np.asarray(np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])[segments.firsts])


def _slices(length: int, parts: int) -> list[slice]:
    bounds = np.linspace(0, length, parts + 1).astype(int).tolist()
    return [slice(first, last) for first, last in zip(bounds, bounds[1:], strict=False)]
