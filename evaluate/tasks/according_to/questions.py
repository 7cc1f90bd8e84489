"""Question sets: the paper's four from the Hub, one about the King James Bible, or any file of questions and answers.

A file is JSON lines, a JSON list, CSV or Parquet, with the columns ``question`` (or ``input``) and ``answer``,
``answers`` or ``output`` (see :func:`~selfknow.evaluate.tasks.question_files.answer_texts`), and perhaps ``id`` and
``entities``.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from selfknow.builders.according_to.prompts import formats, question_sets
from selfknow.builders.sources import DATASETS_SRC
from selfknow.errors import UserError, nearest
from selfknow.evaluate.task import Row
from selfknow.evaluate.tasks.question_files import answer_texts, find_column, read_at_commit
from selfknow.files import read_rows, user_path
from selfknow.runs.description import DatasetReference

TASK = "according-to"
KING_JAMES_BIBLE = "king-james-bible"
"""Sixty questions of our own about a text that most models were trained on, each with an answer in the text's words."""
SCHEMA = pa.schema(
    {"id": pa.string(), "question": pa.string(), "answers": pa.list_(pa.string()), "cooccurrences": pa.int64()}
)


@dataclass(frozen=True)
class Questions:
    """Questions with their reference answers.

    Attributes:
        rows: The columns ``id``, ``question``, ``answers`` and ``cooccurrences``. The last is the number of passages in
            which the entities of question and answer occur together, null if it is not known.
        reference: The dataset that they come from.
        format: The format in which they are asked if the user chooses none.
        entities: The entities that each question is about, by id, for rows with a value in the column ``entities``.
    """

    rows: pa.Table
    reference: DatasetReference
    format: str
    entities: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def open_questions(name: str, run: Path | None = None, counts: Path | None = None) -> Questions:
    """Find a question set.

    Args:
        name: ``nq``, ``tqa``, ``hotpot`` or ``eli5``, optionally with ``@`` and a commit, branch or tag to use instead
            of the pinned commit; ``king-james-bible``; or a file.
        run: A run folder. If the run used the same set before, the commit that it recorded is used again.
        counts: A file with the columns ``id`` or ``question``, or both, and ``count``.

    Raises:
        UserError: There is no such set or file, it is not available, or it lacks a column.
    """
    short, _, revision = name.partition("@")
    if short in question_sets():
        entry = question_sets()[short]
        listed, commit = read_at_commit(entry, revision, run)
        where, question, answers = f"{entry['repo']}/{entry['file']}", entry["question"], entry["answers"]
        reference = DatasetReference(entry["repo"], entry["config"], entry["split"], commit)
        format_ = entry["format"]
    else:
        packaged = DATASETS_SRC / "according_to" / "king_james_bible.jsonl"
        path = packaged if name == KING_JAMES_BIBLE else user_path(name)
        if not path.is_file():
            known = [*question_sets(), KING_JAMES_BIBLE]
            raise UserError(f"there is no question set {name!r}{nearest(name, known)} (or name a file)")
        listed, where, format_ = read_rows(path), name, "short" if path != packaged else "long"
        question = find_column(path, listed, "question", "input")
        answers = find_column(path, listed, "answers", "answer", "output")
        reference = DatasetReference(name, content_hash=hashlib.sha256(path.read_bytes()).hexdigest())
    assert format_ in formats(), "question sets name a format that there is"
    rows = _table(where, listed, question, answers)
    by_id = zip(rows["id"].to_pylist(), listed, strict=True)
    entities = {id_: tuple(answer_texts(row["entities"])) for id_, row in by_id if row.get("entities") is not None}
    return Questions(_with_counts(rows, counts) if counts else rows, reference, format_, entities)


def own_questions(rows: Iterable[Row]) -> pa.Table:
    """Return a user's own questions, with ``id``, ``question`` and ``answers``, as rows of according-to."""
    return pa.Table.from_pylist([{name: row.get(name) for name in SCHEMA.names[:3]} for row in rows], schema=SCHEMA)


def _table(where: str, rows: list[Row], question: str, answers: str) -> pa.Table:
    if not rows:
        raise UserError(f"{where} holds no questions")
    for number, row in enumerate(rows, 1):
        if not isinstance(row.get(question), str) or not row[question].strip():
            raise UserError(f"{where} has a row whose question is not a text: row {number}")
    made = [
        {
            "id": _id(row, number),
            "question": row[question],
            "answers": answer_texts(row[answers]),
        }
        for number, row in enumerate(rows)
    ]
    repeated = [name for name, count in Counter(row["id"] for row in made).items() if count > 1]
    if repeated:
        raise UserError(f"{where} has several questions with the id {repeated[0]}: give each its own, or none an id")
    return pa.Table.from_pylist(made, schema=SCHEMA)


def _id(row: Row, number: int) -> str:
    for name in ("id", "question_id"):
        if row.get(name) not in (None, ""):
            return str(row[name])
    return f"question-{number:05d}"


def _with_counts(rows: pa.Table, path: Path) -> pa.Table:
    """Return the rows with the counts of a file, matched by id, or by question if the file has no column ``id``."""
    listed = read_rows(path)
    key, count = find_column(path, listed, "id", "question"), find_column(path, listed, "count")
    counts = {str(row[key]): _count(path, row[count]) for row in listed}
    if key == "id" and all("question" in row for row in listed):
        questions = dict(zip(rows["id"].to_pylist(), rows["question"].to_pylist(), strict=True))
        for row in listed:
            if questions.get(str(row["id"]), row["question"]) != row["question"]:
                raise UserError(f"{path} counts another question as {row['id']}: it was made for another set")
    names = rows[key].to_pylist()
    if not any(name in counts for name in names):
        raise UserError(f"{path} counts none of these questions: its column {key} names other ones")
    return rows.set_column(3, "cooccurrences", pa.array([counts.get(name) for name in names], pa.int64()))


def _count(path: Path, value: object) -> int | None:
    """Parse a cell that holds a number of passages; return None if the cell is empty."""
    if value is None or value == "":
        return None
    try:
        number = int(str(value))
    except ValueError:
        number = -1
    if number < 0:
        raise UserError(f"{path} has a count that is not a whole number of passages: {value!r}")
    return number
