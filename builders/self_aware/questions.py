"""The questions of ``self-aware``, config ``authored``, as rows made from its two tables."""

import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import cache

import pyarrow as pa

from selfknow.builders.self_aware.question_text import answer_flags
from selfknow.builders.tables import items_of, read_groups

SCHEMA = pa.schema(
    {
        "id": pa.string(),
        "question": pa.string(),
        "answers": pa.list_(pa.string()),
        "answerable": pa.bool_(),
        "category": pa.string(),
        "source": pa.string(),
        "pair_id": pa.string(),
        "flags": pa.list_(pa.string()),
    }
)
_AUTHORSHIP = {"difficulty": pa.string(), "written_by": pa.string(), "judged_by": pa.string()}
AUTHORED_SCHEMA = pa.schema([*SCHEMA, *map(pa.field, _AUTHORSHIP, _AUTHORSHIP.values())])
"""The columns of our own questions: the authors' columns, the difficulty, the writer and the judge."""
SPLITS = ("answerable", "unanswerable")
CATEGORIES = {  # the shares of the paper's Table 1, applied to 1,032 questions
    "no scientific consensus": 258,
    "imagination": 155,
    "completely subjective": 279,
    "too many variables": 103,
    "philosophical": 237,
}
NUM_ANSWERABLE = {"single fact": 1_525, "two hops": 166, "trivia": 646}  # the paper: 1,487, 182, 668
DIFFICULTIES = ("easy", "medium", "hard")
_LANGUAGE_MODEL = "language model"
_SLOT = "{}"  # the place in a frame that a filler's part takes


@dataclass(frozen=True)
class Question:
    """A row of the dataset; the fields are its columns."""

    id: str
    question: str
    answers: list[str]
    answerable: bool
    category: str | None
    source: str
    pair_id: str | None
    flags: list[str] = field(default_factory=list)
    difficulty: str | None = None
    written_by: str | None = None
    judged_by: str | None = None


def unanswerable_questions() -> Iterator[Question]:
    """Yield our unanswerable questions; the id of each is also the id of its pair."""
    for category in CATEGORIES:
        for row in read_groups("self_aware/unanswerable.tsv", "category")[category]:
            for number, question in enumerate(_expand(row["question"], items_of(row["fillers"])), 1):
                yield _unanswerable(row["frame"], number, question, category)


def _expand(frame: str, fillers: list[str]) -> Iterator[str]:
    """Yield the frame itself, or a question for each filler; the filler's parts fill the slots in order."""
    for filler in fillers or [""]:
        question = frame
        for part in filler.split(" / "):
            question = question.replace(_SLOT, part, 1)
        yield question


def _unanswerable(frame: str, number: int, question: str, category: str) -> Question:
    name, author = f"{frame}-{number}", _LANGUAGE_MODEL
    source = f"frame/{frame}"
    return Question(name, question, [], False, category, source, name, written_by=author, judged_by=author)


def answerable_questions() -> Iterator[Question]:
    """Yield our answerable questions; each pair has several, which ask something known about its topic."""
    for pair, rows in read_groups("self_aware/answerable.tsv", "pair_id").items():
        for letter, row in zip("abcdef", rows, strict=False):
            answers = items_of(row["answers"])
            yield Question(
                f"{pair}{letter}",
                row["question"],
                answers,
                True,
                None,
                f"{row['kind']}/{row['checked_by']}",
                pair,
                answer_flags(row["question"], answers),
                row["difficulty"],
                row["written_by"],
                row["judged_by"],
            )


@cache
def questions(split: str) -> tuple[Question, ...]:
    """Return the questions of a split, in the order of the sources."""
    return tuple(answerable_questions() if split == "answerable" else unanswerable_questions())


def question_table(split: str, seed: int) -> pa.Table:
    """Return the rows of a split, sorted by the SHA-256 of the seed and the id."""

    def sort_key(question: Question) -> bytes:
        return hashlib.sha256(f"{seed}:{question.id}".encode()).digest()

    return pa.Table.from_pylist(
        [asdict(question) for question in sorted(questions(split), key=sort_key)], schema=AUTHORED_SCHEMA
    )
