"""Question sets: the paper's four, one about the King James Bible, or any file of questions and answers.

A file is JSON lines, a JSON list, CSV or Parquet, with the columns ``question`` (or ``input``) and ``answer``,
``answers`` or ``output`` (see :func:`~selfknow.evaluate.tasks.question_files.answer_texts`). The columns ``id`` and
``entities`` are optional.
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
"""Our own sixty questions about a text that most models were trained on. Every answer is in the text's words."""
SCHEMA = pa.schema(
    {"id": pa.string(), "question": pa.string(), "answers": pa.list_(pa.string()), "cooccurrences": pa.int64()}
)


@dataclass(frozen=True)
class Questions:
    """Questions with their reference answers.

    Attributes:
        rows: The columns ``id``, ``question``, ``answers`` and ``cooccurrences``: the number of passages that mention
            both an entity of the question and the answer, null if it is unknown.
        reference: The dataset that the questions come from.
        format: The default format of their prompts.
        entities: The entities that each question is about, by id, for rows with a value in the column ``entities``.
    """

    rows: pa.Table
    reference: DatasetReference
    format: str
    entities: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def open_questions(name: str, run: Path | None = None, counts: Path | None = None) -> Questions:
    """Read a question set.

    Args:
        name: ``nq``, ``tqa``, ``hotpot`` or ``eli5``, optionally with ``@`` and a commit, branch or tag to use instead
            of the pinned commit; ``king-james-bible``; or a file.
        run: A run folder. If it already holds a run of this set, the commit that the run recorded is used.
        counts: A file with a column ``count``, and with ``id``, ``question`` or both.

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
            raise UserError(f"there is no question set or file {name!r}{nearest(name, known)}")
        listed, where = read_rows(path), name
        format_ = "long" if path == packaged else "short"
        question = find_column(path, listed, "question", "input")
        answers = find_column(path, listed, "answers", "answer", "output")
        reference = DatasetReference(name, content_hash=hashlib.sha256(path.read_bytes()).hexdigest())
    assert format_ in formats(), f"a question set names an unknown format, {format_}"
    rows = _table(where, listed, question, answers)
    by_id = zip(rows["id"].to_pylist(), listed, strict=True)
    entities = {id_: tuple(answer_texts(row["entities"])) for id_, row in by_id if row.get("entities") is not None}
    return Questions(_with_counts(rows, counts) if counts else rows, reference, format_, entities)


def rows_of_user_questions(rows: Iterable[Row]) -> pa.Table:
    """Return a user's own questions as a table in the shape of :data:`SCHEMA`, without counts."""
    return pa.Table.from_pylist([{name: row.get(name) for name in SCHEMA.names[:3]} for row in rows], schema=SCHEMA)


def _table(where: str, rows: list[Row], question: str, answers: str) -> pa.Table:
    if not rows:
        raise UserError(f"{where} holds no questions")
    for number, row in enumerate(rows, 1):
        if not isinstance(row.get(question), str) or not row[question].strip():
            raise UserError(f"{where}, row {number}: the question is not a text")
    question_rows = [
        {
            "id": _id(row, number),
            "question": row[question],
            "answers": answer_texts(row[answers]),
        }
        for number, row in enumerate(rows)
    ]
    repeated_ids = [name for name, count in Counter(row["id"] for row in question_rows).items() if count > 1]
    if repeated_ids:
        raise UserError(f"{where} has several questions with the id {repeated_ids[0]}: make ids unique, or remove them")
    return pa.Table.from_pylist(question_rows, schema=SCHEMA)


def _id(row: Row, number: int) -> str:
    for name in ("id", "question_id"):
        if row.get(name) not in (None, ""):
            return str(row[name])
    return f"question-{number:05d}"


def _with_counts(rows: pa.Table, path: Path) -> pa.Table:
    """Return the rows with the counts of a file; they are matched by ``id``, else by ``question``."""
    count_rows = read_rows(path)
    key, count = find_column(path, count_rows, "id", "question"), find_column(path, count_rows, "count")
    counts = {str(row[key]): _count(path, row[count]) for row in count_rows}
    if key == "id" and all("question" in row for row in count_rows):
        questions = dict(zip(rows["id"].to_pylist(), rows["question"].to_pylist(), strict=True))
        for row in count_rows:
            if questions.get(str(row["id"]), row["question"]) != row["question"]:
                raise UserError(f"{path} has another question under the id {row['id']}: it is for another question set")
    keys = rows[key].to_pylist()
    if not any(name in counts for name in keys):
        raise UserError(f"{path} has counts for none of these questions: no value of its column {key} matches")
    return rows.set_column(3, "cooccurrences", pa.array([counts.get(name) for name in keys], pa.int64()))


def _count(path: Path, value: object) -> int | None:
    """Parse a cell that holds a number of passages; return None if the cell is empty."""
    if value is None or value == "":
        return None
    try:
        number = int(str(value))
    except ValueError:
        number = -1
    if number < 0:
        raise UserError(f"{path} has the count {value!r}, which is not a whole number of passages")
    return number
