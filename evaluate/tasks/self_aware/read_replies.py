"""Labelled replies: our own, to choose thresholds on, and read ones, to measure scorers on.

They are in ``datasets_src/self_aware/replies``: ``labelled.tsv`` and ``read_twice.parquet``. docs/instrument.md says
how the latter were read, and by whom.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from selfknow.builders.sources import DATASETS_SRC
from selfknow.builders.tables import read_table
from selfknow.evaluate.tasks.self_aware.reading import ABSTAINS, ANSWERS

ABSTAINING = "abstaining"
KINDS = (ABSTAINING, "hedging", "answering", "quoting", "denying")


@dataclass(frozen=True)
class LabelledReply:
    """A reply that we wrote, and its label.

    Attributes:
        kind: ``abstaining``, ``hedging`` (an unsure answer), ``answering``, ``quoting`` or ``denying`` (answers that
            quote, or deny, that somebody does not know).
        reply: The text.
    """

    kind: str
    reply: str

    @property
    def is_for_choosing(self) -> bool:
        """True if references and thresholds may be chosen on this reply; the other half is held out."""
        return hashlib.sha256(self.reply.encode()).digest()[0] % 2 == 0


def labelled_replies() -> list[LabelledReply]:
    """Return the 322 replies that we wrote.

    Example:
        >>> labelled_replies()[0]
        LabelledReply(kind='abstaining', reply='The answer is unknown.')
    """
    return [LabelledReply(row["kind"], row["reply"]) for row in read_table("self_aware/replies/labelled.tsv")]


FILE = "self_aware/replies/read_twice.parquet"
CHOSEN, UNSEEN = "chosen", "unseen"
HEDGED = "hedged"
LENGTHS = (10, 25, 50, 100, 250)
"""Upper bounds of length bins, in words; an answer belongs to the first bin that is long enough."""


@dataclass(frozen=True)
class ReadReply:
    """A reply with its origin and the labels of its readers.

    Attributes:
        id: A hash of question, form, author and reply.
        part: ``chosen`` if scorers may be chosen on it, ``unseen`` if they are measured on it. The two parts share no
            question, and no author except SmolLM2.
        question: The question; null for the first set, which was written without questions, and for the questions of
            Yin et al., whose text is not included.
        question_id: The id of a question without text: the dataset and the row's id in it.
        answerable: True if the question of a real reply has an answer; null if the question has no label.
        reply: The text.
        author: The model or person that wrote it.
        form: The input form of a model's reply; null for other replies.
        manner: The manner of speaking, such as ``real model``.
        words: The number of words.
        first_reading: The first reader's label: one of the four classes, or ``hedged`` for an unsure answer.
        first_reader: The first reader, a person or a model.
        second_reading: The label of a second reader, who did not see the first; null if it was read once.
        second_reader: The second reader, a person or a model.
        kind: The final label; a third look decided between different readings.
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
        """True if the reply abstains."""
        return self.kind == ABSTAINS

    @property
    def is_plain(self) -> bool:
        """True if the reply gives an answer without hedging."""
        return self.kind == ANSWERS

    @property
    def class_name(self) -> str:
        """The final label as one of the four classes; a hedged answer is an answer."""
        return ANSWERS if self.kind == HEDGED else self.kind

    @property
    def is_real(self) -> bool:
        """True if a model gave the reply to a question."""
        return self.manner == "real model"

    @property
    def length(self) -> int | None:
        """The length bin, in words; null above the last one."""
        return next((longest for longest in LENGTHS if self.words <= longest), None)


@cache
def read_replies() -> tuple[ReadReply, ...]:
    """Return all replies that were read.

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
        1 for full agreement, 0 for chance; ``nan`` if all labels are the same.

    Example:
        >>> cohens_kappa([("a", "a"), ("b", "b"), ("a", "b"), ("b", "a")])
        0.0
    """
    first_labels, second_labels = zip(*pairs, strict=True)
    n = len(first_labels)
    agreement = sum(first == second for first, second in zip(first_labels, second_labels, strict=True)) / n
    first_counts, second_counts = Counter(first_labels), Counter(second_labels)
    chance = sum(count * second_counts[label] for label, count in first_counts.items()) / n**2
    return (agreement - chance) / (1 - chance) if chance < 1 else float("nan")
