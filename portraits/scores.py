"""Scores of many texts: a row for each, macro means with short texts left out or as 0, and shuffled texts."""

import random
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from selfknow.errors import UserError
from selfknow.portraits.portrait import Portrait


def macro_mean(scores: npt.NDArray[np.float64], *, short_texts: str = "null") -> float:
    """Return the mean over texts; a text without a score is left out (``null``) or counts as 0 (``zero``).

    The paper's evaluation counts a text shorter than the width as 0; its server gives it no score.

    Raises:
        UserError: ``short_texts`` is neither ``null`` nor ``zero``.

    Example:
        >>> scores = np.array([0.5, 1.0, np.nan])
        >>> macro_mean(scores), macro_mean(scores, short_texts="zero")
        (0.75, 0.5)
    """
    if short_texts not in ("null", "zero"):
        raise UserError(f"short texts are left out ('null') or count as 0 ('zero'), not {short_texts!r}")
    values = scores[~np.isnan(scores)] if short_texts == "null" else np.nan_to_num(scores, nan=0.0)
    return float(values.mean()) if len(values) else float("nan")


def score_texts(portrait: Portrait, texts: Iterable[Any]) -> list[dict[str, Any]]:
    """Return one row for each text: its number, its QUIP and its corrected QUIP (None if it is too short)."""
    scores = portrait.quip(texts)
    corrected = portrait.corrected(scores)
    return [
        {"text": number, "quip": _none_if_nan(score), "quip_corrected": _none_if_nan(corrected_score)}
        for number, (score, corrected_score) in enumerate(zip(scores, corrected, strict=True))
    ]


def summarise(portrait: Portrait, sets: Mapping[str, Iterable[Any]]) -> list[dict[str, Any]]:
    """Return one row for each set of texts: its size, the texts long enough to score, and the macro means.

    ``quip`` leaves out texts that are too short to score, ``quip_short_as_zero`` counts them as 0;
    ``quip_corrected`` is ``quip`` less the expected false positives.
    """
    rows = []
    for name, texts in sets.items():
        scores = portrait.quip(texts)
        rows.append(
            {
                "texts": name,
                "count": len(scores),
                "scored": int(np.count_nonzero(~np.isnan(scores))),
                "quip": _none_if_nan(macro_mean(scores)),
                "quip_corrected": _none_if_nan(macro_mean(portrait.corrected(scores))),
                "quip_short_as_zero": _none_if_nan(macro_mean(scores, short_texts="zero")),
            }
        )
    return rows


def shuffled_words(text: str | None, seed: int = 0) -> str | None:
    """Shuffle the words of a text; its score is what the vocabulary alone earns."""
    if text is None:
        return None
    words = text.split()
    random.Random(seed).shuffle(words)  # noqa: S311 - no secret
    return " ".join(words)


def _none_if_nan(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
