"""The kernel in plain NumPy, for small queries and as the reference that tests compare the kernel with.

It needs no compilation, so a new process answers its first small query at once.
"""

import numpy as np
import numpy.typing as npt

from selfknow.portraits.filter.hashing import BASE, MERSENNE_61, SPLITMIX_1, SPLITMIX_2
from selfknow.portraits.filter.layout import FilterShape, probe_constants
from selfknow.portraits.filter.segments import Bytes, Positions

Words = npt.NDArray[np.uint64]
_U = np.uint64
_PRIME = _U(MERSENNE_61)


def ngram_bounds(data: Bytes, offsets: Positions, width: int, stride: int) -> tuple[Positions, Positions, Positions]:
    """Return the first byte of each n-gram, one past its last byte, and the number of n-grams of each text.

    Args:
        data: UTF-8 bytes of all texts.
        offsets: Start of each text and end of the last, in bytes; shape (texts + 1,).
        width: Characters of an n-gram.
        stride: Characters from one n-gram to the next.
    """
    begin, end = int(offsets[0]), int(offsets[-1])
    (leads,) = np.nonzero((data[begin:end] & 0xC0) != 0x80)
    leads = np.append(leads + begin, end)
    first_lead = np.searchsorted(leads[:-1], offsets)
    counts = np.maximum(0, (np.diff(first_lead) - width) // stride + 1)
    text_numbers = np.repeat(np.arange(len(counts)), counts)
    ngram_numbers = np.arange(len(text_numbers)) - np.repeat(np.cumsum(counts) - counts, counts)
    starts = first_lead[text_numbers] + ngram_numbers * stride
    return leads[starts], leads[starts + width], counts


def hash_ngrams(data: Bytes, starts: Positions, ends: Positions) -> Words:
    """Return the 64 mixed bits of each n-gram (``hashing.mix`` of its fingerprint)."""
    lengths = ends - starts
    values = np.zeros(len(starts), np.uint64)
    for i in range(int(lengths.max(initial=0))):
        inside = lengths > i
        longer = _multiply_by_base(values) + data[np.where(inside, starts + i, 0)] + _U(1)
        values = np.where(inside, np.where(longer < _PRIME, longer, longer - _PRIME), values)
    values = (values ^ values >> _U(30)) * _U(SPLITMIX_1)
    values = (values ^ values >> _U(27)) * _U(SPLITMIX_2)
    return np.asarray(values ^ values >> _U(31))


def _multiply_by_base(values: Words) -> Words:
    """Return ``values * BASE`` modulo 2^61 - 1, from 32-bit halves: 2^61 counts as 1, and so 2^64 as 8."""
    high, low = values >> _U(32), values & _U(0xFFFFFFFF)
    base_high, base_low = _U(BASE >> 32), _U(BASE & 0xFFFFFFFF)
    middle = high * base_low + low * base_high
    bottom = low * base_low
    total = (
        (high * base_high << _U(3))
        + (middle >> _U(29))
        + ((middle & _U((1 << 29) - 1)) << _U(32))
        + (bottom & _PRIME)
        + (bottom >> _U(61))
    )
    total = (total & _PRIME) + (total >> _U(61))
    return np.asarray(np.where(total < _PRIME, total, total - _PRIME))


def positions(hashes: Words, probe: int, shape: FilterShape) -> Words:
    """Return the bit position of each n-gram's probe number ``probe``."""
    by_hash, by_upper, by_upper_low, low, middle = probe_constants(shape.hashes)[probe]
    upper = hashes >> _U(32)
    words = hashes * by_hash + upper * by_upper + (upper * by_upper_low + low >> _U(32)) + middle
    return np.asarray(words % _U(shape.size_in_bits))


def set_bits(hashes: Words, shape: FilterShape, array: Bytes) -> None:
    """Add n-grams to a bit array."""
    for probe in range(shape.hashes):
        bits = positions(hashes, probe, shape)
        np.bitwise_or.at(array, bits >> _U(3), np.left_shift(1, bits & _U(7)).astype(np.uint8))


def answer(hashes: Words, shape: FilterShape, array: Bytes) -> Bytes:
    """Look up n-grams in a bit array, and return one uint8 for each: 1 for a hit, 0 for a miss."""
    hits = np.zeros(len(hashes), np.uint8)
    alive = np.arange(len(hashes))
    for probe in range(shape.hashes):
        bits = positions(hashes[alive], probe, shape)
        alive = alive[(array[bits >> _U(3)] >> (bits & _U(7)).astype(np.uint8)) & 1 == 1]
    hits[alive] = 1
    return hits
