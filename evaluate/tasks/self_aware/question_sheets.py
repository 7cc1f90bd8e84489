"""Sheets on which people judge questions, and their agreement with each other and with the labels.

Yin et al., section 2.1: three annotators judged every candidate independently, and a question was kept if all three
found it unanswerable. A sheet hides the labels: its rows are shuffled, and an item's code does not show its id.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from selfknow.errors import UserError
from selfknow.evaluate.annotation import csv_text, in_order, judgement_of, shared_votes, sheet_rows
from selfknow.evaluate.dataset import ConfigFiles
from selfknow.evaluate.tasks.self_aware.questions import SPLITS

JUDGEMENTS = ("answerable", "unanswerable")
COLUMNS = ("code", "question", "judgement", "category", "remark")
_CODE_LENGTH = 12


@dataclass(frozen=True)
class Item:
    """A question to judge, and its label, which no sheet shows."""

    id: str
    question: str
    answerable: bool

    @property
    def code(self) -> str:
        """The item's code on a sheet."""
        return hashlib.sha256(self.id.encode()).hexdigest()[:_CODE_LENGTH]


@dataclass(frozen=True)
class Judgement:
    """The judgement of one item by one annotator."""

    annotator: str
    code: str
    judgement: str
    category: str
    remark: str


def read_items(dataset: ConfigFiles) -> dict[str, Item]:
    """Return the questions of both splits, by code."""
    tables = [dataset.read(split).select(["id", "question", "answerable"]) for split in SPLITS]
    items = [Item(**row) for table in tables for row in table.to_pylist()]
    return {item.code: item for item in items}


def sample_of(items: Sequence[Item], size: int | None, seed: int) -> list[Item]:
    """Return a random sample without repeats, the same for the same seed; all items if the size is null.

    Raises:
        UserError: There are fewer items than ``size``.
    """
    if size is not None and size > len(items):
        raise UserError(f"there are only {len(items):,} questions, so {size:,} cannot be drawn: ask for fewer")
    return _shuffled(items, f"{seed}:sample")[:size]


def sheet(items: Iterable[Item], annotator: str, seed: int, columns: Sequence[str] = COLUMNS) -> str:
    """Return a sheet as CSV: a row per item, shuffled for each annotator, with empty cells to fill in."""
    rows = [{"code": item.code, "question": item.question} for item in _shuffled(items, f"{seed}:{annotator}")]
    return csv_text(rows, columns)


def _shuffled(items: Iterable[Item], key: str) -> list[Item]:
    return in_order(items, key, lambda item: item.id)


def read_sheet(path: Path, items: Mapping[str, Item]) -> list[Judgement]:
    """Return the judgements of an annotator's sheet, without blank rows.

    Args:
        path: The sheet; its file name without the suffix is the annotator's name.
        items: The items that may be on it, by code.

    Raises:
        UserError: The file is not such a sheet, an item is repeated or unknown, or a judgement is none of
            ``JUDGEMENTS``.
    """
    rows = sheet_rows(path, "code", "judgement", items, "question of this dataset")
    return [
        Judgement(path.stem, code, judgement, row.get("category", ""), row.get("remark", ""))
        for where, code, row in rows
        if (judgement := judgement_of(row, where, JUDGEMENTS))
    ]


def agreement_report(
    items: Mapping[str, Item], annotators: Sequence[str], judgements: Sequence[Judgement]
) -> list[dict[str, object]]:
    """Return a row for each annotator, a row for all together, and a row for the questions on which all agree.

    Args:
        items: All items, by code.
        annotators: The names of the annotators, in order.
        judgements: The judgements of all annotators.

    Returns:
        Rows of ``annotator``; ``judged``, the number of questions (for all together: those that everyone judged);
        ``as_labelled``, the share of judgements that equal the label; ``fleiss_kappa``, over the questions that
        everyone judged, null if there are none or only one annotator.
    """
    by_annotator = {
        name: {judgement.code: judgement.judgement for judgement in judgements if judgement.annotator == name}
        for name in annotators
    }
    votes, kappa = shared_votes(list(by_annotator.values()), JUDGEMENTS)
    unanimous = {code: row[0] for code, row in votes.items() if len(set(row)) == 1}
    all_votes = [(code, vote) for code, row in votes.items() for vote in row]
    return [
        *(_row(name, len(judged), list(judged.items()), items) for name, judged in by_annotator.items()),
        _row("all of them", len(votes), all_votes, items) | {"fleiss_kappa": kappa},
        _row("unanimous", len(unanimous), list(unanimous.items()), items),
    ]


def _row(
    annotator: str, num_judged: int, votes: Sequence[tuple[str, str]], items: Mapping[str, Item]
) -> dict[str, object]:
    right = sum((vote == "answerable") == items[code].answerable for code, vote in votes)
    share = right / len(votes) if votes else None
    return {"annotator": annotator, "judged": num_judged, "as_labelled": share, "fleiss_kappa": None}


def judgement_table(items: Mapping[str, Item], judgements: Sequence[Judgement]) -> pa.Table:
    """Return a row for each judgement: ``id``, ``annotator``, ``judgement``, ``category``, ``remark``."""
    columns = ("id", "annotator", "judgement", "category", "remark")
    return pa.Table.from_pylist(
        [
            {
                "id": items[judgement.code].id,
                "annotator": judgement.annotator,
                "judgement": judgement.judgement,
                "category": judgement.category or None,
                "remark": judgement.remark or None,
            }
            for judgement in judgements
        ],
        schema=pa.schema([(name, pa.string()) for name in columns]),
    )
