"""Queries of a Bloom filter for n-grams, in place or sorted by region: both ways differ only in cost."""

import itertools
from threading import Lock

import numpy as np

from selfknow.portraits.filter import reference
from selfknow.portraits.filter.layout import FilterShape, probe_constants
from selfknow.portraits.filter.ngrams import ONE_THREAD_BYTES, Batch, hash_batch
from selfknow.portraits.filter.reference import Words
from selfknow.portraits.filter.segments import Bytes, Positions
from selfknow.portraits.filter.workers import Streams, run

_SORTING_PAYS_BITS = 1 << 26  # 8 MiB: what is smaller stays in a cache
_SORTING_PAYS_LOAD = 256  # bits of the filter for each probe, at most: each region is read once, whole
_MIN_ROUND, _MAX_ROUND = 1 << 20, 1 << 22  # n-grams sorted at once; 72 bytes each with 9 hashes
_SAMPLE = 1024


class Asker:
    """A reader of a bit array that answers batches of texts.

    Sorted by region, all probes of an n-gram are made; in place, probing ends at the first miss, but each probe waits
    for memory. So a sample decides: probes are sorted if hits are many and filter and batch are large.
    """

    def __init__(self, shape: FilterShape, array: Bytes, threads: int) -> None:
        self.shape = shape
        self.array = array
        self._threads = threads
        self._constants = probe_constants(shape.hashes)
        self._reciprocal = np.uint64((1 << 64) // shape.size_in_bits)
        self._round = min(max(shape.size_in_bits // 256, _MIN_ROUND), _MAX_ROUND)
        self._streams: Streams | None = None
        self._sorting = Lock()  # the streams are one caller's at a time

    def hits(self, batch: Batch) -> tuple[Bytes, Positions]:
        """Look up the n-grams of a batch in the filter.

        Returns:
            One uint8 for each n-gram, 1 if the filter holds it, else 0; and the int64 offsets of each text's first
            n-gram, shape (texts + 1,).
        """
        is_small = batch.is_small()  # before hashing, which may import the kernel
        hashes, offsets = hash_batch(batch, self._threads)
        return reference.answer(hashes, self.shape, self.array) if is_small else self._answer(hashes), offsets

    def _answer(self, hashes: Words) -> Bytes:
        if self._is_sorting_faster(hashes):
            hits = np.ones(len(hashes), np.uint8)
            with self._sorting:
                for start in range(0, len(hashes), self._round):
                    part = slice(start, start + self._round)
                    self._answer_sorted(hashes[part], hits[part])
            return hits
        hits = np.zeros(len(hashes), np.uint8)
        threads = self._threads if len(hashes) > ONE_THREAD_BYTES else 1
        run(lambda part: self._probe_in_place(hashes[part], hits[part]), _slices(len(hashes), threads), threads)
        return hits

    def _is_sorting_faster(self, hashes: Words) -> bool:
        is_large = self.shape.size_in_bits > _SORTING_PAYS_BITS
        probes = min(len(hashes), self._round) * self.shape.hashes
        if not is_large or probes * _SORTING_PAYS_LOAD < self.shape.size_in_bits:
            return False
        sample = np.ascontiguousarray(hashes[:: max(1, len(hashes) // _SAMPLE)])
        hits = np.zeros(len(sample), np.uint8)
        self._probe_in_place(sample, hits)
        return float(hits.mean()) > 0.5

    def _probe_in_place(self, hashes: Words, hits: Bytes) -> None:
        from selfknow.portraits.filter.kernel import probe_in_place

        bits = np.uint64(self.shape.size_in_bits)
        probe_in_place(hashes, self._constants, bits, self._reciprocal, self.array, hits)

    def _answer_sorted(self, hashes: Words, hits: Bytes) -> None:
        from selfknow.portraits.filter.kernel import answer_regions, scatter_queries

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


def _slices(length: int, parts: int) -> list[slice]:
    bounds = np.linspace(0, length, parts + 1).astype(int).tolist()
    return [slice(first, last) for first, last in itertools.pairwise(bounds)]
