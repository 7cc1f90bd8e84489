"""Question sets: the paper's four from the Hub, or any file of questions and answers.

A file is JSON lines, a JSON list, CSV or Parquet, with the columns ``question`` (or ``input``) and ``answer``,
``answers`` or ``output``, and perhaps ``id``. An answer is a text, a list of texts, TriviaQA's struct of aliases, or
KILT's list of structs.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from selfknow.builders.according_to_prompts import formats, question_sets
from selfknow.errors import UserError
from selfknow.evaluate.question_rows import Row, commit_of_run, from_hub, read_rows
from selfknow.evaluate.run import DatasetReference

TASK = "according-to"
SCHEMA = pa.schema(
    {"id": pa.string(), "question": pa.string(), "answers": pa.list_(pa.string()), "cooccurrences": pa.int64()}
)


@dataclass(frozen=True)
class Questions:
    """Questions with their reference answers.

    Attributes:
        rows: id, question, answers, and cooccurrences: in how many passages the entities of question and answer occur
            together, null where that is not known.
        reference: Where they are from.
        format: The format they are asked in where none is chosen.
    """

    rows: pa.Table
    reference: DatasetReference
    format: str


def open_questions(name: str, run: Path | None = None, counts: Path | None = None) -> Questions:
    """Find a question set.

    Args:
        name: ``nq``, ``tqa``, ``hotpot`` or ``eli5``, with ``@COMMIT`` if wanted, or a file.
        run: A run folder; where it asked the same set before, its commit is taken.
        counts: A file with the columns ``id`` or ``question``, and ``count``.

    Raises:
        UserError: There is no such set or file, it cannot be had, or it lacks a column.
    """
    short, _, commit = name.partition("@")
    if short in question_sets():
        entry = question_sets()[short]
        found, commit = from_hub(entry, commit or commit_of_run(run, entry["repo"]))
        rows = _table(found, entry["question"], entry["answers"])
        reference = DatasetReference(entry["repo"], entry["config"], entry["split"], commit)
        format_ = entry["format"]
    else:
        path = Path(name).expanduser()
        if not path.is_file():
            raise UserError(f"there is no question set {name!r}: name {', '.join(question_sets())}, or a file")
        listed = read_rows(path)
        rows = _table(
            listed, _column(path, listed, "question", "input"), _column(path, listed, "answers", "answer", "output")
        )
        reference = DatasetReference(name, content_hash=hashlib.sha256(path.read_bytes()).hexdigest())
        format_ = "short"
    assert format_ in formats(), "question sets name a format that there is"
    return Questions(_with_counts(rows, counts) if counts else rows, reference, format_)


def _column(path: Path, rows: list[Row], *names: str) -> str:
    if not rows:
        raise UserError(f"{path} holds no questions")
    for name in names:
        if all(name in row for row in rows):
            return name
    raise UserError(f"{path} lacks the column {' or '.join(names)}")


def _table(rows: list[Row], question: str, answers: str) -> pa.Table:
    made = [
        {
            "id": str(row.get("id") or row.get("question_id") or f"question-{number:05d}"),
            "question": str(row[question]),
            "answers": list(dict.fromkeys(_texts(row[answers]))),
        }
        for number, row in enumerate(rows)
    ]
    return pa.Table.from_pylist(made, schema=SCHEMA)


def _texts(value: object) -> Iterable[str]:
    match value:
        case str():
            return [value] if value.strip() else []
        case {"aliases": aliases, **rest}:
            return [*_texts(rest.get("value")), *_texts(aliases)]
        case {"answer": answer}:
            return _texts(answer)
        case list():
            return [text for one in value for text in _texts(one)]
    return [] if value is None or isinstance(value, dict) else [str(value)]


def _with_counts(rows: pa.Table, path: Path) -> pa.Table:
    listed = read_rows(path)
    key, count = _column(path, listed, "id", "question"), _column(path, listed, "count")
    try:
        counts = {str(row[key]): int(row[count]) for row in listed}
    except (TypeError, ValueError) as error:
        raise UserError(f"{path} has a count that is no whole number: {error}") from error
    found = [counts.get(name) for name in rows[key].to_pylist()]
    if all(one is None for one in found):
        raise UserError(f"{path} counts none of these questions: its column {key} names others")
    return rows.set_column(3, "cooccurrences", pa.array(found, pa.int64()))
