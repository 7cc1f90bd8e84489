"""The difference in accuracy between two setups of the same diaries, with the same questions."""

from collections.abc import Sequence

import numpy as np

_RESAMPLES = 10_000


def paired_difference(
    scores: Sequence[float], other_scores: Sequence[float], seed: int = 0
) -> tuple[float, float, float]:
    """Return the mean difference of two lists of scores of the same questions, with its 95% interval.

    The interval is a percentile bootstrap over questions, so the two scores of a question stay together.

    Returns:
        The difference (``scores`` minus ``other_scores``), and the lower and upper end of its interval.
    """
    differences = np.asarray(scores, dtype=float) - np.asarray(other_scores, dtype=float)
    if differences.ndim != 1 or not len(differences) or len(scores) != len(other_scores):
        raise ValueError("the two lists need a score for each of the same questions")
    generator = np.random.default_rng(seed)
    means = [generator.choice(differences, len(differences)).mean() for _ in range(_RESAMPLES)]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(differences.mean()), float(low), float(high)
