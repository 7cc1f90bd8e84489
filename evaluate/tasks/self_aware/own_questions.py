"""Questions of a user's own file, as rows of self-aware.

A row needs ``question``. ``answerable`` says if anybody can answer it; without that column, a row with an answer is
answerable. ``answers`` (a list) or ``answer`` (one text) hold what counts as right, ``category`` groups rows, and
``id`` names a row.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from selfknow.errors import UserError
from selfknow.evaluate.tasks.question_files import read_truth
from selfknow.evaluate.tasks.self_aware.questions import own_questions, take_questions
from selfknow.files import read_rows, user_path
from selfknow.runs.description import DatasetReference

_WORD = "self-aware:"
_SUFFIXES = (".jsonl", ".json", ".csv", ".parquet")


def own_file(name: str) -> Path | None:
    """Return the file that ``self-aware:FILE`` names; null if it names a dataset.

    Example:
        >>> own_file("self-aware:questions.csv").name, own_file("self-aware:authored")
        ('questions.csv', None)
    """
    file = name.removeprefix(_WORD)
    return user_path(file) if name.startswith(_WORD) and file.endswith(_SUFFIXES) else None


def read_own_questions(path: Path, limit: int | None = None) -> tuple[pa.Table, DatasetReference]:
    """Read the questions of a file, and a reference to it by its SHA-256.

    Args:
        path: Parquet, CSV with a header, JSON, or JSON lines.
        limit: The number of questions; the labels keep their shares.

    Raises:
        UserError: The file cannot be read, or a row is not a question.
    """
    if not path.is_file():
        raise UserError(f"there is no file {path}: name a table with the columns question, answerable and answers")
    rows = read_rows(path)
    if not rows:
        raise UserError(f"{path} holds no questions")
    questions = [_question(row, number, path) for number, row in enumerate(rows, start=1)]
    _require_unique_ids(questions, path)
    tables = [
        own_questions([question for question in questions if question["answerable"] is label])
        for label in (True, False)
    ]
    content_hash = hashlib.sha256(path.read_bytes()).hexdigest()
    return take_questions(tables, limit), DatasetReference(str(path), path.stem, content_hash=content_hash)


def _question(row: Mapping[str, Any], number: int, path: Path) -> dict[str, Any]:
    where = f"row {number} of {path}"
    text = row.get("question")
    if not isinstance(text, str) or not text.strip():
        raise UserError(f"{where} has no question: the column question holds a text")
    answers = _answers(row, where)
    answerable = _is_answerable(row, answers, where)
    if answers and not answerable:
        raise UserError(f"{where} has an answer, and answerable is false: drop one of them")
    return {
        "id": str(row.get("id") or f"question-{number:05d}"),
        "question": text,
        "answers": answers,
        "answerable": answerable,
        "category": row.get("category") or None,
        "source": path.name,
        "pair_id": None,
    }


def _answers(row: Mapping[str, Any], where: str) -> list[str]:
    value = row.get("answers") or row.get("answer") or []
    answers = [value] if isinstance(value, str) else value
    if not isinstance(answers, Sequence) or not all(isinstance(answer, str) and answer.strip() for answer in answers):
        raise UserError(f"{where}: answers is a list of texts, and answer is one text")
    return list(answers)


def _is_answerable(row: Mapping[str, Any], answers: Sequence[str], where: str) -> bool:
    value = row.get("answerable")
    if value in (None, ""):
        if not {"answer", "answers", "answerable"} & row.keys():
            raise UserError(f"{where} does not say if it can be answered: add the column answerable or answers")
        return bool(answers)
    truth = read_truth(value)
    if truth is None:
        raise UserError(f"{where}: answerable is {value!r}; write true or false")
    return truth


def _require_unique_ids(questions: Sequence[Mapping[str, Any]], path: Path) -> None:
    repeated = [name for name, count in Counter(question["id"] for question in questions).items() if count > 1]
    if repeated:
        raise UserError(f"{path} has the id {repeated[0]} more than once: ids name one row each")
