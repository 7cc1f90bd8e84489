"""An importer of tables of replies: JSON Lines, JSON, CSV or Parquet files with any column names.

The user names the columns; a column without a name is guessed if only one fits. A name may reach into nested values:
``result.completions.0.text`` is the text of the first completion in HELM's ``scenario_state.json``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from selfknow.errors import UserError, nearest
from selfknow.files import read_rows
from selfknow.options import option

ENDINGS = (".jsonl", ".ndjson", ".json", ".csv", ".parquet")
_SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "id": ("question_id", "instance_id", "example_id", "qid"),
    "question": ("prompt", "instruction", "input", "query"),
    "reply": ("response", "output", "generation", "completion", "prediction", "predicted_text"),
    "answer": ("answers", "gold", "target", "reference", "references", "ground_truth", "solution"),
    "model": ("model_name", "model_id", "generator"),
}
_MAX_INDEX_DIGITS = 9  # no list in a table is longer; Python refuses to read a number of thousands of digits
_MAX_EXCERPT = 80  # characters of a value that an error shows


@dataclass(frozen=True, kw_only=True)
class TableColumns:
    """Names of a table's columns, by their meaning. A column whose name is null is guessed if only one fits.

    The column of ``finish_reason`` holds ``length`` for a reply that was cut off. ``model`` and ``variant`` may be the
    value of all rows instead of a column.
    """

    id: str | None = option(None, "The column of the question's id.", metavar="COLUMN")
    question: str | None = option(None, "The column of the question.", metavar="COLUMN")
    reply: str | None = option(None, "The column of the reply.", metavar="COLUMN")
    model: str | None = option(None, "The column of the model's name, or the name.", metavar="COLUMN|NAME")
    answer: str | None = option(None, "The column of the right answer or answers.", metavar="COLUMN")
    answerable: str | None = option(None, "The column that is true if the question has an answer.", metavar="COLUMN")
    prompt: str | None = option(None, "The column of the prompt, if it is more than the question.", metavar="COLUMN")
    variant: str | None = option(None, "The column of the prompt's variant, or the variant.", metavar="COLUMN|NAME")
    sample: str | None = option(None, "The column of the sample's number, from 0.", metavar="COLUMN")
    finish_reason: str | None = option(None, "The column of the finish reason.", metavar="COLUMN")
    error: str | None = option(None, "The column of a failed request's error.", metavar="COLUMN")


_VALUE_FIELDS = ("model", "variant")  # the user may give the value of all rows instead of a column


@dataclass(frozen=True)
class TableRow:
    """A row of a table, as in its file.

    Attributes:
        file: The file that holds the row.
        number: The row's number in the file, from 1.
        values: The row's values, by column.
    """

    file: Path
    number: int
    values: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.file}, row {self.number}"

    def cell(self, column: str) -> Any:
        """Return the value of a column, which may reach into nested values; null if there is none.

        Example:
            >>> row = TableRow(Path("a.json"), 1, {"result": {"completions": [{"text": "Rome"}]}})
            >>> row.cell("result.completions.0.text")
            'Rome'
        """
        if column in self.values:
            return self.values[column]
        value: Any = self.values
        for part in column.split("."):
            if isinstance(value, list):
                index = _index(part)
                value = value[index] if index is not None and index < len(value) else None
            else:
                value = value.get(part) if isinstance(value, Mapping) else None
        return value


def _index(part: str) -> int | None:
    """Return a part of a column's name as a position in a list; null if it is not a number."""
    is_number = part.isascii() and part.isdecimal() and len(part) <= _MAX_INDEX_DIGITS
    return int(part) if is_number else None


@dataclass(frozen=True)
class ColumnChoice:
    """The column that was chosen for a field, or one value for all rows.

    Attributes:
        column: The column; null if all rows have the same value.
        value: The value of all rows; null if a column holds the values.
        origin: ``named`` by the user, or ``guessed``.
    """

    column: str | None
    value: str | None
    origin: str

    def cell(self, row: TableRow) -> Any:
        """Return the field's value in a row."""
        return self.value if self.column is None else row.cell(self.column)


@dataclass(frozen=True)
class ReplyTable:
    """A table of replies with its chosen columns.

    Attributes:
        name: The table's name in messages: the path of its first file or folder.
        rows: Its rows.
        choices: The chosen columns, by field of :class:`TableColumns`.
    """

    name: str
    rows: Sequence[TableRow]
    choices: Mapping[str, ColumnChoice]

    def cell(self, field: str, row: TableRow) -> Any:
        """Return a field's value in a row; null if no column was chosen for it."""
        return self.choices[field].cell(row) if field in self.choices else None

    def is_named(self, field: str) -> bool:
        """Return true if the user named the field's column."""
        return field in self.choices and self.choices[field].origin == "named"

    def model(self, row: TableRow) -> str:
        """Return the name of the model that wrote a row's reply; without a chosen column, the row's file names it."""
        return self.text("model", row) if "model" in self.choices else row.file.stem

    def text(self, field: str, row: TableRow) -> str:
        """Return a field's value in a row, a text that is not empty. An ``id`` may also be a whole number.

        Raises:
            UserError: The value is missing, empty, or of another type.
        """
        value = self.cell(field, row)
        if isinstance(value, int) and not isinstance(value, bool) and field == "id":
            return str(value)
        if isinstance(value, str) and value.strip():
            return value
        problem = "empty" if value is None or value == "" else f"{value!r}, which is not a text"
        raise UserError(f"{row}: the {field} is {problem[:_MAX_EXCERPT]}")


def read_table(paths: Sequence[Path], columns: TableColumns) -> ReplyTable:
    """Read a table of replies from files and from all tables in folders, and choose its columns.

    Raises:
        UserError: A file cannot be read, there are no rows, a named column is missing, or several columns fit a field.
    """
    files = [file for path in paths for file in _files(path)]
    rows = [TableRow(file, number, values) for file in files for number, values in enumerate(read_rows(file), start=1)]
    if not rows:
        raise UserError(f"{paths[0]} holds no rows" if paths else "name a table of replies")
    for row in rows:
        if None in row.values:  # csv.DictReader puts surplus cells under this key
            raise UserError(f"{row} has more cells than the header has columns")
    choices = _choose(rows, columns)
    # A single file usually has any name, such as replies.jsonl; several files are named after their models.
    files_name_models = len(files) > 1 and len({file.stem for file in files}) == len(files)
    if "model" not in choices and not files_name_models:
        raise UserError(
            f"{rows[0].file} does not say which model replied: add --model with a column or the model's name"
        )
    return ReplyTable(str(paths[0]), rows, choices)


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.iterdir() if file.suffix in ENDINGS and not file.name.startswith("."))
    if not files:
        raise UserError(f"{path} holds no table: name a folder with files that end in {', '.join(ENDINGS)}")
    return files


def _choose(rows: Sequence[TableRow], columns: TableColumns) -> dict[str, ColumnChoice]:
    """Return the choices: first the columns that the user named, then the guesses."""
    present = list(dict.fromkeys(name for row in rows for name in row.values))
    choices: dict[str, ColumnChoice] = {}
    for field in fields(TableColumns):
        name, column = field.name, getattr(columns, field.name)
        if column is None:
            continue
        if any(row.cell(column) is not None for row in rows):
            choices[name] = ColumnChoice(column, None, "named")
        elif name in _VALUE_FIELDS and column not in present:
            choices[name] = ColumnChoice(None, column, "named")
        else:
            problem = "is empty" if column in present else "is not there"
            raise UserError(f"the column {column!r} of {rows[0].file} {problem}{nearest(column, present)}")
    for field in fields(TableColumns):
        if field.name in choices:
            continue
        used_columns = {choice.column for choice in choices.values()}
        free = [column for column in present if column not in used_columns]
        if column := _guess(rows, field.name, free):
            choices[field.name] = ColumnChoice(column, None, "guessed")
    if "reply" not in choices:
        columns_to_choose = nearest("", present)  # an empty name is like no column, so this lists them
        raise UserError(f"{rows[0].file} has no column that is surely the reply: add --reply{columns_to_choose}")
    return choices


def _guess(rows: Sequence[TableRow], field: str, free: Sequence[str]) -> str | None:
    """Return the column that has the field's name, else the only one with a synonym; null if there is none.

    Raises:
        UserError: Several columns have synonyms of the field's name.
    """
    if field in free:
        return field
    matches = [column for column in free if column in _SYNONYMS.get(field, ())]
    if len(matches) > 1:
        raise UserError(
            f"{rows[0].file} has several columns that may be the {field}: add --{field} {' or '.join(matches)}"
        )
    return matches[0] if matches else None
