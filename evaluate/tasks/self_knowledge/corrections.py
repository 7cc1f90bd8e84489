"""The sheet on which people correct the answers of a model's own questions, and what they filled in.

A row is a question that no program decides. In the column ``corrected`` goes its true answer, which is the raw one
where that is right, or ``unusable`` where the question has no one answer: then it leaves both versions.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from selfknow.errors import UserError
from selfknow.evaluate.annotation import csv_text, sheet_rows
from selfknow.evaluate.task import Row
from selfknow.evaluate.tasks.self_knowledge.creations import (
    CORRECTED,
    DROPPED,
    OPEN,
    PERSON,
    PROGRAM,
    UNCHANGED,
    Creations,
    read_creations,
    write_rows,
)
from selfknow.files import write_whole

COLUMNS = ("id", "question", "raw", "corrected")
UNUSABLE = "unusable"


def write_sheet(creations: Creations) -> Path:
    """Write the sheet of the open questions; returns its path."""
    path = creations.folder / "sheet.csv"
    rows = [{**row, "question": row["question"].replace("\r", "\n"), "corrected": ""} for row in creations.open_rows]
    rows = [{name: row[name] for name in COLUMNS} for row in rows]
    write_whole(path, csv_text(rows, COLUMNS).encode())
    return path


def import_sheet(folder: Path, sheet: Path) -> tuple[Creations, list[str]]:
    """Take over what people wrote; what they wrote earlier is replaced, blanks stay or become open.

    Args:
        folder: The creations.
        sheet: The sheet, filled in.

    Returns:
        The creations, and where on the sheet a row is still blank.

    Raises:
        UserError: The sheet lacks a row, has one twice or one that is unknown, or a question or raw answer on it was
            altered; then nothing is taken over.
    """
    creations = read_creations(folder)
    questions = {row["id"]: row for row in creations.rows if row["decided_by"] != PROGRAM}
    if not questions:
        raise UserError(f"a program decided every question in {folder}: there is nothing to be corrected by hand")
    corrected: dict[str, Row] = {}
    blanks = []
    for where, id_, row in sheet_rows(sheet, "id", "corrected", questions, f"question of the sheet of {folder}"):
        _check_unaltered(where, row, questions[id_])
        corrected[id_] = _decided(questions[id_], row["corrected"])
        if corrected[id_]["state"] == OPEN:
            blanks.append(where)
    if missing := [id_ for id_ in questions if id_ not in corrected]:
        raise UserError(
            f"{sheet} lacks {len(missing)} of {len(questions)} rows, the first of them {missing[0]}: take them from "
            f"{folder / 'sheet.csv'}; a row that cannot be answered says {UNUSABLE}"
        )
    rows = [corrected.get(row["id"], row) for row in creations.rows]
    write_rows(folder, rows)
    return Creations(folder, creations.creator, creations.revision, rows), blanks


def _check_unaltered(where: str, row: Mapping[str, str], handed_out: Row) -> None:
    for name in ("question", "raw"):
        if " ".join(row.get(name, "").split()) != " ".join(handed_out[name].split()):
            raise UserError(
                f"{where} has another {name} than was handed out ({row.get(name, '')!r}, not {handed_out[name]!r}): "
                "put it back, and have the spreadsheet program take every column as text, or it makes dates of 1/2"
            )


def _decided(row: Row, answer: str) -> dict[str, Any]:
    if answer != row["corrected"]:  # a solution is one of an answer
        row = {**row, "corrected_solution": row["raw_solution"] if answer == row["raw"] else None}
    if not answer:
        return {**row, "corrected": None, "state": OPEN, "decided_by": None}
    if answer.casefold() == UNUSABLE:
        return {**row, "corrected": None, "state": DROPPED, "decided_by": PERSON}
    state = UNCHANGED if answer == row["raw"] else CORRECTED
    return {**row, "corrected": answer, "state": state, "decided_by": PERSON}
