"""Finds, for each unanswerable question, the answerable ones of a pool that are nearest to it in meaning.

Yin et al., section 2: the answerable questions of SelfAware are those of SQuAD, HotpotQA and TriviaQA that SimCSE puts
closest to the unanswerable ones. The pool may have any size: it is read once, a batch at a time, and what is kept is a
short list for each unanswerable question. What was kept is saved as the pool is read, and taken up again after a kill.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from selfknow.builders.self_aware.encoders import Encoder, Vectors
from selfknow.errors import UserError
from selfknow.files import written_whole

_DECIMALS = 5  # what is closer than this depends on how texts were padded together
_CANDIDATES_PER_PARTNER = 32
_BATCHES_PER_SAVE = 16


@dataclass(frozen=True)
class Partner:
    """A question of the pool that was chosen: for which question, and how near it is (cosine)."""

    question: int
    pool_row: int
    similarity: float


@dataclass
class ShortLists:
    """For each question the rows of the pool nearest to it, nearest first; row -1 where there is none yet.

    Args:
        similarities: Shape (questions, candidates), float32.
        rows: Rows of the pool, shape (questions, candidates), int64.
        num_rows: How many rows of the pool were read.
        digest: SHA-256 over the texts of those rows, as hex digits.
    """

    similarities: Vectors
    rows: NDArray[np.int64]
    num_rows: int = 0
    digest: str = ""

    @classmethod
    def empty(cls, num_questions: int, num_candidates: int) -> "ShortLists":
        """Short lists before anything was read."""
        shape = (num_questions, num_candidates)
        return cls(np.full(shape, -np.inf, np.float32), np.full(shape, -1, np.int64))

    def add(self, questions: Vectors, texts: Sequence[str], vectors: Vectors) -> None:
        """Read the next rows of the pool; of equally near ones the earlier stays ahead."""
        similarities = np.round(questions @ vectors.T, _DECIMALS)
        rows = np.broadcast_to(np.arange(self.num_rows, self.num_rows + len(texts)), similarities.shape)
        all_similarities = np.concatenate([self.similarities, similarities], axis=1)
        nearest = np.argsort(-all_similarities, axis=1, kind="stable")[:, : self.rows.shape[1]]
        self.similarities = np.take_along_axis(all_similarities, nearest, axis=1)
        self.rows = np.take_along_axis(np.concatenate([self.rows, rows], axis=1), nearest, axis=1)
        self.digest = digest_of(self.digest, texts)
        self.num_rows += len(texts)


def digest_of(before: str, texts: Sequence[str]) -> str:
    """The SHA-256 over a digest and further texts, as hex digits."""
    return hashlib.sha256(json.dumps([before, *texts]).encode()).hexdigest()


def find_nearest(
    questions: Sequence[str],
    pool: Iterable[Sequence[str]],
    encode: Encoder,
    *,
    per_question: int,
    saved: Path | None = None,
    setting: str = "",
    advance: Callable[[int], object] = lambda _: None,
) -> ShortLists:
    """Read the pool and keep a short list for each question.

    Args:
        questions: The questions to find partners for.
        pool: The texts of the pool in batches, the same ones in the same order whenever it is read.
        encode: The sentence encoder.
        per_question: How many partners each question is to get; some more are kept, since none is given twice.
        saved: Where the short lists are saved as the pool is read, and taken up again.
        setting: What else decides the result, such as the encoder's name.
        advance: Called with the number of rows of each batch, for a progress bar.

    Raises:
        UserError: What was saved belongs to other questions, another pool or another setting.
    """
    key = digest_of(f"{setting} {per_question}", questions)
    vectors = encode(questions)
    lists = ShortLists.empty(len(questions), per_question * _CANDIDATES_PER_PARTNER)
    done = _load(saved, key) if saved is not None and saved.exists() else None
    digest, num_rows, already_read = "", 0, done.num_rows if done is not None else 0
    for number, texts in enumerate(pool, 1):
        if done is not None and num_rows < already_read:
            digest, num_rows = digest_of(digest, texts), num_rows + len(texts)
            if num_rows == already_read and digest == done.digest:
                lists = done
            elif num_rows >= already_read:
                raise UserError(f"{saved} was saved for another pool: remove it to start again")
        else:
            lists.add(vectors, texts, encode(texts))
            if saved is not None and number % _BATCHES_PER_SAVE == 0:
                _save(saved, key, lists)
        advance(len(texts))
    if num_rows < already_read:
        raise UserError(f"{saved} was saved for a larger pool: remove it to start again")
    return lists


def _save(path: Path, key: str, lists: ShortLists) -> None:
    with written_whole(path) as file:
        np.savez(
            file,
            key=key,
            digest=lists.digest,
            num_rows=lists.num_rows,
            similarities=lists.similarities,
            rows=lists.rows,
        )


def _load(path: Path, key: str) -> ShortLists:
    try:
        with np.load(path, allow_pickle=False) as held:
            found = str(held["key"])
            lists = ShortLists(held["similarities"], held["rows"], int(held["num_rows"]), str(held["digest"]))
    except (OSError, ValueError, KeyError) as error:
        raise UserError(f"{path} cannot be resumed: remove it to start again") from error
    if found != key:
        raise UserError(f"{path} was saved for other questions or another encoder: remove it to start again")
    return lists


def choose_partners(lists: ShortLists, per_question: int) -> list[Partner]:
    """Give each question up to ``per_question`` rows of its short list, and no row to two questions.

    The nearest of all go first; of equally near ones, those of the earlier question.

    Returns:
        The partners, by question, nearest first. A question whose short list others have used up gets fewer.
    """
    num_candidates = lists.rows.shape[1]
    order = np.argsort(-lists.similarities.ravel(), kind="stable")
    taken: set[int] = set()
    given = [0] * len(lists.rows)
    partners = []
    for place in order.tolist():
        question, rank = divmod(place, num_candidates)
        row = int(lists.rows[question, rank])
        if row >= 0 and row not in taken and given[question] < per_question:
            taken.add(row)
            given[question] += 1
            partners.append(Partner(question, row, float(lists.similarities[question, rank])))
    return sorted(partners, key=lambda partner: partner.question)
