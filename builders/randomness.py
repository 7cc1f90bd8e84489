"""Counter-based random words, and a keyed permutation of whole numbers.

Every word has a fixed address (seed, size, stream, counter), so any part of a corpus can be made alone. Only the raw
words of NumPy's Philox are used, since NumPy promises no more than that these stay the same between versions.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
WORDS_PER_COUNTER = 4
_FEISTEL_ROUNDS = 8


class Stream(IntEnum):
    """The purpose that a word is drawn for; streams never overlap."""

    ENTRIES = 0
    ENTRY_COUNTS = 1
    ROW_ORDER = 2
    NAMES = 3
    INSTANCES = 4


@dataclass(frozen=True)
class RandomKey:
    """The key of Philox: a seed and the number of individuals, both below 2**64."""

    seed: int
    size: int

    def words(self, stream: Stream, first_counter: int, num_counters: int) -> Words:
        """Return the words of consecutive counters of a stream, four for each counter, as one flat array.

        >>> key = RandomKey(seed=0, size=994)
        >>> both = key.words(Stream.ENTRIES, first_counter=0, num_counters=2)
        >>> bool((both[4:] == key.words(Stream.ENTRIES, first_counter=1, num_counters=1)).all())
        True
        """
        key = np.array([self.seed, self.size], dtype=np.uint64)  # a list of large numbers would become floats
        generator = np.random.Philox(key=key, counter=np.array([0, 0, 0, stream], dtype=np.uint64))
        generator.advance(first_counter)
        return generator.random_raw(WORDS_PER_COUNTER * num_counters)


def counters_for(num_words: int) -> int:
    """Return the number of counters that hold this many words."""
    return -(-num_words // WORDS_PER_COUNTER)


def permute(numbers: Words, domain_size: int, key: RandomKey) -> Words:
    """Permute the numbers below ``domain_size``: each is mapped to such a number, and no two to the same.

    A Feistel network permutes a domain of the next even number of bits. It is applied again to results outside the
    domain (Black and Rogaway, Ciphers with Arbitrary Finite Domains, 2002). It shuffles; it does not encrypt.

    Args:
        numbers: Whole numbers below ``domain_size``.
        domain_size: The size of the domain, at least 2.
        key: The key of the permutation.
    """
    half_bits = np.uint64(-(-(domain_size - 1).bit_length() // 2))
    round_keys = key.words(Stream.NAMES, 0, counters_for(_FEISTEL_ROUNDS))
    permuted = _feistel(numbers, half_bits, round_keys)
    while (outside := permuted >= domain_size).any():
        permuted[outside] = _feistel(permuted[outside], half_bits, round_keys)
    return permuted


def _feistel(numbers: Words, half_bits: np.uint64, round_keys: Words) -> Words:
    mask = (np.uint64(1) << half_bits) - np.uint64(1)
    left, right = numbers >> half_bits, numbers & mask
    for round_key in round_keys[:_FEISTEL_ROUNDS]:
        left, right = right, left ^ (_mix(right ^ round_key) & mask)
    return (left << half_bits) | right


def _mix(words: Words) -> Words:
    """Apply SplitMix64's finaliser (Steele, Lea and Flood, 2014): every input bit reaches every output bit."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
