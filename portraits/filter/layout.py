"""The Bloom filter's layout: its number of bits and hashes, the bits that an n-gram probes, and the file's header.

The layout is rbloom's (version 1.5), so that ``bits.rbloom`` loads there: 8 bytes with the number of hashes,
little-endian, then the bit array, least significant bit of a byte first. Probe i of a hash h is the bit
``(s_i >> 32) mod 2^64 mod bits``, where ``s_0 = h`` and ``s_i = s_(i-1) * MULTIPLIER + 1 mod 2^128``.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from selfknow.errors import UserError

MULTIPLIER = 47026247687942121848144207491837418733
HEADER_SIZE_IN_BYTES = 8
MAX_HASHES = 64
_MASK_32, _MASK_64, _MASK_128 = (1 << 32) - 1, (1 << 64) - 1, (1 << 128) - 1


@dataclass(frozen=True)
class FilterShape:
    """The size of a Bloom filter.

    Attributes:
        size_in_bits: A multiple of 8.
        hashes: Bits set for each n-gram.
    """

    size_in_bits: int
    hashes: int

    @classmethod
    def for_capacity(cls, capacity: int, false_positive_rate: float) -> "FilterShape":
        """Return the smallest filter that keeps the promised rate with ``capacity`` distinct n-grams.

        The number of hashes is rbloom's, ``floor(log2(1 / rate))`` for all rates that matter. rbloom's number of bits
        would miss the promised rate by 2% at 0.001, so the bits are computed from the hashes. That takes 0.3% more
        bits, but a tenth fewer probes than one more hash.

        Args:
            capacity: Distinct n-grams, at least 1.
            false_positive_rate: Between 0 and 1, both excluded.

        Raises:
            UserError: Capacity or rate is out of range.
        """
        if capacity < 1:
            raise UserError(f"a portrait's capacity must be at least 1, not {capacity}")
        if not 1e-15 <= false_positive_rate <= 0.5:
            raise UserError(f"a false positive rate must be between 1e-15 and 0.5, not {false_positive_rate}")
        hashes = max(1, math.floor(-math.log2(false_positive_rate)))
        fill = false_positive_rate ** (1 / hashes)
        size_in_bits = math.ceil(-hashes * capacity / math.log1p(-fill))
        return cls(size_in_bits=-(-size_in_bits // 64) * 64, hashes=hashes)

    @property
    def size_in_bytes(self) -> int:
        """Bytes of the bit array, without the header."""
        return self.size_in_bits // 8

    def false_positive_rate(self, ones: int) -> float:
        """Return the actual rate of a filter with ``ones`` bits set: (ones / bits) ^ hashes."""
        return float((ones / self.size_in_bits) ** self.hashes)

    def estimate_distinct(self, ones: int) -> int:
        """Estimate the distinct n-grams that set ``ones`` bits (Swamidass and Baldi, 2007)."""
        if ones >= self.size_in_bits:
            return self.size_in_bits
        return round(-self.size_in_bits / self.hashes * math.log1p(-ones / self.size_in_bits))

    def expected_ones(self, distinct: int) -> float:
        """Return the expected number of bits that ``distinct`` n-grams set."""
        return -self.size_in_bits * math.expm1(-self.hashes * distinct / self.size_in_bits)


def probe_positions(ngram_hash: int, shape: FilterShape) -> Iterator[int]:
    """Yield the bit positions of an n-gram, in plain Python; position p is bit ``p & 7`` of byte ``p >> 3``."""
    state = ngram_hash
    for _ in range(shape.hashes):
        state = (state * MULTIPLIER + 1) & _MASK_128
        yield (state >> 32 & _MASK_64) % shape.size_in_bits


def probe_constants(hashes: int) -> npt.NDArray[np.uint64]:
    """Return the constants of the probes in 64-bit arithmetic, five for each probe.

    After i steps ``s_i = h * M_i + C_i mod 2^128``. The hash h is ``z << 32 | z >> 32`` for a 64-bit z. So the middle
    64 bits of s_i, from which the position follows, are (modulo 2^64 and with y = z >> 32)::

        z * low64(M_i) + y * middle64(M_i) + (y * low32(M_i) + low32(C_i) >> 32) + middle64(C_i)

    Returns:
        uint64, shape (hashes, 5), columns in the order of the formula.
    """
    rows = []
    multiplier, constant = 1, 0
    for _ in range(hashes):
        multiplier = multiplier * MULTIPLIER & _MASK_128
        constant = (constant * MULTIPLIER + 1) & _MASK_128
        rows.append(
            (
                multiplier & _MASK_64,
                multiplier >> 32 & _MASK_64,
                multiplier & _MASK_32,
                constant & _MASK_32,
                constant >> 32 & _MASK_64,
            )
        )
    return np.array(rows, dtype=np.uint64)


def pack_header(hashes: int) -> bytes:
    """Return the file's first 8 bytes."""
    return hashes.to_bytes(HEADER_SIZE_IN_BYTES, "little")
