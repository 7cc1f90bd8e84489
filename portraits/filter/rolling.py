"""The rolling hash over Arrow's bytes, compiled: the n-grams of many texts at a cost that does not grow with the width.

``reference.py`` computes the same in NumPy. All functions release the GIL and share only their arguments. They call
only functions of this file, since Numba's disk cache recompiles a function only when its own file changes.
"""

from typing import Any

import numpy as np

from selfknow.portraits.filter.compiled import compiled, inlined, multiply_wide, uint64
from selfknow.portraits.filter.hashing import BASE, MERSENNE_61, SPLITMIX_1, SPLITMIX_2
from selfknow.portraits.filter.reference import Words
from selfknow.portraits.filter.segments import Bytes, Positions

_PRIME, _BASE = np.uint64(MERSENNE_61), np.uint64(BASE)
_SPLITMIX_1, _SPLITMIX_2 = np.uint64(SPLITMIX_1), np.uint64(SPLITMIX_2)


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


@compiled
def _hash_segment(
    data: Bytes, start: Any, end: Any, skip: Any, width: int, stride: int, powers: Words, out: Words, num_hashes: Any
) -> Any:
    """Append the hashes of one segment's n-grams to ``out`` and return its new length."""
    head, tail = uint64(start), uint64(start)
    end = uint64(end)
    num_hashes = uint64(num_hashes)
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
        return num_hashes
    countdown = skip
    while True:
        if countdown == 0:
            out[num_hashes] = _mix(value)
            num_hashes += uint64(1)
            countdown = stride
        countdown -= 1
        if head >= end:
            return num_hashes
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
    enough: int,
    out: Words,
    counts: Positions,
) -> Any:
    """Hash the n-grams of segments from ``first`` to ``last`` into ``out``, until it holds ``enough`` of them.

    Returns:
        The next segment, and the number of n-grams hashed; ``counts`` receives the number of each segment.
    """
    num_hashes = uint64(0)
    segment = first
    while segment < last and num_hashes < uint64(enough):
        before = num_hashes
        num_hashes = _hash_segment(
            data, starts[segment], ends[segment], skips[segment], width, stride, powers, out, num_hashes
        )
        counts[segment] = num_hashes - before
        segment += 1
    return segment, num_hashes


@compiled
def sum_runs(values: Bytes, offsets: Positions, sums: Positions) -> None:
    """Sum ``values`` between consecutive offsets."""
    for run in range(sums.shape[0]):
        total = 0
        for i in range(uint64(offsets[run]), uint64(offsets[run + 1])):
            total += values[i]
        sums[run] = total
