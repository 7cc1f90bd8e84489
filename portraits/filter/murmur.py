"""The hash and the probes of RedisBloom, for portraits that were imported from the Data Portraits tool.

``a = MurmurHash64A(bytes, seed 0xc6a4a7935bd1e995)``, ``b = MurmurHash64A(bytes, seed a)``, and probe i is bit
``(a + i * b mod 2^64) mod bits``, least significant bit of a byte first.
"""

from typing import Any

import numpy as np

from selfknow.portraits.filter.compiled import compiled, inlined, uint8, uint64
from selfknow.portraits.filter.segments import Bytes, Positions

SEED = 0xC6A4A7935BD1E995
_M = np.uint64(0xC6A4A7935BD1E995)
_SEED = np.uint64(SEED)
_MASK_64 = (1 << 64) - 1


def murmur_hash_64a(data: bytes, seed: int) -> Any:
    """Return MurmurHash64A (Appleby) in plain Python, the reference for the compiled one."""
    value = seed ^ len(data) * SEED & _MASK_64
    num_in_words = len(data) // 8 * 8
    for start in range(0, num_in_words, 8):
        word = int.from_bytes(data[start : start + 8], "little") * SEED & _MASK_64
        value = (value ^ (word ^ word >> 47) * SEED & _MASK_64) * SEED & _MASK_64
    if num_in_words < len(data):
        value = (value ^ int.from_bytes(data[num_in_words:], "little")) * SEED & _MASK_64
    value = (value ^ value >> 47) * SEED & _MASK_64
    return value ^ value >> 47


@inlined
def _murmur(data: Bytes, start: Any, end: Any, seed: Any) -> Any:
    length = end - start
    value = seed ^ (length * _M)
    at = start
    while at + uint64(8) <= end:
        word = uint64(0)
        for i in range(8):
            word |= uint64(data[at + uint64(i)]) << uint64(8 * i)
        word *= _M
        word = (word ^ (word >> uint64(47))) * _M
        value = (value ^ word) * _M
        at += uint64(8)
    if at < end:
        word = uint64(0)
        for i in range(end - at):
            word |= uint64(data[at + uint64(i)]) << (uint64(8) * uint64(i))
        value = (value ^ word) * _M
    value = (value ^ (value >> uint64(47))) * _M
    return value ^ (value >> uint64(47))


@compiled
def answer_segments(
    data: Bytes,
    starts: Positions,
    ends: Positions,
    skips: Positions,
    first: int,
    last: int,
    width: int,
    stride: int,
    hashes: int,
    bits: Any,
    array: Bytes,
    hits: Bytes,
    counts: Positions,
) -> Any:
    """Look up the n-grams of segments ``first`` to ``last``.

    ``hits`` receives 1 or 0 for each n-gram, ``counts`` the number of n-grams of each segment.

    Returns:
        The number of n-grams.
    """
    bits = uint64(bits)
    num_ngrams = uint64(0)
    for segment in range(first, last):
        before = num_ngrams
        end = uint64(ends[segment])
        tail, head = uint64(starts[segment]), uint64(starts[segment])
        characters, countdown = 0, skips[segment]
        while True:
            while characters < width and head < end:
                head += uint64(1)
                while head < end and data[head] & 0xC0 == 0x80:
                    head += uint64(1)
                characters += 1
            if characters < width:
                break
            if countdown == 0:
                word = _murmur(data, tail, head, _SEED)
                step = _murmur(data, tail, head, word)
                hit = uint8(1)
                for _ in range(hashes):
                    position = word % bits
                    hit = (array[position >> uint64(3)] >> uint8(position & uint64(7))) & uint8(1)
                    if hit == 0:
                        break
                    word += step
                hits[num_ngrams] = hit
                num_ngrams += uint64(1)
                countdown = stride
            countdown -= 1
            tail += uint64(1)
            while tail < head and data[tail] & 0xC0 == 0x80:
                tail += uint64(1)
            characters -= 1
        counts[segment] = num_ngrams - before
    return num_ngrams
