"""The speed of the machine's random access to the bytes of an array, which limits a plain Bloom filter."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import numpy.typing as npt

from benchmarks.timing import timed

ACCESSES = 1 << 24


@numba.njit(nogil=True, cache=True, boundscheck=False)
def _read(positions, array):  # type: ignore[no-untyped-def]
    total = np.uint64(0)
    for i in range(np.uint64(positions.shape[0])):
        total += np.uint64(array[positions[i]])
    return total


@numba.njit(nogil=True, cache=True, boundscheck=False)
def _write(positions, array):  # type: ignore[no-untyped-def]
    for i in range(np.uint64(positions.shape[0])):
        array[positions[i]] |= np.uint8(1)


def random_reads_per_second(array: npt.NDArray[np.uint8], threads: int) -> float:
    """Return the reads a second of a byte each, at positions drawn before."""
    return _per_second(_read, array, threads)


def random_writes_per_second(array: npt.NDArray[np.uint8], threads: int) -> float:
    """Return the writes a second of a byte each (read, set a bit, write back), in a copy of the array."""
    return _per_second(_write, array.copy(), threads)


def _per_second(touch: Callable[..., object], array: npt.NDArray[np.uint8], threads: int) -> float:
    positions = np.random.default_rng(0).integers(0, len(array), ACCESSES, dtype=np.uint64)
    touch(positions[:1], array)
    with ThreadPoolExecutor(threads) as pool:
        parts = np.array_split(positions, threads)
        return ACCESSES / timed(lambda: list(pool.map(lambda part: touch(part, array), parts))).seconds
