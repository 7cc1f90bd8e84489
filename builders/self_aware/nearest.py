"""The search for the answerable questions of a pool that are nearest in meaning to each unanswerable one.

Yin et al., section 2, took the questions of SQuAD, HotpotQA and TriviaQA that SimCSE finds nearest to the unanswerable
ones. The pool may have any size: it is read once, a batch at a time, and only a short list for each unanswerable
question stays in memory. The lists are saved as the pool is read, so a killed search resumes.
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

_DECIMALS = 5  # smaller differences depend on the padding of the batch
_CANDIDATES_PER_PARTNER = 32  # length of a short list for each partner that a question should get
_BATCHES_PER_SAVE = 16


@dataclass(frozen=True)
class Partner:
    """A chosen question of the pool: its row, the question it belongs to, and their cosine."""

    question: int
    pool_row: int
    similarity: float


@dataclass
class ShortLists:
    """The rows of the pool nearest to each question, nearest first; -1 stands for no row yet.

    Args:
        similarities: Shape (questions, candidates), float32.
        rows: Rows of the pool, shape (questions, candidates), int64.
        num_rows: The number of rows of the pool that were read.
        digest: SHA-256 over the texts of those rows, as hex digits.
    """

    similarities: Vectors
    rows: NDArray[np.int64]
    num_rows: int = 0
    digest: str = ""

    @classmethod
    def empty(cls, num_questions: int, num_candidates: int) -> "ShortLists":
        """Return short lists without rows."""
        shape = (num_questions, num_candidates)
        return cls(np.full(shape, -np.inf, np.float32), np.full(shape, -1, np.int64))

    def add(self, questions: Vectors, texts: Sequence[str], vectors: Vectors) -> None:
        """Add the next rows of the pool; among equally near rows, the earlier comes first."""
        similarities = np.round(questions @ vectors.T, _DECIMALS)
        rows = np.broadcast_to(np.arange(self.num_rows, self.num_rows + len(texts)), similarities.shape)
        all_similarities = np.concatenate([self.similarities, similarities], axis=1)
        nearest = np.argsort(-all_similarities, axis=1, kind="stable")[:, : self.rows.shape[1]]
        self.similarities = np.take_along_axis(all_similarities, nearest, axis=1)
        self.rows = np.take_along_axis(np.concatenate([self.rows, rows], axis=1), nearest, axis=1)
        self.digest = digest_of(self.digest, texts)
        self.num_rows += len(texts)


def digest_of(before: str, texts: Sequence[str]) -> str:
    """Hash a digest and further texts with SHA-256, as hex digits."""
    return hashlib.sha256(json.dumps([before, *texts]).encode()).hexdigest()


def find_nearest(
    questions: Sequence[str],
    pool: Iterable[Sequence[str]],
    encode: Encoder,
    *,
    per_question: int,
    progress_file: Path | None = None,
    setting: str = "",
    advance: Callable[[int], object] = lambda _: None,
) -> ShortLists:
    """Read the pool and keep a short list for each question.

    Args:
        questions: The questions that need partners.
        pool: The texts of the pool in batches, in the same order at every reading.
        encode: The sentence encoder.
        per_question: The number of partners of each question. The short lists are longer, since no row is used twice.
        progress_file: The file in which the short lists are saved as the pool is read, and from which a search resumes.
        setting: Further settings that the result depends on, such as the encoder's name.
        advance: Called with the number of rows of each batch, for a progress bar.

    Raises:
        UserError: The saved lists belong to other questions, another pool or another setting.
    """
    key = digest_of(f"{setting} {per_question}", questions)
    vectors = encode(questions)
    lists = ShortLists.empty(len(questions), per_question * _CANDIDATES_PER_PARTNER)
    saved_lists = _load(progress_file, key) if progress_file is not None and progress_file.exists() else None
    already_read = saved_lists.num_rows if saved_lists is not None else 0
    digest, num_rows = "", 0
    for number, texts in enumerate(pool, 1):
        if saved_lists is not None and num_rows < already_read:
            digest, num_rows = digest_of(digest, texts), num_rows + len(texts)
            if num_rows == already_read and digest == saved_lists.digest:
                lists = saved_lists
            elif num_rows >= already_read:
                raise UserError(f"{progress_file} was saved for another pool: remove it to start again")
        else:
            lists.add(vectors, texts, encode(texts))
            if progress_file is not None and number % _BATCHES_PER_SAVE == 0:
                _save(progress_file, key, lists)
        advance(len(texts))
    if num_rows < already_read:
        raise UserError(f"{progress_file} was saved for a larger pool: remove it to start again")
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
        with np.load(path, allow_pickle=False) as arrays:
            saved_key = str(arrays["key"])
            lists = ShortLists(arrays["similarities"], arrays["rows"], int(arrays["num_rows"]), str(arrays["digest"]))
    except (OSError, ValueError, KeyError) as error:
        raise UserError(f"{path} cannot be resumed: remove it to start again") from error
    if saved_key != key:
        raise UserError(f"{path} was saved for other questions or another encoder: remove it to start again")
    return lists


def choose_partners(lists: ShortLists, per_question: int) -> list[Partner]:
    """Give each question up to ``per_question`` rows of its short list, and no row to two questions.

    The nearest pairs are chosen first; among equally near pairs, those of the earlier question.

    Returns:
        The partners by question, nearest first. A question gets fewer if others have used up its short list.
    """
    num_candidates = lists.rows.shape[1]
    order = np.argsort(-lists.similarities.ravel(), kind="stable")
    used_rows: set[int] = set()
    num_partners = [0] * len(lists.rows)
    partners = []
    for index in order.tolist():
        question, rank = divmod(index, num_candidates)
        row = int(lists.rows[question, rank])
        if row >= 0 and row not in used_rows and num_partners[question] < per_question:
            used_rows.add(row)
            num_partners[question] += 1
            partners.append(Partner(question, row, float(lists.similarities[question, rank])))
    return sorted(partners, key=lambda partner: partner.question)
