"""The questions of a table of replies: those of a task's dataset, or a user's own."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from selfknow.errors import UserError
from selfknow.evaluate.task import Options, Row, Rows, TableSupport, Task
from selfknow.evaluate.tasks.question_files import answer_texts, read_truth
from selfknow.runs.description import DatasetReference
from selfknow.runs.importers.table import ReplyTable, TableRow

_FACTS = ("answer", "answerable")
"""Fields that the dataset of the questions has, so that a table need not have them."""
_OF_A_QUESTION = ("question", "answers", "answerable")


@dataclass(frozen=True)
class TableQuestions:
    """The questions that the rows of a table answer.

    Attributes:
        rows: The questions, as rows of the task.
        ids: The id of the question of every row of the table, in order.
        source: The source of the facts about the questions: a dataset, or the table itself.
        unused: Fields of the table that tell what the dataset knows.
    """

    rows: Rows
    ids: Sequence[str]
    source: str
    unused: tuple[str, ...] = ()


def find_questions(
    task: Task[Any, Any], name: str, options: Options, table: ReplyTable, folder: Path
) -> TableQuestions:
    """Find the questions of a table in the task's dataset, or else take them from the table.

    Args:
        task: The task, which supports tables.
        name: The name as the user wrote it; the questions are the user's own only if it names no set, and none
            is in the dataset, or if the user names the columns that the scorer needs.
        options: The task's options.
        table: The table.
        folder: The run folder, which is handed to the task.

    Raises:
        UserError: A question is not in the dataset, or the table lacks what the scorer needs to know about it.
    """
    support: TableSupport[Any] = task.table or TableSupport()
    may_be_own = support.own_rows is not None and name == task.name
    has_facts = bool(support.needs) and all(table.is_named(field) for field in support.needs)
    if may_be_own and (has_facts or not task.datasets):
        return _own(support, options, table, "")
    if not {"id", "question"} & table.choices.keys():
        raise UserError(f"{table.name} has no column that is surely the question or its id: add --id or --question")
    rows = task.open(name, options, folder)
    dataset = ":".join(filter(None, (rows.reference.name, rows.reference.config)))
    ids = _match(table, rows, support.question, dataset)
    if ids is None:
        if not may_be_own:
            raise UserError(f"{table.name} holds no question of {dataset}, neither its id nor its text")
        return _own(support, options, table, f"it holds no question of {dataset}, and to score questions of your own ")
    for field in _FACTS:
        if table.is_named(field):
            raise UserError(
                f"{dataset} holds the questions of {table.name}, with what the scorer needs: leave out --{field}"
            )
    wanted = rows.table.filter(pc.is_in(rows.table["id"], value_set=pa.array(sorted(set(ids)), pa.string())))
    limit = len(wanted) if len(wanted) < len(rows.table) else rows.settings.get("limit")
    return TableQuestions(replace(rows, table=wanted, settings={**rows.settings, "limit": limit}), ids, dataset, _FACTS)


def _match(table: ReplyTable, rows: Rows, question: str, dataset: str) -> list[str] | None:
    """Return the id of every row's question in a dataset, by its id or else by its text; null if no row's is there.

    Raises:
        UserError: Only some are there, two questions have one text, or an id stands with another question's text.
    """
    texts = {row["id"]: _folded(row[question] or "") for row in rows.table.select(["id", question]).to_pylist()}
    by_text: dict[str, list[str]] = defaultdict(list)
    for id_, text in texts.items():
        by_text[text].append(id_)
    if "id" in table.choices:
        ids = [table.text("id", row) for row in table.rows]
        if _are_known([id_ in texts for id_ in ids], ids, table, dataset):
            if "question" in table.choices:
                for row, id_ in zip(table.rows, ids, strict=True):
                    _check_text(row, table.text("question", row), id_, texts[id_], dataset)
            return ids
    if "question" in table.choices:
        questions = [table.text("question", row) for row in table.rows]
        matches = [by_text.get(_folded(text), []) for text in questions]
        if _are_known([bool(ids) for ids in matches], questions, table, dataset):
            for row, ids in zip(table.rows, matches, strict=True):
                if len(ids) > 1:
                    raise UserError(f"{row}: {dataset} asks this as {' and '.join(ids[:2])}: add --id")
            return [ids[0] for ids in matches]
    return None


def _are_known(known: Sequence[bool], values: Sequence[str], table: ReplyTable, dataset: str) -> bool:
    """Return true if a dataset knows the ids or questions of all rows, and false if of none.

    Raises:
        UserError: It knows some of them.
    """
    if any(known) and not all(known):
        place = known.index(False)
        first = f"the first is {table.rows[place]}: {values[place]!r:.80}"
        raise UserError(f"{known.count(False)} of {len(known)} rows are about no question of {dataset}; {first}")
    return all(known)


def _check_text(row: TableRow, text: str, id_: str, expected: str, dataset: str) -> None:
    """Check that a row's question holds that of its id, as it may be a whole prompt."""
    if expected not in _folded(text):
        raise UserError(f"{row}: {id_} asks {expected!r:.80} in {dataset}, and {text!r:.80} here")


def _folded(text: str) -> str:
    return " ".join(text.split())


def _own(support: TableSupport[Any], options: Options, table: ReplyTable, opening: str) -> TableQuestions:
    """Return the questions that the table itself holds.

    Raises:
        UserError: It lacks what the scorer needs, or two rows tell of one question differently.
    """
    needs = {"question": "the question", **support.needs}
    if lacking := [f"--{field} COLUMN ({meaning})" for field, meaning in needs.items() if field not in table.choices]:
        raise UserError(f"{table.name}: {opening}the scorer needs {' and '.join(lacking)}")
    questions: dict[str, Row] = {}
    first: dict[str, TableRow] = {}
    ids: list[str] = []
    for row in table.rows:
        question = _own_question(table, row)
        id_ = question["id"]
        for field in _OF_A_QUESTION:
            if questions.setdefault(id_, {**row.values, **question})[field] != question[field]:
                raise UserError(f"{row}: the {field} of {id_!r} is another one than in {first[id_]}")
        first.setdefault(id_, row)
        ids.append(id_)
    records = sorted(
        [question["id"], *(question[field] for field in _OF_A_QUESTION)] for question in questions.values()
    )
    reference = DatasetReference(
        Path(table.name).name, content_hash=hashlib.sha256(json.dumps(records).encode()).hexdigest()
    )
    assert support.own_rows is not None, "the task takes questions that are not its own"
    return TableQuestions(support.own_rows(list(questions.values()), reference, options), ids, table.name)


def _own_question(table: ReplyTable, row: TableRow) -> Row:
    """Return what a row tells of its question; without an id of its own, its text stands for it in every table."""
    text = table.text("question", row)
    digest = hashlib.sha256(_folded(text).encode()).hexdigest()[:12]
    return {
        "id": table.text("id", row) if "id" in table.choices else f"question-{digest}",
        "question": text,
        "answers": answer_texts(table.cell("answer", row)),
        "answerable": _answerable(table, row),
    }


def _answerable(table: ReplyTable, row: TableRow) -> bool | None:
    if "answerable" not in table.choices:
        return None
    truth = read_truth(table.cell("answerable", row))
    if truth is None:
        raise UserError(f"{row}: answerable is {table.cell('answerable', row)!r:.40}, neither true nor false")
    return truth
