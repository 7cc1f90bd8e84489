"""Compiled kernels that set and probe bits: positions are computed in vectors, and probes are sorted by region.

A Bloom filter larger than the caches is bound by memory latency: each probe is a cache miss. So probes are first sorted
by the region of the bit array that they fall into; the streams of sorted probes are written in order, which caches
well. Then each region, small enough for a core's own cache, is read once in order and probed there. ``reference.py``
computes the same in NumPy.

All functions release the GIL and share only their arguments. They call only functions of this file, since Numba's disk
cache recompiles a function only when its own file changes.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from selfknow.portraits.filter.compiled import compiled, inlined, uint8, uint32, uint64
from selfknow.portraits.filter.reference import Words
from selfknow.portraits.filter.segments import Bytes

_LOW_32 = np.uint64(0xFFFFFFFF)
_BLOCK = 1024  # n-grams whose probes are computed before memory is touched: their buffer stays in the first-level cache
_DENSE = 4096  # entries of a region; with more, it is faster to read the whole region in order first


@inlined
def _word(mixed: Any, constants: Any) -> Any:
    """Return the 64-bit word whose remainder is a probe's position; see ``layout.probe_constants``."""
    upper = mixed >> uint64(32)
    return (
        mixed * constants[0]
        + upper * constants[1]
        + ((upper * constants[2] + constants[3]) >> uint64(32))
        + constants[4]
    )


@inlined
def _position(mixed: Any, constants: Any, bits: Any, reciprocal: np.uint64) -> Any:
    """Return a probe's position: its word modulo ``bits``, by multiplication with ``reciprocal``, ``2^64 // bits``.

    The upper 64 bits of the product come from 32-bit halves, so that adjacent hashes are computed in vectors. This
    quotient may be too small by one or two.
    """
    word = _word(mixed, constants)
    word_high, word_low = word >> uint64(32), word & _LOW_32
    high, low = reciprocal >> uint64(32), reciprocal & _LOW_32
    quotient = word_high * high + ((word_high * low) >> uint64(32)) + ((word_low * high) >> uint64(32))
    remainder = word - quotient * bits
    remainder = remainder if remainder < bits + bits else remainder - bits - bits
    return remainder if remainder < bits else remainder - bits


@inlined
def _row(constants: Words, probe: Any) -> Any:
    return constants[probe, 0], constants[probe, 1], constants[probe, 2], constants[probe, 3], constants[probe, 4]


@inlined
def _is_set(array: Bytes, position: Any) -> Any:
    return (array[position >> uint64(3)] >> uint8(position & uint64(7))) & uint8(1)


@compiled
def set_hashes(hashes: Words, constants: Words, bits: Any, reciprocal: np.uint64, array: Bytes) -> None:
    """Set the bits of n-grams directly, without streams."""
    positions = np.empty(_BLOCK, dtype=np.uint64)
    count = uint64(hashes.shape[0])
    for offset in range(uint64(0), count, uint64(_BLOCK)):
        block = min(count - offset, uint64(_BLOCK))
        for probe in range(constants.shape[0]):
            row = _row(constants, probe)
            for i in range(block):
                positions[i] = _position(hashes[offset + i], row, bits, reciprocal)
            for i in range(block):
                array[positions[i] >> uint64(3)] |= uint8(1) << uint8(positions[i] & uint64(7))


@compiled
def scatter_hashes(
    hashes: Words,
    constants: Words,
    bits: Any,
    reciprocal: np.uint64,
    shift: int,
    cursors: Words,
    limits: Words,
    entries: npt.NDArray[Any],
    overflow: Words,
) -> Any:
    """Write the position of each probe into its region's stream.

    Returns:
        The number of positions in ``overflow``: those whose stream was full.
    """
    shift = uint64(shift)
    mask = (uint64(1) << shift) - uint64(1)
    num_overflowed = uint64(0)
    positions = np.empty(_BLOCK, dtype=np.uint64)
    count = uint64(hashes.shape[0])
    for offset in range(uint64(0), count, uint64(_BLOCK)):
        block = min(count - offset, uint64(_BLOCK))
        for probe in range(constants.shape[0]):
            row = _row(constants, probe)
            for i in range(block):
                positions[i] = _position(hashes[offset + i], row, bits, reciprocal)
            for i in range(block):
                position = positions[i]
                region = position >> shift
                cursor = cursors[region]
                if cursor < limits[region]:
                    entries[cursor] = uint32(position & mask)
                    cursors[region] = cursor + uint64(1)
                else:
                    overflow[num_overflowed] = position
                    num_overflowed += uint64(1)
    return num_overflowed


@compiled
def set_regions(
    first: int, last: int, shift: int, starts: Words, cursors: Words, entries: npt.NDArray[Any], array: Bytes
) -> Any:
    """Set the bits that the streams of all workers hold for regions ``first`` to ``last``, and empty the streams."""
    checksum = uint8(0)
    size = uint64(1) << uint64(shift - 3)
    for region in range(uint64(first), uint64(last)):
        base = region * size
        num_entries = uint64(0)
        for worker in range(cursors.shape[0]):
            num_entries += cursors[worker, region] - starts[region]
        if num_entries > _DENSE:
            checksum ^= _read_all(array, base, size)
        for worker in range(cursors.shape[0]):
            for i in range(starts[region], cursors[worker, region]):
                local = entries[worker, i]
                array[base + uint64(local >> uint32(3))] |= uint8(1) << uint8(local & uint32(7))
            cursors[worker, region] = starts[region]
    return checksum


@inlined
def _read_all(array: Bytes, base: Any, size: Any) -> Any:
    """Read a region in order to bring it into the cache; a result is returned so that no compiler drops the loop."""
    checksum = uint8(0)
    for i in range(base, min(base + size, uint64(array.shape[0])), uint64(64)):
        checksum ^= array[i]
    return checksum


@compiled
def set_bits(positions: Words, count: int, array: Bytes) -> None:
    """Set the bits at the first ``count`` positions."""
    for i in range(uint64(count)):
        array[positions[i] >> uint64(3)] |= uint8(1) << uint8(positions[i] & uint64(7))


@compiled
def probe_in_place(
    hashes: Words, constants: Words, bits: Any, reciprocal: np.uint64, array: Bytes, hits: Bytes
) -> None:
    """Probe n-grams block by block, and write 1 or 0 for each into ``hits``."""
    positions, fetched = np.empty(_BLOCK, dtype=np.uint64), np.empty(_BLOCK, dtype=np.uint8)
    for offset in range(uint64(0), uint64(hashes.shape[0]), uint64(_BLOCK)):
        block, answers = hashes[offset : offset + uint64(_BLOCK)], hits[offset : offset + uint64(_BLOCK)]
        probes = _probe_all(block, constants, bits, reciprocal, array, positions, fetched, answers)
        if probes < constants.shape[0]:
            _probe_survivors(block, probes, constants, bits, reciprocal, array, positions, answers)


@compiled
def _probe_all(
    hashes: Words,
    constants: Words,
    bits: Any,
    reciprocal: np.uint64,
    array: Bytes,
    positions: Words,
    fetched: Bytes,
    hits: Bytes,
) -> Any:
    """Probe all n-grams of a block until a quarter of them have missed; return the number of probes made of each."""
    count = uint64(hashes.shape[0])
    alive, probe = count, 0
    for i in range(count):
        hits[i] = 1
    while probe < constants.shape[0] and alive * uint64(4) > count * uint64(3):
        row = _row(constants, probe)
        for i in range(count):
            positions[i] = _position(hashes[i], row, bits, reciprocal)
        for i in range(count):  # a loop of its own, so that the processor overlaps many fetches
            fetched[i] = array[positions[i] >> uint64(3)]
        for i in range(count):
            hits[i] &= (fetched[i] >> uint8(positions[i] & uint64(7))) & uint8(1)
        alive = uint64(0)
        for i in range(count):
            alive += uint64(hits[i])
        probe += 1
    return probe


@compiled
def _probe_survivors(
    hashes: Words,
    first_probe: int,
    constants: Words,
    bits: Any,
    reciprocal: np.uint64,
    array: Bytes,
    positions: Words,
    hits: Bytes,
) -> None:
    """Make the probes from ``first_probe`` on, of only those n-grams that have not missed yet (``hits`` is 1)."""
    survivors, indices = np.empty(_BLOCK, dtype=np.uint64), np.empty(_BLOCK, dtype=np.uint64)
    alive = uint64(0)
    for i in range(uint64(hashes.shape[0])):
        survivors[alive] = hashes[i]
        indices[alive] = i
        alive += uint64(hits[i])
        hits[i] = 0
    for probe in range(first_probe, constants.shape[0]):
        row = _row(constants, probe)
        count = alive
        for i in range(count):
            positions[i] = _position(survivors[i], row, bits, reciprocal)
        alive = uint64(0)
        for i in range(count):
            survivors[alive] = survivors[i]
            indices[alive] = indices[i]
            alive += uint64(_is_set(array, positions[i]))
    for i in range(alive):
        hits[indices[i]] = 1


@compiled
def scatter_queries(
    hashes: Words,
    first: int,
    last: int,
    constants: Words,
    bits: Any,
    reciprocal: np.uint64,
    shift: int,
    index_bits: int,
    cursors: Words,
    limits: Words,
    entries: npt.NDArray[Any],
    marks: npt.NDArray[np.uint32],
    array: Bytes,
    hits: Bytes,
) -> None:
    """Write each probe of n-grams ``first`` to ``last`` into its region's stream, with its n-gram's number.

    The number counts from the last mark, so that position and number fit into 32 bits. A mark is a copy of all cursors,
    written to ``marks`` after every ``2^index_bits`` n-grams. A probe whose stream is full is answered at once.
    ``hits`` must be all ones.
    """
    shift = uint64(shift)
    index_bits = uint64(index_bits)
    mask = (uint64(1) << shift) - uint64(1)
    index_mask = (uint64(1) << index_bits) - uint64(1)
    positions = np.empty(_BLOCK, dtype=np.uint64)
    for region in range(uint64(cursors.shape[0])):
        marks[0, region] = cursors[region]
    count = uint64(last) - uint64(first)
    for offset in range(uint64(0), count, uint64(_BLOCK)):
        block = min(count - offset, uint64(_BLOCK))
        base = uint64(first) + offset
        for probe in range(constants.shape[0]):
            row = _row(constants, probe)
            for i in range(block):
                positions[i] = _position(hashes[base + i], row, bits, reciprocal)
            index = offset & index_mask
            for i in range(block):
                position = positions[i]
                region = position >> shift
                cursor = cursors[region]
                if cursor < limits[region]:
                    entries[cursor] = ((position & mask) << index_bits) | (index + i)
                    cursors[region] = cursor + uint64(1)
                elif _is_set(array, position) == 0:
                    hits[base + i] = 0
        run = (offset >> index_bits) + uint64(1)
        for region in range(uint64(cursors.shape[0])):
            marks[run, region] = cursors[region]


@compiled
def answer_regions(
    first: int,
    last: int,
    shift: int,
    index_bits: int,
    starts: Words,
    cursors: Words,
    entries: npt.NDArray[Any],
    marks: npt.NDArray[Any],
    bounds: Words,
    array: Bytes,
    hits: Bytes,
) -> Any:
    """Answer the probes in the streams of all workers for regions ``first`` to ``last``, and empty the streams.

    ``bounds`` holds the first n-gram of each worker, and one past the last worker's. Workers write only zeros into
    ``hits``, so their order does not matter.
    """
    checksum = uint8(0)
    size = uint64(1) << uint64(shift - 3)
    index_bits = uint64(index_bits)
    index_mask = (uint64(1) << index_bits) - uint64(1)
    for region in range(uint64(first), uint64(last)):
        base = region * size
        checksum ^= _read_all(array, base, size)
        for worker in range(uint64(cursors.shape[0])):
            ngrams = bounds[worker + uint64(1)] - bounds[worker]
            for run in range((ngrams + index_mask) >> index_bits):
                ngram = bounds[worker] + (run << index_bits)
                for i in range(uint64(marks[worker, run, region]), uint64(marks[worker, run + uint64(1), region])):
                    entry = uint64(entries[worker, i])
                    local = entry >> index_bits
                    if (array[base + (local >> uint64(3))] >> uint8(local & uint64(7))) & uint8(1) == 0:
                        hits[ngram + (entry & index_mask)] = 0
            cursors[worker, region] = starts[region]
    return checksum
