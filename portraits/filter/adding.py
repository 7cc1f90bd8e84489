"""The insertion of n-grams into a Bloom filter, in rounds: all cores sort probes by region, then set their bits.

A filter that fits in a core's cache is written to directly; each further thread writes to its own copy.
"""

import numpy as np

from selfknow.portraits.filter import reference
from selfknow.portraits.filter.layout import FilterShape, probe_constants
from selfknow.portraits.filter.ngrams import Batch, hash_blocks, shares_by_bytes
from selfknow.portraits.filter.segments import Bytes, Segments
from selfknow.portraits.filter.workers import Streams, run

_MIN_STREAM_BYTES, _MAX_STREAM_BYTES = 32 << 20, 512 << 20
_SORTING_PAYS_BITS = 1 << 25  # 4 MiB: a smaller filter stays in a cache


class Adder:
    """A bit array that collects the n-grams of one batch after the other.

    The bits do not depend on the number of threads, nor on the order of batches or of texts within them.

    Attributes:
        array: Bits so far; complete after ``finish``.
        items: N-grams added, repeats included.
    """

    def __init__(self, shape: FilterShape, threads: int) -> None:
        self.shape = shape
        self.array: Bytes = np.zeros(shape.size_in_bytes, np.uint8)
        self.items = 0
        self._threads = threads
        self._constants = probe_constants(shape.hashes)
        self._reciprocal = np.uint64((1 << 64) // shape.size_in_bits)
        self._streams: Streams | None = None
        self._waiting = 0
        self._copies: list[Bytes] = []

    def add(self, batch: Batch) -> None:
        """Add the n-grams of a batch of texts."""
        if self._streams is None and not self._copies and batch.is_small():
            starts, ends, _ = reference.ngram_bounds(batch.data, batch.offsets, batch.width, batch.stride)
            reference.set_bits(reference.hash_ngrams(batch.data, starts, ends), self.shape, self.array)
            self.items += len(starts)
        elif self.shape.size_in_bits <= _SORTING_PAYS_BITS:
            self._add_at_once(batch)
        else:
            self._add_sorted(batch)

    def finish(self) -> None:
        """Set the bits that still wait in streams or copies."""
        for copy in self._copies[1:]:
            self.array |= copy
        self._copies = []
        if self._streams is not None and self._waiting:
            self._set_waiting(self._streams, [])

    def _add_at_once(self, batch: Batch) -> None:
        from selfknow.portraits.filter.kernel import set_hashes

        segments = batch.segments()
        shares = shares_by_bytes(segments, self._threads)
        while len(self._copies) < len(shares):
            self._copies.append(np.zeros_like(self.array) if self._copies else self.array)

        def set_share(job: tuple[Bytes, tuple[int, int]]) -> int:
            array, (first, last) = job
            items = 0
            for hashes, _ in hash_blocks(batch, segments, first, last):
                set_hashes(hashes, self._constants, np.uint64(self.shape.size_in_bits), self._reciprocal, array)
                items += len(hashes)
            return items

        self.items += sum(run(set_share, list(zip(self._copies, shares, strict=False)), len(shares)))

    def _add_sorted(self, batch: Batch) -> None:
        if self._streams is None:
            stream_bytes = min(max(self.shape.size_in_bytes, _MIN_STREAM_BYTES), _MAX_STREAM_BYTES)
            self._streams = Streams.make(
                self.shape.size_in_bits, stream_bytes // 4 // self._threads, self._threads, np.uint32
            )
        segments = batch.segments()
        shares = shares_by_bytes(segments, self._threads)
        while shares:
            jobs = [(worker, first, last) for worker, (first, last) in enumerate(shares)]
            results = run(lambda job: self._scatter(batch, segments, *job), jobs, len(jobs))
            items = sum(items for items, _, _ in results)
            self.items += items
            self._waiting += items
            overflows = [overflow for _, overflow, _ in results if len(overflow)]
            next_segments = [next_segment for _, _, next_segment in results]
            remaining = [(first, last) for first, (_, _, last) in zip(next_segments, jobs, strict=True)]
            shares = [(first, last) for first, last in remaining if first < last]
            if overflows:
                self._set_waiting(self._streams, overflows)

    def _scatter(
        self, batch: Batch, segments: Segments, worker: int, first: int, last: int
    ) -> tuple[int, reference.Words, int]:
        """Sort the probes of segments by region until a stream is full.

        Returns:
            The number of n-grams hashed, the positions that did not fit into their streams, and the next segment.
        """
        from selfknow.portraits.filter.kernel import scatter_hashes

        streams = self._streams
        assert streams is not None
        items = 0
        for hashes, next_segment in hash_blocks(batch, segments, first, last):
            items += len(hashes)
            positions = np.empty(len(hashes) * self.shape.hashes, np.uint64)
            num_overflowed = scatter_hashes(
                hashes, self._constants, np.uint64(self.shape.size_in_bits), self._reciprocal, streams.shift,
                streams.cursors[worker], streams.limits, streams.entries[worker], positions,
            )  # fmt: skip
            if num_overflowed:
                return items, positions[: int(num_overflowed)], next_segment
        return items, np.empty(0, np.uint64), last

    def _set_waiting(self, streams: Streams, overflows: list[reference.Words]) -> None:
        from selfknow.portraits.filter.kernel import set_bits, set_regions

        run(
            lambda share: set_regions(
                *share, streams.shift, streams.starts, streams.cursors, streams.entries, self.array
            ),
            streams.shares(self._threads),
            self._threads,
        )
        for overflow in overflows:
            set_bits(overflow, len(overflow), self.array)
        self._waiting = 0
