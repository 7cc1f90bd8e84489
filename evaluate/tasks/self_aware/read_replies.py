"""Labelled replies: those that we wrote, to choose thresholds on, and those that were read, to measure scorers on.

``datasets_src/self_aware/replies``: ``labelled.tsv`` and ``read_twice.parquet``; docs/instrument.md says how the
latter were read, and by whom.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from selfknow.builders.sources import DATASETS_SRC
from selfknow.builders.tables import read_table
from selfknow.evaluate.tasks.self_aware.reading import ABSTAINS, ANSWERS

ABSTAINING = "abstaining"
KINDS = (ABSTAINING, "hedging", "answering", "quoting", "denying")


@dataclass(frozen=True)
class LabelledReply:
    """A reply, and what it does.

    Attributes:
        kind: ``abstaining``; ``hedging`` (unsure, and answers all the same); ``answering``; ``quoting`` or ``denying``
            (somebody's not knowing is told of, or taken back, in a reply that answers).
        reply: The text.
    """

    kind: str
    reply: str

    @property
    def is_for_choosing(self) -> bool:
        """True if references and thresholds may be chosen on it; the other half is held out."""
        return hashlib.sha256(self.reply.encode()).digest()[0] % 2 == 0


def labelled_replies() -> list[LabelledReply]:
    """Return all of them, 322.

    Example:
        >>> labelled_replies()[0]
        LabelledReply(kind='abstaining', reply='The answer is unknown.')
    """
    return [LabelledReply(row["kind"], row["reply"]) for row in read_table("self_aware/replies/labelled.tsv")]


FILE = "self_aware/replies/read_twice.parquet"
CHOSEN, UNSEEN = "chosen", "unseen"
HEDGED = "hedged"
LENGTHS = (10, 25, 50, 100, 250)
"""A plain answer is in the first of these bins that holds all of its words."""


@dataclass(frozen=True)
class ReadReply:
    """A reply, where it is from, and what it does.

    Attributes:
        id: A hash of question, form, author and reply.
        part: ``chosen``: scorers may be chosen on it; ``unseen``: they are measured on it. The two share no question,
            and no author but SmolLM2.
        question: The question that it replies to; null for the first set, which was written without questions, and for
            the questions of Yin et al., whose text is not kept.
        question_id: The id of such a question: the dataset and the row's id in it.
        answerable: True if the question of a real reply has an answer; null where nobody labelled the question.
        reply: The text.
        author: The model that said it, or who wrote it.
        form: The input form, of a model's replies.
        manner: Its manner of speaking.
        words: The number of its words.
        first_reading: One of the four classes, or ``hedged``: an answer that is unsure.
        first_reader: Its first reader, such as a person or a model.
        second_reading: The same, read again without sight of the first; null where it was read once.
        second_reader: Its second reader, such as a person or a model.
        kind: What holds: where the two differ, as a third look settled it.
    """

    id: str
    part: str
    question: str | None
    question_id: str | None
    answerable: bool | None
    reply: str
    author: str
    form: str | None
    manner: str
    words: int
    first_reading: str
    first_reader: str
    second_reading: str | None
    second_reader: str | None
    kind: str

    @property
    def abstains(self) -> bool:
        """True if it abstains."""
        return self.kind == ABSTAINS

    @property
    def is_plain(self) -> bool:
        """True if it answers and is sure."""
        return self.kind == ANSWERS

    @property
    def class_name(self) -> str:
        """One of the four classes that scorers tell."""
        return ANSWERS if self.kind == HEDGED else self.kind

    @property
    def is_real(self) -> bool:
        """True if a model that was asked said it."""
        return self.manner == "real model"

    @property
    def length(self) -> int | None:
        """The length bin, in words; null above the last one."""
        return next((longest for longest in LENGTHS if self.words <= longest), None)


@cache
def read_replies() -> tuple[ReadReply, ...]:
    """Return all of them.

    Example:
        >>> len(read_replies()) > 1200
        True
    """
    import pyarrow.parquet as pq

    return tuple(ReadReply(**row) for row in pq.read_table(DATASETS_SRC / FILE).to_pylist())


def cohens_kappa(pairs: Iterable[tuple[str, str]]) -> float:
    """Return Cohen's kappa: the agreement of two readings beyond chance.

    Cohen, A Coefficient of Agreement for Nominal Scales, 1960.

    Args:
        pairs: The two labels of each item.

    Returns:
        1 is full agreement, 0 what chance gives; ``nan`` where one label is all that there is.

    Example:
        >>> cohens_kappa([("a", "a"), ("b", "b"), ("a", "b"), ("b", "a")])
        0.0
    """
    listed: Sequence[tuple[str, str]] = list(pairs)
    words = {word for pair in listed for word in pair}
    agreed = sum(first == second for first, second in listed) / len(listed)
    chance = (
        sum(sum(first == word for first, _ in listed) * sum(second == word for _, second in listed) for word in words)
        / len(listed) ** 2
    )
    return (agreed - chance) / (1 - chance) if chance < 1 else float("nan")
