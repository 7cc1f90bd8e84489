"""Damaged portraits, and damaged dumps of RedisBloom."""

import warnings
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

from benchmarks.mutations.damage import damage_folder, damaged_bytes, damaged_json
from benchmarks.mutations.target import Target, WrongNumberError
from selfknow.errors import UserError
from selfknow.portraits import Portrait
from selfknow.portraits.filter import reference
from selfknow.portraits.filter.asking import Asker
from selfknow.portraits.filter.redisbloom import import_redisbloom
from tests.redisbloom_dump import make_dump

_TEXT = "Die Katze saß auf der Matte, and the dog sat by the door; 漢字かな交じり文 🙂 until the sun went down. "
_TEXTS = [_TEXT * 2, "the dog sat by the door; and left", "short", "", None, "x" * 300, "🙂" * 40]
_COMPILED_SHARE, _HASHES = 0.02, 256
_DAMAGES = {".json": (damaged_json, damaged_json, damaged_bytes), ".rbloom": (damaged_bytes,)}


def _make(folder: Path) -> None:
    Portrait.build([_TEXT, _TEXT[::-1]], width=12).save(folder / "portrait")


@cache
def _sound() -> tuple[Portrait, bytes]:
    portrait = Portrait.build([_TEXT, _TEXT[::-1]], width=12)
    return portrait, np.asarray(portrait.array).tobytes()


def _use(folder: Path, chance: Random) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an overfull portrait warns
        portrait = Portrait.load(folder / "portrait")
        if chance.random() < _COMPILED_SHARE:
            _check_reads(portrait, chance)
        return _check_answers(portrait)


def _check_reads(portrait: Portrait, chance: Random) -> None:
    """Check that the compiled loops find the same bits as plain NumPy, which unlike them checks bounds.

    After the first call, this process uses the compiled loops for every portrait.
    """
    if not isinstance(portrait._asker, Asker):
        return
    hashes = np.random.default_rng(chance.getrandbits(32)).integers(0, 1 << 64, _HASHES, np.uint64, endpoint=False)
    expected = reference.answer(hashes, portrait.description.shape, portrait.array)
    if not np.array_equal(portrait._asker._answer(hashes), expected):
        raise WrongNumberError("the compiled loops find other bits than plain NumPy")


def _check_answers(portrait: Portrait) -> str:
    description = portrait.description
    if len(portrait.array) * 8 != description.size_in_bits:
        raise WrongNumberError("the number of mapped bits is not that of the description")
    refusal = None
    try:
        portrait.verify()
    except UserError as error:
        refusal = error
    sound, bits = _sound()
    if refusal is None and np.asarray(portrait.array).tobytes() != bits:
        raise WrongNumberError("verify() passes bits that were damaged")
    portrait.info()
    _check_quotes(portrait)
    same = all(
        getattr(description, name) == getattr(sound.description, name)
        for name in ("width", "stride", "normalization", "hash", "size_in_bits", "hashes")
    )
    answers = _answers(portrait)
    if refusal is not None:
        raise refusal
    if same and not np.array_equal(answers, _answers(sound), equal_nan=True):
        raise WrongNumberError("sound bits give other scores")
    return "same" if description == sound.description else "other"


def _answers(portrait: Portrait) -> np.ndarray:
    if portrait.description.stride != 1:
        hits, ngrams = portrait.count_hits(_TEXTS)
        if (hits > ngrams).any() or (hits < 0).any():
            raise WrongNumberError("more hits than n-grams")
        return np.concatenate([hits, ngrams]).astype(float)
    scores = portrait.quip(_TEXTS)
    if ((scores < 0) | (scores > 1)).any():
        raise WrongNumberError(f"a score outside of 0 to 1: {scores}")
    return scores


def _check_quotes(portrait: Portrait) -> None:
    for text in _TEXTS[:2]:
        for quote in portrait.quotes(str(text)):
            if not 0 <= quote.start < quote.end <= len(str(text)):
                raise WrongNumberError(f"{quote} of a text of {len(str(text))} characters")


PORTRAITS = Target(
    "portraits", _make, lambda folder, chance: damage_folder(folder / "portrait", chance, _DAMAGES), _use
)


def _use_dump(folder: Path, chance: Random) -> str:  # noqa: ARG001
    import_redisbloom(folder / "d.7-1.bf", folder / "out")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        portrait = Portrait.load(folder / "out")
        portrait.verify()
        portrait.info()
        _answers(portrait)
        _check_quotes(portrait)
    return "other"


DUMPS = Target(
    "RedisBloom dumps",
    make_dump,
    lambda folder, chance: damage_folder(folder, chance, {".bf": (damaged_json, damaged_json, damaged_bytes)}),
    _use_dump,
)
