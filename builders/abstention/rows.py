"""The steps that turn a row of KUQ, UMWP or CoCoNot into a row with the columns of self-aware."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import UnionType
from typing import Any

from selfknow.builders.self_aware.question_text import answer_flags, normalized
from selfknow.builders.self_aware.questions import Question
from selfknow.errors import UserError

Row = Mapping[str, Any]


def value_of(row: Row, column: str, kind: type | UnionType, where: str) -> Any:
    """Return the value of a column.

    Args:
        row: The row.
        column: The column's name.
        kind: The type of its values.
        where: The row's place for an error, such as ``line 3 of kuq.jsonl``.

    Raises:
        UserError: The row lacks the column, or its value has another type.
    """
    if not isinstance(row.get(column), kind):
        type_name = getattr(kind, "__name__", kind)
        raise UserError(f"{where} has no {type_name} in the column {column!r}; it has {', '.join(row)}")
    return row[column]


def answers_of(value: object) -> list[str]:
    """Return a cell's answers as strings; 460.0 becomes ``460``. A cell holds one answer or a list of them.

    >>> answers_of([460.0, "four hundred "]), answers_of(2.5), answers_of(None)
    (['460', 'four hundred'], ['2.5'], [])
    """
    values = value if isinstance(value, list | tuple) else [value]
    texts = (_text(answer).strip() for answer in values if answer is not None)
    return list(dict.fromkeys(text for text in texts if text))


def _text(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def with_unique_ids(rows: Iterable[Question]) -> Iterator[Question]:
    """Yield the rows; a repeated id gets a number, such as ``umwp-0007--2``."""
    times_used = Counter[str]()
    for row in rows:
        times_used[row.id] += 1
        yield row if times_used[row.id] == 1 else replace(row, id=f"{row.id}--{times_used[row.id]}")


def with_flags(rows: Iterable[Question]) -> tuple[Question, ...]:
    """Return the rows with the flags of their flaws in front of their other flags."""
    rows = list(rows)
    times_asked = Counter(normalized(row.question) for row in rows)
    return tuple(replace(row, flags=[*_flaws(row, times_asked), *row.flags]) for row in rows)


def _flaws(row: Question, times_asked: Counter[str]) -> Iterator[str]:
    if times_asked[normalized(row.question)] > 1:
        yield "duplicate"
    yield from answer_flags(row.question, row.answers, whole_words=False)
    if row.answerable and not row.answers:
        yield "no_answer"
