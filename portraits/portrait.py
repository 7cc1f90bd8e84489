"""A portrait of a corpus: a Bloom filter of its character n-grams, which finds the parts of a text that it quotes."""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from selfknow.errors import SelfknowWarning, UserError
from selfknow.portraits.description import MAX_WIDTH, REDISBLOOM_HASH, Description
from selfknow.portraits.filter.segments import Bytes, Positions
from selfknow.portraits.normalization import check_normalization, normalize, normalize_with_positions
from selfknow.portraits.quotes import Quote, Spans, quoted_spans, trim_quotes
from selfknow.portraits.storage import read_folder, verify, write_folder

DEFAULT_WIDTH = 25  # characters, as in the paper's QUIP
DEFAULT_FALSE_POSITIVE_RATE = 1e-3


class OverfullPortraitWarning(SelfknowWarning):
    """A warning that a portrait holds more n-grams than its capacity, so more hits are false than promised."""


@dataclass(frozen=True, eq=False)
class Portrait:
    """A portrait of a corpus: its description and its bits.

    Attributes:
        description: The content of ``portrait.json``.
        array: The bits, uint8, shape (size_in_bits / 8,); memory-mapped if the portrait was loaded.

    Example:
        >>> portrait = Portrait.build(["The cat sat on the mat, and the dog sat by the door."])
        >>> portrait.quip(["The cat sat on the mat, and then it left."]).round(2)
        array([0.41])
        >>> portrait.quotes("Yes: the dog sat by the door. No.")
        [Quote(start=4, end=29)]
    """

    description: Description
    array: Bytes

    @classmethod
    def build(
        cls,
        texts: Iterable[Any],
        *,
        width: int = DEFAULT_WIDTH,
        stride: int = 1,
        capacity: int | None = None,
        false_positive_rate: float = DEFAULT_FALSE_POSITIVE_RATE,
        normalization: str = "none",
        threads: int | None = None,
        corpus: Mapping[str, Any] | None = None,
        progress: bool = False,
        folder: Path | None = None,
    ) -> "Portrait":
        """Build a portrait of texts. The bits depend neither on the texts' order nor on the number of threads.

        Args:
            texts: A ``Corpus``, an Arrow array of strings, or any iterable of strings or Arrow arrays; read in bounded
                memory. ``None`` and texts shorter than the width add nothing.
            width: Characters (Unicode code points) of an n-gram; 25 for QUIP, 50 for membership.
            stride: Characters from one n-gram to the next, from each text's start: 1 for QUIP, 50 for membership. A
                tail that fills no n-gram is dropped.
            capacity: Distinct n-grams to make room for; estimated in an extra pass over the texts by default.
            false_positive_rate: Rate promised at capacity.
            normalization: ``none`` or ``data-portraits``.
            threads: Number of threads; all cores by default.
            corpus: Description of the corpus for ``portrait.json``; a ``Corpus`` has its own.
            progress: Show a progress bar on stderr.
            folder: Folder that the portrait will be saved to. The build of a ``Corpus`` saves its progress there. If
                it is killed, the next call resumes, repeats about a minute of work, and sets the same bits.

        Raises:
            UserError: The corpus has no n-gram, an argument is out of range, or an item is not a text.

        Warns:
            OverfullPortraitWarning: The corpus has more distinct n-grams than ``capacity``.
        """
        from selfknow.portraits.building import build

        check_sizes(width, stride)
        portrait = cls(*build(
            texts,
            width=width,
            stride=stride,
            capacity=capacity,
            false_positive_rate=false_positive_rate,
            normalization=check_normalization(normalization),
            threads=threads,
            corpus=corpus,
            progress=progress,
            folder=folder,
        ))  # fmt: skip
        portrait._warn_if_overfull()
        return portrait

    @classmethod
    def load(cls, folder: Path | str) -> "Portrait":
        """Map a portrait folder into memory. The header and the sizes are checked; the bits are not read.

        Raises:
            UserError: There is no portrait, it is damaged, or a newer version of selfknow wrote it.
        """
        return cls(*read_folder(Path(folder)))

    @classmethod
    def from_pretrained(cls, repo: str | Path, name: str | None = None, *, revision: str | None = None) -> "Portrait":
        """Load a portrait from a folder or from a dataset repo on the Hub; see ``pretrained.find``."""
        from selfknow.portraits.pretrained import find

        return cls.load(find(repo, name, revision=revision))

    def save(self, folder: Path | str, *, overwrite: bool = False) -> None:
        """Write a portrait folder: the bits, the card, ``portrait.json``.

        Raises:
            UserError: The folder holds a portrait and ``overwrite`` is false, or it holds something else.

        Warns:
            OverfullPortraitWarning: The portrait holds more n-grams than its capacity.
        """
        self._warn_if_overfull()
        write_folder(self.description, self.array, Path(folder), overwrite=overwrite)

    def push_to_hub(self, repo: str, name: str = "portrait", *, tag: str | None = None) -> Any:
        """Publish the portrait by name in a dataset repo on the Hub, which may hold many; return the plan."""
        from selfknow.portraits.pretrained import publish

        return publish(self, repo, name, tag=tag)

    def quip(self, texts: Iterable[Any]) -> npt.NDArray[np.float64]:
        """Return the QUIP of each text: the share of its n-grams that stand in the corpus.

        Source: Weller et al., section 3.1.

        Args:
            texts: An iterable of strings or an Arrow array.

        Returns:
            float64, shape (texts,); nan for a text that is ``None`` or shorter than the width.

        Raises:
            UserError: The portrait's stride is not 1, so it lacks most of the corpus's n-grams.

        Example:
            >>> Portrait.build(["a" * 30]).quip(["a" * 25, "b" * 25, "too short", None])
            array([ 1.,  0., nan, nan])
        """
        if self.description.stride != 1:
            raise UserError(
                f"QUIP needs a portrait of stride 1, and this one has stride {self.description.stride}: use contains "
                "or quotes, or build one with stride 1"
            )
        hits, ngrams = self.count_hits(texts)
        with np.errstate(invalid="ignore"):
            return hits / ngrams

    def corrected(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Subtract the expected false positives from QUIP scores: (q - p) / (1 - p), unclipped; nan stays nan.

        p is the filter's actual false positive rate, from the bits that are set.
        """
        rate = self.description.actual_false_positive_rate
        return (scores - rate) / (1 - rate)

    def count_hits(self, texts: Iterable[Any], *, stride: int = 1) -> tuple[Positions, Positions]:
        """Count each text's n-grams, and those of them that stand in the corpus.

        Args:
            texts: An iterable of strings or an Arrow array.
            stride: Characters from one n-gram of a text to the next.

        Returns:
            For each text, the number of n-grams in the corpus, and of all n-grams; both int64, shape (texts,).
        """
        from selfknow.portraits.filter.ngrams import sum_by_text

        hits_by_text: list[Positions] = [np.zeros(0, np.int64)]
        ngrams_by_text: list[Positions] = [np.zeros(0, np.int64)]
        for batch in self._batches(texts):
            hits, offsets = self._ask(batch, stride)
            hits_by_text.append(sum_by_text(hits, offsets))
            ngrams_by_text.append(np.diff(offsets))
        return np.concatenate(hits_by_text), np.concatenate(ngrams_by_text)

    def quotes(self, text: str, *, min_span: int = 0, whole_words: bool = False) -> list[Quote]:
        """Return the maximal quoted spans of a text, in code points of the text before normalisation.

        A span ends at the first n-gram (with a stride, the first tile) that is not in the corpus. Spans of separate
        runs stay apart, even if they overlap.

        Args:
            text: The text.
            min_span: Least number of characters of a quote. One false hit makes a quote of the portrait's width; a
                longer false quote takes two false hits or more in a row.
            whole_words: Cut off parts of words at the ends of quotes.

        Raises:
            UserError: ``text`` is not a string, or ``min_span`` is negative.

        Example:
            >>> portrait = Portrait.build(["all work and no play makes Jack a dull boy"])
            >>> portrait.quotes("They say: all work and no play makes Jack happy")
            [Quote(start=10, end=42)]
            >>> portrait.quotes("They say: all work and no play makes Jackie happy", whole_words=True)
            [Quote(start=10, end=36)]
        """
        if not isinstance(text, str):
            raise UserError(f"quotes takes a string, not a {type(text).__name__}")
        normalized, positions = normalize_with_positions(text, self.description.normalization)
        ((_, spans),) = self.spans([normalized], normalized=True)
        quotes = [Quote(positions[span.start], positions[span.end - 1] + 1) for span in spans.quotes(0)]
        return trim_quotes(text, quotes, min_span, whole_words=whole_words)

    def spans(self, texts: Iterable[Any], *, normalized: bool = False) -> Iterator[tuple[pa.LargeStringArray, Spans]]:
        """Yield batches of normalised texts with their quoted spans.

        Args:
            texts: An iterable of strings or an Arrow array.
            normalized: If true, the texts are normalised already.
        """
        from selfknow.portraits.filter.texts import arrow_batches

        for batch in arrow_batches(texts) if normalized else self._batches(texts):
            hits, offsets = self._ask(batch, 1)
            yield batch, quoted_spans(hits, offsets, self.description.width, self.description.stride)

    def contains(self, texts: Iterable[Any]) -> npt.NDArray[np.bool_]:
        """Look up texts of exactly ``width`` characters among the n-grams of the corpus.

        The texts are not normalised, since that would strip the blanks at the ends of an n-gram.

        Returns:
            bool, shape (texts,). False is certain; True is wrong at the false positive rate.

        Raises:
            UserError: A text has another length.
        """
        from selfknow.portraits.filter.texts import arrow_batches

        answers: list[npt.NDArray[np.bool_]] = [np.zeros(0, np.bool_)]
        width = self.description.width
        num_texts = 0
        for batch in arrow_batches(texts):
            lengths = _lengths(batch)
            if len(wrong := np.flatnonzero(lengths != width)):
                raise UserError(
                    f"contains takes texts of exactly {width} characters; text {num_texts + int(wrong[0])} has "
                    f"{int(lengths[wrong[0]])}"
                )
            hits, _ = self._ask(batch, 1)
            answers.append(hits.astype(np.bool_))
            num_texts += len(batch)
        return np.concatenate(answers)

    def __or__(self, other: "Portrait") -> "Portrait":
        """Return the portrait of both corpora together.

        Raises:
            UserError: The portraits differ in width, stride, normalisation, hash, size or capacity.

        Warns:
            OverfullPortraitWarning: Both corpora together have more n-grams than the filter was made for.
        """
        from selfknow.portraits.merging import merge

        portrait = Portrait(*merge(self.description, self.array, other.description, other.array))
        portrait._warn_if_overfull()
        return portrait

    def verify(self) -> None:
        """Check every bit against the description; loading has checked the description against its own hash.

        Raises:
            UserError: The bits do not match the description.

        Warns:
            UncheckedDescriptionWarning: The description has no hash, since an earlier version wrote it.
        """
        verify(self.description, self.array)

    def info(self) -> dict[str, Any]:
        """Return the description, the size in bytes, and estimates from the bits set, such as the actual error rate."""
        description = self.description.facts()
        shape = self.description.shape
        return description | {
            "size_in_bytes": shape.size_in_bytes,
            "estimated_distinct_items": shape.estimate_distinct(self.description.ones),
            "actual_false_positive_rate": self.description.actual_false_positive_rate,
            "overfull": self.description.overfull,
        }

    def __reduce__(self) -> tuple[Any, ...]:
        return Portrait, (self.description, np.asarray(self.array))

    @cached_property
    def _asker(self) -> Any:
        from selfknow.portraits.filter.asking import Asker
        from selfknow.portraits.filter.redisbloom import RedisBloomAsker
        from selfknow.portraits.filter.workers import thread_count

        self._warn_if_overfull()
        asker_class = RedisBloomAsker if self.description.hash == REDISBLOOM_HASH else Asker
        return asker_class(self.description.shape, self.array, thread_count(None))

    def _batches(self, texts: Iterable[Any]) -> Iterator[pa.LargeStringArray]:
        from selfknow.portraits.filter.texts import arrow_batches

        for batch in arrow_batches(texts):
            yield normalize(batch, self.description.normalization)

    def _ask(self, batch: pa.LargeStringArray, stride: int) -> tuple[Bytes, Positions]:
        from selfknow.portraits.filter.ngrams import Batch

        hits: tuple[Bytes, Positions] = self._asker.hits(Batch.from_texts(batch, self.description.width, stride))
        return hits

    def _warn_if_overfull(self) -> None:
        if overfull := self.description.overfull:
            warnings.warn(overfull, OverfullPortraitWarning, stacklevel=3)


def check_sizes(width: int, stride: int) -> None:
    """Refuse a width or stride that makes no n-grams.

    Raises:
        UserError: Width or stride is not between 1 and 4096.
    """
    for name, value in (("width", width), ("stride", stride)):
        if not 1 <= value <= MAX_WIDTH:
            raise UserError(f"{name} must be from 1 to {MAX_WIDTH}, not {value}")


def _lengths(batch: pa.LargeStringArray) -> Positions:
    import pyarrow.compute as pc

    lengths = pc.fill_null(pc.utf8_length(batch), 0)
    return np.asarray(lengths.to_numpy(zero_copy_only=False), np.int64)
