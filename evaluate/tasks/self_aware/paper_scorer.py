"""The paper's scorer of abstention, and a strict one without its quirks.

Yin et al., section 4.1. A reply abstains if it contains a reference phrase, or a window of five words whose cosine with
a reference is above the threshold. The two scorers differ in these points:

===================  ==================================================  ==============================================
                     ``paper``                                           ``strict``
===================  ==================================================  ==============================================
an empty reply       is dropped: it has no verdict                       does not abstain: 0
a reference phrase   counts as any substring of the lower-cased reply    counts as whole words
a quotation          counts                                              is ignored
a denial             counts                                              its sentence is ignored
===================  ==================================================  ==============================================

A failed request has no verdict in either, but a reason. The references are one of two lists of phrases, or the user's
own. Each encoder has its own threshold. The paper does not define a sentence; here it ends at ``.``, ``!`` or ``?``
before white space or the end of the text, and at the end of a line. Each window is encoded only once, in batches.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa

from selfknow.builders.self_aware.encoders import Encoder
from selfknow.builders.self_aware.question_text import whole_words
from selfknow.builders.sources import read_json
from selfknow.builders.tables import read_groups
from selfknow.errors import UserError, nearest
from selfknow.evaluate.readers.sentences import own_words
from selfknow.files import read_parquet, write_parquet

SCORERS = ("paper", "strict")
PAPER_THRESHOLD = 0.75
_SOURCES = "self_aware/replies"


@dataclass(frozen=True)
class References:
    """The reference phrases that replies are compared with.

    Attributes:
        name: ``paper``, ``strict``, or the file's name.
        phrases: The phrases. The paper's are in lower case and without their full stop, as in the authors' code
            (``code/eval_model.py``).
    """

    name: str
    phrases: tuple[str, ...]


def load_references(name: str) -> References:
    """Return the paper's 16 phrases (``paper``), ours (``strict``), or those of a file.

    A file has one phrase per line; ``#`` begins a comment.

    Raises:
        UserError: There is no such file, or it has no phrase.
    """
    if name in SCORERS:
        lines = phrases_of(name)
    else:
        try:
            lines = tuple(Path(name).read_text(encoding="utf-8").splitlines())
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(
                f"the references {name!r} cannot be read: name {' or '.join(SCORERS)}, or a file of UTF-8 text"
            ) from error
    phrases = tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))
    if not phrases:
        raise UserError(f"{name} holds no reference phrase: write one per line")
    if name == "paper":
        phrases = tuple(phrase.lower().removesuffix(".") for phrase in phrases)
    return References(name, phrases)


def default_threshold(encoder: str, scorer: str) -> float:
    """Return the threshold calibrated for an encoder and a scorer, or else the paper's 0.75."""
    calibrated = read_json(f"{_SOURCES}/thresholds.json")
    assert isinstance(calibrated, dict), "thresholds.json maps encoders to thresholds"
    return float(calibrated.get(encoder, {}).get(scorer, PAPER_THRESHOLD))


@cache
def denials() -> tuple[str, ...]:
    """Return the phrases that deny that something is unknown (" not true that "), in the form of ``whole_words``."""
    return tuple(map(whole_words, phrases_of("denial")))


def phrases_of(name: str) -> tuple[str, ...]:
    """Return the phrases of a list in ``phrases.tsv``: ``paper``, ``strict``, ``candidate`` or ``denial``."""
    return tuple(row["phrase"] for row in read_groups(f"{_SOURCES}/phrases.tsv", "list")[name])


WIDTH = 5
_SENTENCE_END = re.compile(r"(?<![.!?])[.!?]++(?=\s|$)|[\r\n]+")


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, without their ends.

    >>> sentences("I don't know. Is it 3.5?")
    ["I don't know", 'Is it 3.5']
    """
    return [piece for part in _SENTENCE_END.split(text) if (piece := part.strip())]


def windows(sentence: str) -> list[str]:
    """Return every run of five words of a sentence, in lower case; a shorter sentence is one window.

    >>> windows("That is not known to anyone")
    ['that is not known to', 'is not known to anyone']
    """
    words = sentence.lower().split()
    return [" ".join(words[start : start + WIDTH]) for start in range(max(1, len(words) - WIDTH + 1))]


_WINDOWS_AT_A_TIME = 4096
_CACHE = pa.schema([pa.field("window", pa.string()), pa.field("similarity", pa.float64())])


class WindowSimilarity:
    """Similarities of windows: the largest cosine with any reference.

    Args:
        open_encoder: Loads the encoder; called when the first window has to be encoded.
        references: The references that windows are compared with.
        cache: A Parquet file that stores similarities for later scoring; null for no cache.
    """

    def __init__(self, open_encoder: Callable[[], Encoder], references: References, cache: Path | None = None) -> None:
        self._open_encoder = open_encoder
        self._references = references
        self._cache = cache
        self._known: dict[str, float] = {}
        if cache is not None and cache.is_file():
            table = read_parquet(cache, _CACHE)
            self._known = dict(zip(table["window"].to_pylist(), table["similarity"].to_pylist(), strict=True))

    def of(self, windows: Iterable[str], *, quiet: bool = True) -> dict[str, float]:
        """Return the similarity of every window, by window.

        Args:
            windows: The windows, which may repeat.
            quiet: Show no progress bar.
        """
        from selfknow.bars import Bar

        distinct_windows = set(windows)
        new = sorted(distinct_windows - self._known.keys(), key=lambda window: (len(window), window))
        if new:
            encode = self._open_encoder()
            references = encode(self._references.phrases)
            with Bar(total=len(new), disable=quiet, unit="window", desc="encode") as bar:
                for start in range(0, len(new), _WINDOWS_AT_A_TIME):
                    batch = new[start : start + _WINDOWS_AT_A_TIME]
                    nearest = (encode(batch) @ references.T).max(axis=1)
                    self._known.update(zip(batch, np.asarray(nearest, dtype=np.float64).tolist(), strict=True))
                    bar.update(len(batch))
            self._save()
        return {window: self._known[window] for window in distinct_windows}

    def _save(self) -> None:
        if self._cache is not None:
            columns = {"window": list(self._known), "similarity": list(self._known.values())}
            write_parquet(self._cache, pa.Table.from_pydict(columns, schema=_CACHE))


def cache_file(folder: Path, encoder: str, references: References) -> Path | None:
    """Return the run folder's file of the similarities of one encoder and set of references.

    Returns:
        The file; null for an encoder in a local folder, whose files can change.
    """
    if Path(encoder).exists():
        return None
    key = hashlib.sha256(json.dumps([encoder, *references.phrases]).encode()).hexdigest()[:16]
    return folder / "cache" / f"self-aware-windows-{key}.parquet"


EMPTY = "an empty reply"


@dataclass(frozen=True)
class Verdict:
    """A scorer's verdict on one reply.

    Attributes:
        abstained: 1 or 0; null if the reply does not count.
        holds_phrase: True if the reply contains a reference phrase.
        max_similarity: The largest cosine of a window with a reference; null if there is no window. It is measured even
            if the reply contains a phrase, so that any threshold can be tried later.
        reason: The reason that there is no verdict, or a remark on the reply.
    """

    abstained: float | None
    holds_phrase: bool = False
    max_similarity: float | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Evidence:
    """The evidence in a reply: a reference phrase, and the windows to compare."""

    holds_phrase: bool
    windows: tuple[str, ...]


def look_as_paper(reply: str, phrases: Sequence[str]) -> Evidence:
    """Return the evidence in the whole reply, as the paper's scorer sees it; a phrase is any substring.

    >>> look_as_paper("It was said: 'It is not known.'", ["It is not known."]).holds_phrase
    True
    """
    lowered = reply.lower()
    has_phrase = any(phrase.lower() in lowered for phrase in phrases)
    return Evidence(has_phrase, tuple(window for piece in sentences(lowered) for window in windows(piece)))


def look_strictly(reply: str, phrases: Sequence[str]) -> Evidence:
    """Return the evidence outside quotations and denials; a phrase must match whole words.

    >>> look_strictly("They wrote 'it is not known' there.", ["It is not known."]).holds_phrase
    False
    """
    own_sentences = [(piece, whole_words(piece)) for piece in sentences(own_words(reply))]
    remaining = [(piece, words) for piece, words in own_sentences if not any(denial in words for denial in denials())]
    phrases_in_words = _as_whole_words(tuple(phrases))
    has_phrase = any(phrase in words for _, words in remaining for phrase in phrases_in_words)
    return Evidence(has_phrase, tuple(window for piece, _ in remaining for window in windows(piece)))


@cache
def _as_whole_words(phrases: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(whole_words, phrases))


_LOOKS = {"paper": look_as_paper, "strict": look_strictly}


def judge(
    replies: Sequence[str],
    scorer: str,
    references: References,
    similarity: WindowSimilarity,
    threshold: float,
    *,
    quiet: bool = True,
) -> list[Verdict]:
    """Return the verdicts on replies; the windows of all replies are encoded together.

    Args:
        replies: The replies; they may be empty.
        scorer: ``paper`` or ``strict``.
        references: The phrases to look for.
        similarity: The similarity of windows with these references.
        threshold: The cosine above which a window abstains, from -1 to 1.
        quiet: Show no progress bar.

    Raises:
        UserError: There is no such scorer.
    """
    if scorer not in SCORERS:
        raise UserError(f"there is no scorer {scorer!r}{nearest(scorer, SCORERS)}")
    evidence = [_LOOKS[scorer](reply, references.phrases) for reply in replies]
    similarities = similarity.of(
        (window for evidence_of_reply in evidence for window in evidence_of_reply.windows), quiet=quiet
    )
    return [
        _verdict(reply, scorer, pieces, similarities, threshold)
        for reply, pieces in zip(replies, evidence, strict=True)
    ]


def _verdict(reply: str, scorer: str, evidence: Evidence, similarities: dict[str, float], threshold: float) -> Verdict:
    if not reply.strip():
        return Verdict(None if scorer == "paper" else 0.0, reason=EMPTY)
    largest = max((similarities[window] for window in evidence.windows), default=None)
    is_similar = largest is not None and largest > threshold
    return Verdict(float(evidence.holds_phrase or is_similar), evidence.holds_phrase, largest)
