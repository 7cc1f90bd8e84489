"""The hot loops: rolling hashes over Arrow's bytes, and bit access that spares the memory bus.

A Bloom filter larger than the caches is bound by memory latency: each probe is a miss. Here probes are first sorted by
the region of the bit array that they fall into (one stream for each region, which caches well). Then each region, small
enough for a core's own cache, is read once in order and probed there. ``reference.py`` is the same in NumPy.

All loops stand in one file, since the disk cache keeps a compiled function until its own file changes. All functions
release the GIL and share only their arguments.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from selfknow.portraits.filter.compiled import compiled, inlined, multiply_wide, uint8, uint32, uint64
from selfknow.portraits.filter.hashing import BASE, MERSENNE_61, SPLITMIX_1, SPLITMIX_2
from selfknow.portraits.filter.reference import Words
from selfknow.portraits.filter.segments import Bytes, Positions

_PRIME, _BASE = np.uint64(MERSENNE_61), np.uint64(BASE)
_SPLITMIX_1, _SPLITMIX_2 = np.uint64(SPLITMIX_1), np.uint64(SPLITMIX_2)
_LOW_32 = np.uint64(0xFFFFFFFF)
_BLOCK = 1024  # n-grams whose probes are computed before memory is touched: their buffer stays in the first-level cache
_FULL_BLOCK = 4096
_DENSE = 4096  # entries of a region from which on reading all of it in order first is faster than fetching at random


@inlined
def _multiply(left: Any, right: Any) -> Any:
    """Return the product modulo 2^61 - 1."""
    high, low = multiply_wide(left, right)
    folded = (low & _PRIME) + ((low >> uint64(61)) | (high << uint64(3)))
    return folded if folded < _PRIME else folded - _PRIME


@inlined
def _append(value: Any, byte: Any) -> Any:
    """Return the fingerprint with one more byte."""
    longer = _multiply(value, _BASE) + uint64(byte) + uint64(1)
    return longer if longer < _PRIME else longer - _PRIME


@inlined
def _mix(value: Any) -> Any:
    """Apply splitmix64's finaliser."""
    value = (value ^ (value >> uint64(30))) * _SPLITMIX_1
    value = (value ^ (value >> uint64(27))) * _SPLITMIX_2
    return value ^ (value >> uint64(31))


@inlined
def _word(mixed: Any, constants: Any) -> Any:
    """Return a probe's word; see ``layout.probe_constants``."""
    upper = mixed >> uint64(32)
    return (
        mixed * constants[0]
        + upper * constants[1]
        + ((upper * constants[2] + constants[3]) >> uint64(32))
        + constants[4]
    )


@inlined
def _position(mixed: Any, constants: Any, bits: Any, reciprocal: np.uint64) -> Any:
    """Return a probe's bit: its word's remainder, by multiplication with ``2^64 // bits``."""
    word = _word(mixed, constants)
    rest = word - multiply_wide(word, reciprocal)[0] * bits
    return rest if rest < bits else rest - bits


@inlined
def _position_of_many(mixed: Any, constants: Any, bits: Any, reciprocal: np.uint64) -> Any:
    """Return a probe's bit like ``_position``, faster over adjacent hashes and slower over scattered ones.

    The upper 64 bits of the product come from 32-bit halves, which run in vectors; they may be one or two too few.
    """
    word = _word(mixed, constants)
    word_high, word_low = word >> uint64(32), word & _LOW_32
    high, low = reciprocal >> uint64(32), reciprocal & _LOW_32
    quotient = word_high * high + ((word_high * low) >> uint64(32)) + ((word_low * high) >> uint64(32))
    rest = word - quotient * bits
    rest = rest if rest < bits + bits else rest - bits - bits
    return rest if rest < bits else rest - bits


@inlined
def _is_set(array: Bytes, position: Any) -> Any:
    return (array[position >> uint64(3)] >> uint8(position & uint64(7))) & uint8(1)


@compiled
def _hash_segment(
    data: Bytes, start: Any, end: Any, skip: Any, width: int, stride: int, powers: Words, out: Words, filled: Any
) -> Any:
    """Append the hashes of one segment's n-grams to ``out`` and return its new length."""
    head, tail = uint64(start), uint64(start)
    end = uint64(end)
    filled = uint64(filled)
    value = uint64(0)
    characters = 0
    while head < end and characters < width:
        value = _append(value, data[head])
        head += uint64(1)
        while head < end and data[head] & 0xC0 == 0x80:
            value = _append(value, data[head])
            head += uint64(1)
        characters += 1
    if characters < width:
        return filled
    countdown = skip
    while True:
        if countdown == 0:
            out[filled] = _mix(value)
            filled += uint64(1)
            countdown = stride
        countdown -= 1
        if head >= end:
            return filled
        dropped = _multiply(uint64(data[tail]) + uint64(1), powers[head - tail - uint64(1)])
        tail += uint64(1)
        while data[tail] & 0xC0 == 0x80:
            dropped += _multiply(uint64(data[tail]) + uint64(1), powers[head - tail - uint64(1)])
            tail += uint64(1)
        if dropped >= _PRIME:
            dropped %= _PRIME
        value = value - dropped if value >= dropped else value + _PRIME - dropped
        value = _append(value, data[head])
        head += uint64(1)
        while head < end and data[head] & 0xC0 == 0x80:
            value = _append(value, data[head])
            head += uint64(1)


@compiled
def hash_segments(
    data: Bytes,
    starts: Positions,
    ends: Positions,
    skips: Positions,
    first: int,
    last: int,
    width: int,
    stride: int,
    powers: Words,
    out: Words,
    counts: Positions,
) -> Any:
    """Hash the n-grams of segments ``first`` to ``last`` into ``out``, and their numbers into ``counts``."""
    filled = uint64(0)
    for segment in range(first, last):
        before = filled
        filled = _hash_segment(data, starts[segment], ends[segment], skips[segment], width, stride, powers, out, filled)
        counts[segment] = filled - before
    return filled


@compiled
def set_segments(
    data: Bytes,
    starts: Positions,
    ends: Positions,
    skips: Positions,
    first: int,
    last: int,
    width: int,
    stride: int,
    powers: Words,
    constants: Words,
    bits: Any,
    reciprocal: np.uint64,
    array: Bytes,
    hashes: Words,
) -> Any:
    """Hash segments ``first`` to ``last``, set their bits at once and return the number of n-grams."""
    segment = first
    total = uint64(0)
    while segment < last:
        filled = uint64(0)
        while segment < last and filled < _FULL_BLOCK:
            filled = _hash_segment(
                data, starts[segment], ends[segment], skips[segment], width, stride, powers, hashes, filled
            )
            segment += 1
        _set(hashes, filled, constants, bits, reciprocal, array)
        total += filled
    return total


@compiled
def _set(hashes: Words, filled: Any, constants: Words, bits: Any, reciprocal: np.uint64, array: Bytes) -> None:
    positions = np.empty(_BLOCK, dtype=np.uint64)
    for offset in range(uint64(0), filled, uint64(_BLOCK)):
        block = min(filled - offset, uint64(_BLOCK))
        for probe in range(constants.shape[0]):
            row = (
                constants[probe, 0], constants[probe, 1], constants[probe, 2], constants[probe, 3], constants[probe, 4]
            )  # fmt: skip
            for i in range(block):
                positions[i] = _position_of_many(hashes[offset + i], row, bits, reciprocal)
            for i in range(block):
                array[positions[i] >> uint64(3)] |= uint8(1) << uint8(positions[i] & uint64(7))


@compiled
def scatter_segments(
    data: Bytes,
    starts: Positions,
    ends: Positions,
    skips: Positions,
    first: int,
    last: int,
    width: int,
    stride: int,
    powers: Words,
    constants: Words,
    bits: Any,
    reciprocal: np.uint64,
    shift: int,
    cursors: Words,
    limits: Words,
    entries: npt.NDArray[Any],
    overflow: Words,
    hashes: Words,
) -> Any:
    """Hash segments from ``first`` on and write the position of each probe into its region's stream.

    Stops after the block in which a region's stream was full; ``overflow`` gets the positions that did not fit.

    Returns:
        The next segment, the n-grams hashed, the positions in ``overflow``.
    """
    segment = first
    total = uint64(0)
    overflowed = uint64(0)
    while segment < last and overflowed == 0:
        filled = uint64(0)
        while segment < last and filled < _FULL_BLOCK:
            filled = _hash_segment(
                data, starts[segment], ends[segment], skips[segment], width, stride, powers, hashes, filled
            )
            segment += 1
        overflowed = _scatter(
            hashes, filled, constants, bits, reciprocal, shift, cursors, limits, entries, overflow, overflowed
        )
        total += filled
    return segment, total, overflowed


@compiled
def _scatter(
    hashes: Words,
    filled: Any,
    constants: Words,
    bits: Any,
    reciprocal: np.uint64,
    shift: int,
    cursors: Words,
    limits: Words,
    entries: npt.NDArray[Any],
    overflow: Words,
    overflowed: Any,
) -> Any:
    shift = uint64(shift)
    mask = (uint64(1) << shift) - uint64(1)
    positions = np.empty(_BLOCK, dtype=np.uint64)
    for offset in range(uint64(0), filled, uint64(_BLOCK)):
        block = min(filled - offset, uint64(_BLOCK))
        for probe in range(constants.shape[0]):
            row = (
                constants[probe, 0], constants[probe, 1], constants[probe, 2], constants[probe, 3], constants[probe, 4]
            )  # fmt: skip
            for i in range(block):
                positions[i] = _position_of_many(hashes[offset + i], row, bits, reciprocal)
            for i in range(block):
                position = positions[i]
                region = position >> shift
                cursor = cursors[region]
                if cursor < limits[region]:
                    entries[cursor] = uint32(position & mask)
                    cursors[region] = cursor + uint64(1)
                else:
                    overflow[overflowed] = position
                    overflowed += uint64(1)
    return overflowed


@compiled
def set_regions(
    first: int, last: int, shift: int, starts: Words, cursors: Words, entries: npt.NDArray[Any], array: Bytes
) -> Any:
    """Set the bits that the streams of all workers hold for regions ``first`` to ``last``, and empty the streams."""
    read = uint8(0)
    size = uint64(1) << uint64(shift - 3)
    for region in range(uint64(first), uint64(last)):
        base = region * size
        num_entries = uint64(0)
        for worker in range(cursors.shape[0]):
            num_entries += cursors[worker, region] - starts[region]
        if num_entries > _DENSE:
            read ^= _read_all(array, base, size)
        for worker in range(cursors.shape[0]):
            for i in range(starts[region], cursors[worker, region]):
                local = entries[worker, i]
                array[base + uint64(local >> uint32(3))] |= uint8(1) << uint8(local & uint32(7))
            cursors[worker, region] = starts[region]
    return read


@inlined
def _read_all(array: Bytes, base: Any, size: Any) -> Any:
    """Bring a region into the cache in order; the result only keeps the compiler from dropping the loop."""
    read = uint8(0)
    for i in range(base, min(base + size, uint64(array.shape[0])), uint64(64)):
        read ^= array[i]
    return read


@compiled
def set_bits(positions: Words, count: int, array: Bytes) -> None:
    """Set the bits at the first ``count`` positions."""
    for i in range(uint64(count)):
        array[positions[i] >> uint64(3)] |= uint8(1) << uint8(positions[i] & uint64(7))


@compiled
def probe_in_place(
    hashes: Words, constants: Words, bits: Any, reciprocal: np.uint64, array: Bytes, hits: Bytes
) -> None:
    """Probe n-grams block by block, each probe only for those that are still alive; ``hits`` must be zeros."""
    alive = np.empty(_FULL_BLOCK, dtype=np.uint32)
    positions = np.empty(_FULL_BLOCK, dtype=np.uint64)
    count = uint64(hashes.shape[0])
    for offset in range(uint64(0), count, uint64(_FULL_BLOCK)):
        block = min(count - offset, uint64(_FULL_BLOCK))
        for i in range(block):
            alive[i] = i
        for probe in range(constants.shape[0]):
            row = (
                constants[probe, 0], constants[probe, 1], constants[probe, 2], constants[probe, 3], constants[probe, 4]
            )  # fmt: skip
            for i in range(block):
                positions[i] = _position(hashes[offset + uint64(alive[i])], row, bits, reciprocal)
            num_alive = uint64(0)
            for i in range(block):
                alive[num_alive] = alive[i]
                num_alive += uint64(_is_set(array, positions[i]))
            block = num_alive
        for i in range(block):
            hits[offset + uint64(alive[i])] = 1


@compiled
def scatter_queries(
    hashes: Words,
    first: int,
    last: int,
    constants: Words,
    bits: Any,
    reciprocal: np.uint64,
    shift: int,
    cursors: Words,
    limits: Words,
    entries: npt.NDArray[Any],
    array: Bytes,
    hits: Bytes,
) -> None:
    """Write each probe of n-grams ``first`` to ``last`` with its n-gram's number into its region's stream.

    A probe whose stream is full is answered at once. ``hits`` must be ones.
    """
    shift = uint64(shift)
    mask = (uint64(1) << shift) - uint64(1)
    positions = np.empty(_BLOCK, dtype=np.uint64)
    for offset in range(uint64(first), uint64(last), uint64(_BLOCK)):
        block = min(uint64(last) - offset, uint64(_BLOCK))
        for probe in range(constants.shape[0]):
            row = (
                constants[probe, 0], constants[probe, 1], constants[probe, 2], constants[probe, 3], constants[probe, 4]
            )  # fmt: skip
            for i in range(block):
                positions[i] = _position_of_many(hashes[offset + i], row, bits, reciprocal)
            for i in range(block):
                position = positions[i]
                region = position >> shift
                cursor = cursors[region]
                if cursor < limits[region]:
                    entries[cursor] = ((position & mask) << uint64(32)) | (offset + i)
                    cursors[region] = cursor + uint64(1)
                elif _is_set(array, position) == 0:
                    hits[offset + i] = 0


@compiled
def answer_regions(
    first: int,
    last: int,
    shift: int,
    starts: Words,
    cursors: Words,
    entries: npt.NDArray[Any],
    array: Bytes,
    hits: Bytes,
) -> Any:
    """Answer the probes in the streams of all workers for regions ``first`` to ``last``, and empty the streams.

    Workers write nothing but zeros into ``hits``, so it does not matter which one comes first.
    """
    read = uint8(0)
    size = uint64(1) << uint64(shift - 3)
    for region in range(uint64(first), uint64(last)):
        base = region * size
        read ^= _read_all(array, base, size)
        for worker in range(cursors.shape[0]):
            for i in range(starts[region], cursors[worker, region]):
                entry = entries[worker, i]
                local = entry >> uint64(32)
                if (array[base + (local >> uint64(3))] >> uint8(local & uint64(7))) & uint8(1) == 0:
                    hits[entry & _LOW_32] = 0
            cursors[worker, region] = starts[region]
    return read


@compiled
def sum_runs(values: Bytes, offsets: Positions, sums: Positions) -> None:
    """Sum ``values`` between consecutive offsets."""
    for run in range(sums.shape[0]):
        total = 0
        for i in range(uint64(offsets[run]), uint64(offsets[run + 1])):
            total += values[i]
        sums[run] = total
