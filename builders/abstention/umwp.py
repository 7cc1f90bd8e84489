"""UMWP: the lines of the authors' file as rows of self-aware.

Sun et al., Benchmarking Hallucination in Large Language Models based on Unanswerable Math Word Problem, section 3. The
two lines of a pair:

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
    """Yield the rows, in the authors' order.

    Args:
        files: The one file.
        categories: The names of the authors' categories, which are numbered from 1.

    Raises:
        UserError: A line lacks a column, or its category has no name.
    """
    (file,) = files
    for number, row in enumerate(file.rows(), 1):
        where = f"line {number} of {file.name}"
        answerable = value_of(row, "answerable", bool, where)
        name = value_of(row, "id", int, where)
        yield Question(
            id=f"umwp-{name:04d}",
            question=value_of(row, "question", str, where).strip(),
            answers=answers_of(row.get("answer")) if answerable else [],
            answerable=answerable,
            category=None if answerable else _category(row, categories, where),
            source=value_of(row, "source", str, where),
            pair_id=f"umwp-{name:04d}" if answerable else _pair(row),
        )


def _category(row: Row, categories: Sequence[str], where: str) -> str:
    number = int(value_of(row, "category", int | float, where))
    if not 1 <= number <= len(categories):
        raise UserError(f"{where} has the category {number}; categories are 1 to {len(categories)}")
    return categories[number - 1]


def _pair(row: Row) -> str | None:
    """Return the id of the problem that this one was changed from; null if the file does not name it."""
    ids = row.get("relevant_ids") or []
    return f"umwp-{int(ids[0]):04d}" if ids else None
