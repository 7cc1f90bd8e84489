"""Sheets that people fill in: shuffled CSV files, one a person, read back with file and row of each entry."""

import csv
import hashlib
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from selfknow.errors import UserError
from selfknow.files import write_whole
from selfknow.untrusted import for_spreadsheet, from_spreadsheet

Item = TypeVar("Item")


def write_sheets(folder: Path, sheets: Mapping[str, str]) -> list[Path]:
    """Write sheets, each under its annotator's name.

    Raises:
        UserError: The folder is there already and not empty, or cannot be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(
            f"{folder} exists and is not empty: name a new folder, because filled-in sheets are never overwritten"
        )
    paths = [folder / f"{name}.csv" for name in sheets]
    for path, text in zip(paths, sheets.values(), strict=True):
        write_whole(path, text.encode())
    return paths


def check_names(paths: Sequence[Path]) -> Sequence[Path]:
    """The sheets themselves.

    Raises:
        UserError: Two have the same name.
    """
    if len({path.stem for path in paths}) < len(paths):
        raise UserError("two sheets have the same name: a sheet's name is its annotator's")
    return paths


def in_order(items: Iterable[Item], key: str, name: Callable[[Item], str]) -> list[Item]:
    """Items shuffled, the same for the same key.

    Args:
        items: In any order.
        key: Such as the seed and the annotator.
        name: Of an item; no two have the same.
    """
    return sorted(items, key=lambda item: hashlib.sha256(f"{key}:{name(item)}".encode()).hexdigest())


def csv_text(rows: Iterable[Mapping[str, str]], columns: Sequence[str]) -> str:
    """Rows as CSV with these columns, empty where a row has none; no cell is a formula (see :func:`sheet_rows`)."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: for_spreadsheet(cell) for name, cell in row.items()} for row in rows)
    return text.getvalue()


def sheet_rows(
    path: Path, key: str, column: str, known: Collection[str], kind: str
) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """The rows of a sheet that was filled in.

    Args:
        path: The sheet. Commas or semicolons part its columns, as spreadsheet programs save them.
        key: The column that names what a row is about.
        column: The column that is filled in.
        known: What may stand under the key.
        kind: What those are, for messages.

    Yields:
        Where the row stands (for messages), its key, and its cells without white space around them.

    Raises:
        UserError: It is no such sheet, or a key stands twice or is unknown.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8: save the sheet as CSV in UTF-8") from error
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=";" if text.startswith(f"{key};") else ",")
    seen = set[str]()
    try:
        if not {key, column} <= set(rows.fieldnames or ()):
            raise UserError(f"{path} has no columns {key} and {column}: it is not such a sheet")
        for raw in rows:
            row = {
                name: from_spreadsheet((cell or "").strip()).strip()
                for name, cell in raw.items()
                if isinstance(name, str)
            }
            where, name = f"line {rows.line_num} of {path}", row[key]
            if name not in known:
                raise UserError(f"{where} has the {key} {name!r}, which is not a {kind}")
            if name in seen:
                raise UserError(f"{where} has {name} a second time")
            seen.add(name)
            yield where, name, row
    except csv.Error as error:
        raise UserError(f"{path} cannot be read as CSV: {error}") from error


def judgement_of(row: Mapping[str, str], where: str, words: Sequence[str]) -> str:
    """The word in a row's column ``judgement``, empty where it is blank.

    Raises:
        UserError: It is none of the words.
    """
    judgement = row["judgement"].lower()
    if judgement and judgement not in words:
        raise UserError(f"{where} says {judgement!r}: a judgement is {' or '.join(words)}, or left blank")
    return judgement
