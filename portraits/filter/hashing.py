"""The hash of an n-gram in plain Python. Every faster path must agree with it.

``rbloom.Bloom.load("bits.rbloom", ngram_hash)`` answers like the portrait itself::

    >>> f"{ngram_hash('What I cannot create, I d'):x}"
    '4e3a00e355f8e32e4e3a00e3'

The n-gram's UTF-8 bytes are reduced to a fingerprint modulo the Mersenne prime 2^61 - 1 (Karp and Rabin, 1987). It can
be rolled along a text at a cost that does not grow with the width. The finaliser of splitmix64 (Steele, Lea and Flood,
2014) spreads the fingerprint over 64 bits. These fill the low 96 bits, on which rbloom's probes depend. Two different
n-grams of L bytes share a fingerprint with a probability of about L / 2^61.
"""

HASH_NAME = "karp-rabin-61-splitmix64"
MERSENNE_61 = (1 << 61) - 1
BASE = 0x9E3779B97F4A7C15 >> 3  # the golden ratio's first 61 bits
SPLITMIX_1 = 0xBF58476D1CE4E5B9
SPLITMIX_2 = 0x94D049BB133111EB
MASK_64 = (1 << 64) - 1


def ngram_hash(ngram: str) -> int:
    """Hash an n-gram to the integer that ``rbloom`` derives its probes from.

    Args:
        ngram: Text of any length; its UTF-8 bytes are hashed.

    Returns:
        A non-negative integer below 2^96.
    """
    mixed = mix(fingerprint(ngram.encode()))
    return mixed << 32 | mixed >> 32


def fingerprint(data: bytes) -> int:
    """Return the Karp-Rabin fingerprint: the bytes, each plus one, as digits in ``BASE`` modulo 2^61 - 1."""
    value = 0
    for byte in data:
        value = (value * BASE + byte + 1) % MERSENNE_61
    return value


def mix(value: int) -> int:
    """Spread a fingerprint over all 64 bits (splitmix64's finaliser, a bijection)."""
    value = (value ^ value >> 30) * SPLITMIX_1 & MASK_64
    value = (value ^ value >> 27) * SPLITMIX_2 & MASK_64
    return value ^ value >> 31
