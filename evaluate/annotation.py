"""Sheets on which people judge questions, and what they filled in.

Yin et al., section 2.1: three annotators judged every candidate on their own, and only questions that all three found
unanswerable stayed. A sheet hides the labels: its rows are shuffled, and an item's code says nothing of its id.
"""

import csv
import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from selfknow.errors import UserError

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
        """What the item is called on a sheet."""
        return _digest(self.id)[:_CODE_LENGTH]


@dataclass(frozen=True)
class Judgement:
    """What one annotator said of one item."""

    annotator: str
    code: str
    judgement: str
    category: str
    remark: str


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def sample_of(items: Sequence[Item], size: int | None, seed: int) -> list[Item]:
    """A sample without repetition, the same for the same seed; all items when no size is given.

    Raises:
        UserError: There are fewer items than that.
    """
    if size is not None and size > len(items):
        raise UserError(f"there are {len(items):,} questions, not {size:,}")
    return sorted(items, key=lambda item: _digest(f"{seed}:sample:{item.id}"))[:size]


def sheet(items: Iterable[Item], annotator: str, seed: int) -> str:
    """A sheet as CSV: a row an item, in an order of the annotator's own, ``judgement`` to be filled in."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for item in sorted(items, key=lambda item: _digest(f"{seed}:{annotator}:{item.id}")):
        writer.writerow({"code": item.code, "question": item.question})
    return text.getvalue()


def read_sheet(path: Path, items: Mapping[str, Item]) -> list[Judgement]:
    """What an annotator filled in; rows that are still blank are left out.

    Args:
        path: The sheet; its name without the ending is the annotator's. Commas or semicolons part its columns, as
            spreadsheet programs save them.
        items: By code, those that may stand on it.

    Raises:
        UserError: It is no such sheet, an item stands twice or is unknown, or a judgement is none of ``JUDGEMENTS``.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8: save the sheet as CSV in UTF-8") from error
    rows = csv.DictReader(io.StringIO(text), delimiter=";" if text.startswith("code;") else ",")
    if not {"code", "judgement"} <= set(rows.fieldnames or ()):
        raise UserError(f"{path} has no columns code and judgement: it is no sheet of `selfknow annotate sheet`")
    judgements, seen = list[Judgement](), set[str]()
    for row in rows:
        where, code = f"line {rows.line_num} of {path}", (row["code"] or "").strip()
        judgement = (row["judgement"] or "").strip().lower()
        if code not in items:
            raise UserError(f"{where} has the code {code!r}, which is no question of this dataset")
        if code in seen:
            raise UserError(f"{where} judges {code} a second time")
        seen.add(code)
        if judgement and judgement not in JUDGEMENTS:
            raise UserError(f"{where} says {judgement!r}: a judgement is {' or '.join(JUDGEMENTS)}, or left blank")
        if judgement:
            category, remark = (row.get("category") or "").strip(), (row.get("remark") or "").strip()
            judgements.append(Judgement(path.stem, code, judgement, category, remark))
    return judgements
