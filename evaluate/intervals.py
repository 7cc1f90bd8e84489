"""Intervals for what was counted: Wilson's for a share, a bootstrap for the difference of two paired ones."""

import math
from collections.abc import Sequence

import numpy as np

_NORMAL_QUANTILE_95 = 1.959963984540054
_RESAMPLES = 10_000


def wilson(successes: float, n: int) -> tuple[float, float]:
    """Wilson's score interval for a share of independent trials, at 95%.

    Wilson, Probable inference, the law of succession, and statistical inference, 1927.

    Returns:
        Its two ends, between 0 and 1; both nan where ``n`` is 0.

    Example:
        >>> [round(end, 3) for end in wilson(8, 10)]
        [0.49, 0.943]
    """
    if n == 0:
        return math.nan, math.nan
    z2 = _NORMAL_QUANTILE_95**2
    share = successes / n
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _NORMAL_QUANTILE_95 / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def paired_difference(one: Sequence[float], other: Sequence[float], seed: int = 0) -> tuple[float, float, float]:
    """The mean of ``one`` less that of ``other``, two scores of the same questions, and its 95% interval.

    The questions are resampled, so that what is hard for both stays together (percentile bootstrap).

    Returns:
        The difference and the two ends of its interval.
    """
    differences = np.asarray(one, dtype=float) - np.asarray(other, dtype=float)
    if differences.ndim != 1 or not len(differences) or len(one) != len(other):
        raise ValueError("two scores for each of the same questions are wanted")
    generator = np.random.default_rng(seed)
    means = [generator.choice(differences, len(differences)).mean() for _ in range(_RESAMPLES)]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(differences.mean()), float(low), float(high)
