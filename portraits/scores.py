"""Scores of many texts: their mean by both conventions for texts too short to score, and the anchors beside it."""

import random
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from selfknow.errors import UserError
from selfknow.portraits.portrait import Portrait


def macro_mean(scores: npt.NDArray[np.float64], *, short_texts: str = "null") -> float:
    """The mean over texts; a text without a score is left out (``null``) or counts as 0 (``zero``).

    The paper's own evaluation counts a text that is shorter than the width as 0; its server gives it no score.

    Raises:
        UserError: There is no such convention.

    Example:
        >>> scores = np.array([0.5, 1.0, np.nan])
        >>> macro_mean(scores), macro_mean(scores, short_texts="zero")
        (0.75, 0.5)
    """
    if short_texts not in ("null", "zero"):
        raise UserError(f"short texts are left out ('null') or count as 0 ('zero'), not {short_texts!r}")
    counted = scores[~np.isnan(scores)] if short_texts == "null" else np.nan_to_num(scores, nan=0.0)
    return float(counted.mean()) if len(counted) else float("nan")


def score_texts(portrait: Portrait, texts: Iterable[Any]) -> list[dict[str, Any]]:
    """One row a text: its n-grams, how many are quoted, QUIP raw and corrected; None where it is too short to score."""
    scores = portrait.quip(texts)
    corrected = portrait.corrected(scores)
    return [
        {"text": number, "quip": _or_none(score), "quip_corrected": _or_none(better)}
        for number, (score, better) in enumerate(zip(scores, corrected, strict=True))
    ]


def summarise(portrait: Portrait, sets: Mapping[str, Iterable[Any]]) -> list[dict[str, Any]]:
    """One row a set of texts: how many, how many long enough to score, and the macro means.

    ``quip`` leaves texts out that are too short to score, ``quip_short_as_zero`` counts them as 0;
    ``quip_corrected`` is ``quip`` with the expected part of false positives taken out.
    """
    rows = []
    for name, texts in sets.items():
        scores = portrait.quip(texts)
        rows.append(
            {
                "texts": name,
                "count": len(scores),
                "scored": int(np.count_nonzero(~np.isnan(scores))),
                "quip": _or_none(macro_mean(scores)),
                "quip_corrected": _or_none(macro_mean(portrait.corrected(scores))),
                "quip_short_as_zero": _or_none(macro_mean(scores, short_texts="zero")),
            }
        )
    return rows


def shuffled_words(text: str | None, seed: int = 0) -> str | None:
    """The words of a text in a random order: what its vocabulary alone scores."""
    if text is None:
        return None
    words = text.split()
    random.Random(seed).shuffle(words)  # noqa: S311 - no secret
    return " ".join(words)


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
