"""Sheets on which people judge questions, what they say there, and how far they agree with each other and the labels.

Yin et al., section 2.1: three annotators judged every candidate on their own, and only questions that all three found
unanswerable stayed. A sheet hides the labels: its rows are shuffled, and an item's code says nothing of its id.
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
    """A question to be judged, and its label, which no sheet shows."""

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
    """Return a sample without repetition, the same for the same seed; all items when no size is given.

    Raises:
        UserError: There are fewer items than that.
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
        path: The sheet; its name without the ending is the annotator's.
        items: By code, those that may stand on it.

    Raises:
        UserError: It is not such a sheet, an item stands twice or is unknown, or a judgement is none of ``JUDGEMENTS``.
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
    """Return a row for each annotator, one for all together, and one for the questions on which all agree.

    Args:
        items: By code, all that could be judged.
        annotators: The names of the annotators, in order.
        judgements: All of theirs.

    Returns:
        Rows of ``annotator``; ``judged``, the number of questions (for all together: those that everyone judged);
        ``as_labelled``, the share of judgements that are the label's; ``fleiss_kappa``, over the questions that
        everyone judged, null where there is none or but one annotator.
    """
    by_annotator = {
        name: {judgement.code: judgement.judgement for judgement in judgements if judgement.annotator == name}
        for name in annotators
    }
    votes, kappa = shared_votes(list(by_annotator.values()), JUDGEMENTS)
    unanimous = {code: row[0] for code, row in votes.items() if len(set(row)) == 1}
    together = [(code, vote) for code, row in votes.items() for vote in row]
    return [
        *(_row(name, len(judged), list(judged.items()), items) for name, judged in by_annotator.items()),
        _row("all of them", len(votes), together, items) | {"fleiss_kappa": kappa},
        _row("unanimous", len(unanimous), list(unanimous.items()), items),
    ]


def _row(annotator: str, judged: int, votes: Sequence[tuple[str, str]], items: Mapping[str, Item]) -> dict[str, object]:
    right = sum((vote == "answerable") == items[code].answerable for code, vote in votes)
    share = right / len(votes) if votes else None
    return {"annotator": annotator, "judged": judged, "as_labelled": share, "fleiss_kappa": None}


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
