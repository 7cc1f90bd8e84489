"""UMWP, unanswerable math word problems, as questions of self-aware.

Sun et al., Benchmarking Hallucination in Large Language Models based on Unanswerable Math Word Problem, section 3. An
answerable problem, and the unanswerable one that was made from it, look like this in the authors' file:

    {"id": 1, "question": "Bryan … How many magazines does he have in total?", "answer": [460.0], "answerable": true,
     "category": null, "relevant_ids": null, "source": "SVAMP"}
    {"id": 2601, "question": "Bryan … some magazines …", "answer": null, "answerable": false, "category": 2,
     "relevant_ids": [1], "source": "SVAMP"}
"""

from collections.abc import Iterator, Sequence

from selfknow.builders.abstention.rows import Row, answers_of, value_of
from selfknow.builders.pinned_files import SourceFile
from selfknow.builders.self_aware.questions import Question
from selfknow.errors import UserError


def parse(files: list[SourceFile], categories: Sequence[str]) -> Iterator[Question]:
    """Yield the questions, in the authors' order.

    Args:
        files: A list with the authors' only file, in JSON Lines.
        categories: The names of the authors' categories, which are numbered from 1.

    Raises:
        UserError: A line lacks a column, or its category has no name.
    """
    (file,) = files
    for number, row in enumerate(file.rows(), 1):
        where = f"line {number} of {file.name}"
        answerable = value_of(row, "answerable", bool, where)
        problem_id = _problem_id(value_of(row, "id", int, where))
        yield Question(
            id=problem_id,
            question=value_of(row, "question", str, where).strip(),
            answers=answers_of(row.get("answer")) if answerable else [],
            answerable=answerable,
            category=None if answerable else _category(row, categories, where),
            source=value_of(row, "source", str, where),
            pair_id=problem_id if answerable else _pair(row),
        )


def _problem_id(number: int) -> str:
    return f"umwp-{number:04d}"


def _category(row: Row, categories: Sequence[str], where: str) -> str:
    number = int(value_of(row, "category", int | float, where))
    if not 1 <= number <= len(categories):
        raise UserError(f"{where} has the category {number}; categories are 1 to {len(categories)}")
    return categories[number - 1]


def _pair(row: Row) -> str | None:
    """Return the id of the problem that this one was changed from; null if the file does not name it."""
    ids = row.get("relevant_ids") or []
    return _problem_id(int(ids[0])) if ids else None
