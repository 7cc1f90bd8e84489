"""Annotation by people: sheets to fill in, one CSV file per annotator, and the annotators' agreement."""

import csv
import hashlib
import io
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from selfknow.errors import UserError
from selfknow.files import write_whole
from selfknow.untrusted import for_spreadsheet, from_spreadsheet

Item = TypeVar("Item")


def write_sheets(folder: Path, sheets: Mapping[str, str]) -> list[Path]:
    """Write sheets into a folder; the name of each file is its annotator's.

    Raises:
        UserError: The folder exists and is not empty, or cannot be written.
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
    """Check that no two sheets have the same name, and return them.

    Raises:
        UserError: Two sheets have the same name.
    """
    if len({path.stem for path in paths}) < len(paths):
        raise UserError("two sheets have the same name: a sheet's name is its annotator's")
    return paths


def in_order(items: Iterable[Item], key: str, name: Callable[[Item], str]) -> list[Item]:
    """Return items in a random order that depends only on the key.

    Args:
        items: The items, in any order.
        key: The seed, such as ``0:ann``.
        name: Returns an item's name; no two items have the same.
    """
    return sorted(items, key=lambda item: hashlib.sha256(f"{key}:{name(item)}".encode()).hexdigest())


def csv_text(rows: Iterable[Mapping[str, str]], columns: Sequence[str]) -> str:
    """Return rows as CSV; missing cells are empty, and text that looks like a formula is escaped."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: for_spreadsheet(cell) for name, cell in row.items()} for row in rows)
    return text.getvalue()


def sheet_rows(
    path: Path, key: str, column: str, known: Collection[str], kind: str
) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Yield the rows of a filled-in sheet.

    Args:
        path: The sheet; its columns are separated by commas or semicolons.
        key: The column that identifies a row.
        column: The column that annotators fill in.
        known: The allowed values of the key.
        kind: The noun for these values in messages.

    Yields:
        The place of the row for messages (``line 3 of ann.csv``), its key, and its cells without white space around
        them.

    Raises:
        UserError: The file is not such a sheet, or a key is repeated or unknown.
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
    """Return the word in a row's column ``judgement``; empty if it is blank.

    Raises:
        UserError: The judgement is none of the words.
    """
    judgement = row["judgement"].lower()
    if judgement and judgement not in words:
        raise UserError(f"{where} says {judgement!r}: a judgement is {' or '.join(words)}, or left blank")
    return judgement


def fleiss_kappa(ratings: ArrayLike) -> float:
    """Return Fleiss' kappa: 1 for full agreement, 0 for chance, below 0 for less than chance.

    Fleiss, Measuring Nominal Scale Agreement Among Many Raters, 1971, equations 1 to 8.

    Args:
        ratings: The number of raters who put each item into each category, shape (items, categories); the same number
            of raters, at least two, for every item.

    Returns:
        The kappa; ``nan`` if all ratings are the same category.

    Raises:
        UserError: There is no item, the number of raters differs between items, or there is only one.

    Example:
        >>> fleiss_kappa([[3, 0], [0, 3], [3, 0]])
        1.0
    """
    counts = np.asarray(ratings, dtype=np.float64)
    raters = counts.sum(axis=1) if counts.ndim == 2 and counts.size else np.array([])
    if not len(raters) or (raters != raters[0]).any() or raters[0] < 2:
        raise UserError("agreement needs items that were all judged by the same number of annotators, two or more")
    shares = counts.sum(axis=0) / counts.sum()
    agreement = ((counts**2).sum(axis=1) - raters[0]) / (raters[0] * (raters[0] - 1))
    by_chance = float((shares**2).sum())
    return float((agreement.mean() - by_chance) / (1 - by_chance)) if by_chance < 1 else float("nan")


def count_ratings(judgements: Sequence[Sequence[str]], categories: Sequence[str]) -> list[list[int]]:
    """Return the number of judgements of each item in each category, shape (items, categories)."""
    return [[row.count(category) for category in categories] for row in judgements]


def shared_votes(
    judgements: Sequence[Mapping[str, str]], categories: Sequence[str]
) -> tuple[dict[str, list[str]], float | None]:
    """Return the votes on the items that all annotators judged, and the annotators' agreement.

    Args:
        judgements: The category of each item, by annotator.
        categories: All categories.

    Returns:
        The votes on each item that everyone judged; and Fleiss' kappa over these items, None if there are none, only
        one annotator, or only one category in use.
    """
    first_annotator = judgements[0] if judgements else {}
    shared = [item for item in first_annotator if all(item in annotator for annotator in judgements)]
    votes = {item: [annotator[item] for annotator in judgements] for item in shared}
    if not votes or len(judgements) < 2:
        return votes, None
    kappa = fleiss_kappa(count_ratings(list(votes.values()), categories))
    return votes, None if math.isnan(kappa) else kappa
