"""Import of a table of replies that were made elsewhere, as a run of a task.

A row belongs to the question of the task's dataset with the same id or text. If no row has such a question, or if the
user names the columns that the task's scorer needs, the questions are the user's own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from selfknow.errors import UserError, nearest
from selfknow.evaluate.catalogue import find_task
from selfknow.evaluate.named_options import check_names, options_from
from selfknow.evaluate.run import Run
from selfknow.evaluate.table_questions import TableQuestions, find_questions
from selfknow.evaluate.task import PLAIN, SampledOptions, TableSupport
from selfknow.models.interface import Reply
from selfknow.runs.importers.run import ImportedCall, ImportedLog, write_imported
from selfknow.runs.importers.table import ReplyTable, TableColumns, TableRow, read_table

_CUT_OFF = ("length", "max_tokens", "model_length")


@dataclass(frozen=True)
class ImportedTable:
    """A table of replies in the form of a run's log.

    Attributes:
        log: The log.
        table: The table, with its chosen columns.
        questions: The questions of the table.
    """

    log: ImportedLog
    table: ReplyTable
    questions: TableQuestions

    @property
    def columns(self) -> list[dict[str, str]]:
        """A row for every field: ``field``, ``column`` (or a constant value) and ``chosen`` (named or guessed)."""
        rows = []
        for field, choice in self.table.choices.items():
            if field not in self.questions.unused:
                where = choice.column if choice.column is not None else f"({choice.value})"
                rows.append({"field": field, "column": where, "chosen": choice.origin})
        if "model" not in self.table.choices:
            rows.append({"field": "model", "column": "(the file's name)", "chosen": "guessed"})
        return rows


def import_table(files: str | Path | Sequence[str | Path], task: str, *, out: str | Path, **options: Any) -> Run:
    """Turn a table of replies that were made elsewhere into a run of a task, to score and query it.

    Args:
        files: JSON lines, JSON, CSV or Parquet with one reply per row: a file, several, or a folder of them.
        task: The task's name in ``selfknow evaluate``, such as ``self-aware`` or ``diary-recall:1k``.
        out: The run folder; it must not exist yet.
        options: The table's columns, such as ``question="prompt"`` and ``reply="output"`` (the long options of
            ``selfknow import table``, with underscores), and the task's own options, such as ``portrait``. A column
            without a name is guessed if only one fits. ``model`` and ``variant`` may be a value instead of a column.

    Raises:
        UserError: The table cannot be read, a column is missing or could be several, a question is not in the task's
            dataset, two rows are the same call, or the table lacks what the task's scorer needs.

    Example:
        >>> run = import_table("replies.csv", "self-aware", out="runs/elsewhere", model="gpt-4")  # doctest: +SKIP
        >>> run.score()  # doctest: +SKIP
    """
    paths = [Path(file) for file in ([files] if isinstance(files, str | Path) else files)]
    write_imported(read_replies(paths, task, Path(out), **options).log, Path(out))
    return Run(Path(out))


def read_replies(paths: Sequence[Path], name: str, folder: Path, **options: Any) -> ImportedTable:
    """Read a table of replies as the log of a run (see :func:`import_table`)."""
    task, own_options = find_task(name)
    check_names(options, [TableColumns, own_options], name)
    task_options = options_from(own_options, options)
    if task.table is None or hasattr(task_options, "has_pictures"):
        raise UserError(f"{name} takes no table of replies, because it has several steps or pictures")
    table = read_table(paths, options_from(TableColumns, options))
    samples = [_sample(table, row) for row in table.rows]
    if isinstance(task_options, SampledOptions):
        task_options = replace(task_options, samples=max(samples) + 1)
    questions = find_questions(task, name, task_options, table, folder)
    calls = _calls(table, questions, samples, task.table)
    rows = questions.rows
    settings = {**rows.settings, **task.table.settings}
    log = ImportedLog(
        task.name, rows.reference, rows.table, calls, source=f"the table {Path(table.name).name}", settings=settings
    )
    return ImportedTable(log, table, questions)


def _calls(
    table: ReplyTable, questions: TableQuestions, samples: Sequence[int], support: TableSupport[Any]
) -> list[ImportedCall]:
    """Return a call for every row.

    Raises:
        UserError: Two rows are the same call.
    """
    texts = dict(zip(*(questions.rows.table[name].to_pylist() for name in ("id", support.question)), strict=True))
    variants = support.variants(questions.rows)
    calls: dict[tuple[object, ...], tuple[TableRow, ImportedCall]] = {}
    for row, id_, sample in zip(table.rows, questions.ids, samples, strict=True):
        model, variant = table.model(row), _variant(table, row, variants)
        prompt = next((table.text(name, row) for name in ("prompt", "question") if name in table.choices), texts[id_])
        key = (id_, model, variant, sample)
        if key in calls:
            raise UserError(
                f"{row} is a second reply of {model} to {id_!r}, after {calls[key][0]}: remove one, or name the column "
                "that numbers them with --sample"
            )
        call = ImportedCall(id_, model, prompt, _reply(table, row), support.stage, variant, sample)
        calls[key] = row, call
    return [call for _, call in calls.values()]


def _variant(table: ReplyTable, row: TableRow, variants: Sequence[str]) -> str:
    if "variant" not in table.choices:
        if len(variants) > 1:
            raise UserError(f"{table.name} does not say which prompt was asked: add --variant{nearest('', variants)}")
        return variants[0] if variants else PLAIN
    variant = table.text("variant", row)
    if variants and variant not in variants:
        raise UserError(f"{row}: there is no variant {variant!r}{nearest(variant, variants)}")
    return variant


def _sample(table: ReplyTable, row: TableRow) -> int:
    value = table.cell("sample", row)
    text = "0" if value is None else str(value)
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise UserError(f"{row}: the sample is {value!r:.40}, not a number from 0")
    return int(text)


def _reply(table: ReplyTable, row: TableRow) -> Reply:
    """Return a row's reply; without a text it is a failed request."""
    text, error, reason = (table.cell(name, row) for name in ("reply", "error", "finish_reason"))
    if error not in (None, "", False):
        return Reply(None, error=error if isinstance(error, str) else f"{error!r:.1000}")
    if not isinstance(text, str):
        missing = "the table holds no reply" if text is None else f"the reply is {type(text).__name__}, not text"
        return Reply(None, error=missing)
    return Reply(text, "length" if reason in _CUT_OFF else reason if isinstance(reason, str) and reason else None)
