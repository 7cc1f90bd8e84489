"""KUQ: the lines of the authors' file as rows of self-aware.

Amayuelas et al., Knowledge of Knowledge, section 3. A line:

    {"question": "What will be the most popular sport in 2100?", "answer": ["It is about the future."], "unknown": true,
     "source": "turk", "category": "future unknown"}
"""

from collections.abc import Iterator

from selfknow.builders.abstention.rows import answers_of, value_of
from selfknow.builders.pinned_files import SourceFile
from selfknow.builders.self_aware.questions import Question


def parse(files: list[SourceFile]) -> Iterator[Question]:
    """Yield the rows, in the authors' order.

    The ``answer`` of an unanswerable question explains why it has none, and is left out.

    Raises:
        UserError: A line lacks a column.
    """
    (file,) = files
    for number, row in enumerate(file.rows(), 1):
        where = f"line {number} of {file.name}"
        is_unknown = value_of(row, "unknown", bool, where)
        yield Question(
            id=f"kuq-{number:05d}",
            question=value_of(row, "question", str, where).strip(),
            answers=[] if is_unknown else answers_of(row.get("answer")),
            answerable=not is_unknown,
            category=value_of(row, "category", str, where) if is_unknown else None,
            source=str(row.get("source") or "unknown"),
            pair_id=None,
        )
