"""Threads for kernels that release the GIL, and the streams that they sort probes into."""

import itertools
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from selfknow.errors import UserError

Item = TypeVar("Item")
Result = TypeVar("Result")

_REGION_BITS = 22  # 512 KiB: fits a core's second-level cache
_MAX_REGIONS = 768  # each region has a stream, and more streams no longer cache well
_CACHE_LINE_BYTES = 64


def thread_count(threads: int | None) -> int:
    """Return the number of threads to use: by default, all cores that this process may use.

    Raises:
        UserError: ``threads`` is less than 1.
    """
    if threads is not None and threads < 1:
        raise UserError(f"threads must be at least 1, not {threads}")
    return threads or len(os.sched_getaffinity(0))


def run(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> list[Result]:
    """Apply ``work`` to each item on up to ``threads`` threads, and return the results in the items' order."""
    if threads == 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(threads) as pool:  # a pool for each call: a longer-lived one would not survive a fork
        return list(pool.map(work, items))


@dataclass(frozen=True)
class Streams:
    """One stream of entries for each region of a bit array and each worker.

    Attributes:
        shift: A region has 2^shift bits.
        starts: Start of each region's stream, shape (regions,).
        limits: One past each stream's last entry, shape (regions,).
        cursors: Next entry of each worker, shape (workers, regions).
        entries: Entries, shape (workers, regions * entries of a stream).
    """

    shift: int
    starts: npt.NDArray[np.uint64]
    limits: npt.NDArray[np.uint64]
    cursors: npt.NDArray[np.uint64]
    entries: npt.NDArray[Any]

    @classmethod
    def make(
        cls, size_in_bits: int, probes_per_worker: int, workers: int, dtype: type[np.unsignedinteger[Any]]
    ) -> "Streams":
        """Make streams for about ``probes_per_worker`` probes of each worker."""
        shift = region_shift(size_in_bits, workers)
        regions = (size_in_bits - 1 >> shift) + 1
        line = _CACHE_LINE_BYTES // np.dtype(dtype).itemsize
        mean = probes_per_worker / regions
        # An odd number of cache lines: streams a power of two apart would fall into the same sets of the cache.
        length = (int(mean * 1.05 + 8 * mean**0.5) // line | 1) * line
        starts = np.arange(regions, dtype=np.uint64) * np.uint64(length)
        return cls(
            shift=shift,
            starts=starts,
            limits=starts + np.uint64(length),
            cursors=np.tile(starts, (workers, 1)),
            entries=np.empty((workers, regions * length), dtype=dtype),
        )

    def shares(self, workers: int) -> list[tuple[int, int]]:
        """Split the regions into ranges, several for each worker."""
        bounds = np.linspace(0, len(self.starts), min(len(self.starts), workers * 4) + 1).astype(int).tolist()
        return list(itertools.pairwise(bounds))


def region_shift(size_in_bits: int, workers: int) -> int:
    """Return log2 of a region's bits: it should fit a cache, and there should be enough regions, but not too many."""
    shift_for_workers = max(12, (size_in_bits // (8 * workers)).bit_length() - 1)
    shift = min(_REGION_BITS, shift_for_workers)
    while size_in_bits >> shift > _MAX_REGIONS:
        shift += 1
    return min(shift, 32)
