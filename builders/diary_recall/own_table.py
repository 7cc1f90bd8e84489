"""Documents about named things, from a table of your own: Parquet, CSV, TSV or JSON lines, with the same result."""

import csv
import hashlib
import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path

from selfknow.builders.diary_recall.titles import title_lines
from selfknow.errors import UserError
from selfknow.files import parse_json

REQUIRED = ("name", "document")
ORDER = "order"
ENDINGS = (".parquet", ".csv", ".tsv", ".jsonl")
FEWEST_NAMES = 10
MOST_CHARACTERS = 8_000  # about the 2,048 tokens that the paper's models read
_ALLOWED_CONTROLS = "\n\t"


@dataclass(frozen=True)
class OwnTable:
    """The content of a table.

    Attributes:
        file_name: The name of the table's file.
        sha256: The SHA-256 of the table's bytes, as hex digits.
        documents: The documents in their order, by name; names are sorted.
    """

    file_name: str
    sha256: str
    documents: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class _Row:
    number: int  # in the table, from 1
    name: str
    document: str
    order: str | None


def read_own_table(path: Path, *, most_characters: int = MOST_CHARACTERS) -> OwnTable:
    """Read a table with the columns ``name``, ``document`` and, optionally, ``order``.

    Names and documents lose the white space around them; line ends become newlines. Without ``order`` the documents
    of a name keep the order of the rows; with it they are sorted, as numbers if all are numbers.

    Args:
        path: A file that ends in one of :data:`ENDINGS`.
        most_characters: The largest number of characters of all documents about one name.

    Raises:
        UserError: The file cannot be read, or a row breaks a rule; the message names the row and the remedy.
    """
    if not path.is_file():
        raise UserError(f"there is no file {path}")
    if path.suffix.lower() not in ENDINGS:
        raise UserError(f"{path.name} is not a table: use {', '.join(ENDINGS)}")
    rows = [_check_row(path, number, row) for number, row in enumerate(_read(path), start=1)]
    documents = {
        name: tuple(row.document for row in _check_and_sort(path, name, group))
        for name, group in _by_name(rows).items()
    }
    _check_names(path, documents, most_characters)
    return OwnTable(path.name, hashlib.sha256(path.read_bytes()).hexdigest(), documents)


def _read(path: Path) -> Iterable[Mapping[str, object]]:
    try:
        if path.suffix.lower() == ".parquet":
            return _read_parquet(path)
        if path.suffix.lower() == ".jsonl":
            return _read_json_lines(path)
        text = io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")
        reader = csv.DictReader(text, strict=True, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
        _check_columns(path, reader.fieldnames or ())
        return list(reader)
    except UnicodeDecodeError as error:
        raise UserError(f"{path.name} is not UTF-8 (byte {error.start:,}): save it as UTF-8") from error
    except csv.Error as error:
        raise UserError(f"{path.name} cannot be read as a table: {error}") from error


def _read_parquet(path: Path) -> list[Mapping[str, object]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            _check_columns(path, file.schema_arrow.names)
            table = file.read([name for name in (*REQUIRED, ORDER) if name in file.schema_arrow.names])
    except pa.ArrowInvalid as error:
        raise UserError(f"{path.name} is not a Parquet file: {error}") from error
    return list(table.to_pylist())


def _read_json_lines(path: Path) -> list[Mapping[str, object]]:
    rows: list[Mapping[str, object]] = []
    for number, line in enumerate(path.read_bytes().decode("utf-8-sig").split("\n"), start=1):
        if line.strip():
            try:
                row = parse_json(line)
            except ValueError as error:
                raise UserError(f"{path.name}: line {number:,} is not JSON: {error}") from error
            if not isinstance(row, dict):
                raise UserError(f"{path.name}: line {number:,} is not a JSON object")
            _check_columns(path, row)
            rows.append(row)
    return rows


def _check_columns(path: Path, columns: Iterable[str]) -> None:
    names = list(columns)
    for name in REQUIRED:
        if name not in names:
            near = get_close_matches(name, names, n=1)
            hint = f"rename {near[0]!r}" if near else f"it has {', '.join(names) or 'none'}"
            raise UserError(f"{path.name} has no column {name!r}: {hint}")


def _check_row(path: Path, number: int, row: Mapping[str, object]) -> _Row:
    texts = {name: _text(row[name]) for name in REQUIRED}
    for name, text in texts.items():
        if not text:
            raise UserError(f"{path.name}: row {number:,} has an empty {name}")
        for char in text:
            if ord(char) < ord(" ") and char not in _ALLOWED_CONTROLS:
                raise UserError(f"{path.name}: row {number:,} holds the control character U+{ord(char):04X}")
    if "\n" in texts["name"]:
        raise UserError(f"{path.name}: row {number:,} has a name of several lines")
    if lines := title_lines(texts["document"]):
        raise UserError(
            f"{path.name}: row {number:,} has the line {lines[0]!r}, which is read as the title of another document: "
            "change the line"
        )
    order = _text(row.get(ORDER)) if ORDER in row else None
    if order == "":
        raise UserError(f"{path.name}: row {number:,} has an empty {ORDER}: fill the column or leave it out")
    return _Row(number, texts["name"], texts["document"], order)


def _text(value: object) -> str:
    """Return a value as text, the same from every kind of file: whole numbers have no decimals."""
    if value is None or value != value:  # null, or not a number
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).replace("\r\n", "\n").replace("\r", "\n").strip()


def _by_name(rows: Iterable[_Row]) -> dict[str, list[_Row]]:
    groups: dict[str, list[_Row]] = {}
    for row in rows:
        groups.setdefault(row.name, []).append(row)
    return dict(sorted(groups.items()))


def _check_and_sort(path: Path, name: str, rows: list[_Row]) -> list[_Row]:
    """Sort the documents about a name; refuse a repeated document, and an order that is incomplete or ambiguous."""
    seen: dict[str, int] = {}
    for row in rows:
        if row.document in seen:
            raise UserError(
                f"{path.name}: rows {seen[row.document]:,} and {row.number:,} are the same document about {name!r}"
            )
        seen[row.document] = row.number
    orders = [row.order for row in rows if row.order is not None]
    if not orders:
        return rows
    if len(orders) < len(rows):
        number = next(row.number for row in rows if row.order is None)
        raise UserError(
            f"{path.name}: row {number:,} about {name!r} has no {ORDER}, and others have one: fill all, or none"
        )
    keys = _sort_keys(orders)
    order = sorted(range(len(rows)), key=keys.__getitem__)
    for index, next_index in pairwise(order):
        if keys[index] == keys[next_index]:
            first, second = rows[index], rows[next_index]
            raise UserError(
                f"{path.name}: rows {first.number:,} and {second.number:,} about {name!r} have the same {ORDER}"
            )
    return [rows[index] for index in order]


def _sort_keys(orders: list[str]) -> list[tuple[float, str]]:
    """Return the sort keys of the documents: numbers if all are numbers, else texts."""
    try:
        numbers = [float(order) for order in orders]
    except ValueError:
        numbers = [math.nan]
    if not all(map(math.isfinite, numbers)):
        return [(0.0, order) for order in orders]
    return [(number, "") for number in numbers]


def _check_names(path: Path, documents: Mapping[str, tuple[str, ...]], most_characters: int) -> None:
    if len(documents) < FEWEST_NAMES:
        raise UserError(
            f"{path.name} has documents about {len(documents)} names: the splits need at least {FEWEST_NAMES}, so that "
            "validation and test each ask about one"
        )
    for name, texts in documents.items():
        length = sum(map(len, texts))
        if length > most_characters:
            raise UserError(
                f"{path.name}: the {len(texts):,} documents about {name!r} have {length:,} characters: the answer must "
                f"fit a model's context (--max-characters {most_characters:,}): use fewer documents, or raise it"
            )
