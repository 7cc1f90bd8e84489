"""The sheet on which people correct the answers to a model's own questions.

A row is a question that no program decides. People write its true answer into the column ``corrected``: the raw answer
if that is correct, or ``unusable`` if the question has no answer or several. An unusable question is dropped from both
versions.
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
    """Write the sheet of the open questions, and return its path."""
    path = creations.folder / "sheet.csv"
    rows = [{**row, "question": row["question"].replace("\r", "\n"), "corrected": ""} for row in creations.open_rows]
    rows = [{name: row[name] for name in COLUMNS} for row in rows]
    write_whole(path, csv_text(rows, COLUMNS).encode())
    return path


def import_sheet(folder: Path, sheet: Path) -> tuple[Creations, list[str]]:
    """Read a sheet into the creations. Its answers replace earlier ones; a blank row becomes open.

    Args:
        folder: The folder of creations.
        sheet: The filled-in sheet.

    Returns:
        The creations, and the places of blank rows, such as ``sheet.csv, row 3``.

    Raises:
        UserError: The sheet lacks a row, repeats one, has an unknown one, or a question or raw answer on it was
            altered. Nothing is written then.
    """
    creations = read_creations(folder)
    questions = {row["id"]: row for row in creations.rows if row["decided_by"] != PROGRAM}
    if not questions:
        raise UserError(f"a program decided every question in {folder}: there is nothing to correct by hand")
    corrected: dict[str, Row] = {}
    blanks = []
    for where, id_, row in sheet_rows(sheet, "id", "corrected", questions, f"question of the sheet of {folder}"):
        _check_unaltered(where, row, questions[id_])
        corrected[id_] = _with_answer(questions[id_], row["corrected"])
        if corrected[id_]["state"] == OPEN:
            blanks.append(where)
    if missing := [id_ for id_ in questions if id_ not in corrected]:
        raise UserError(
            f"{sheet} lacks {len(missing)} of {len(questions)} rows, the first of them {missing[0]}: copy them from "
            f"{folder / 'sheet.csv'}; write {UNUSABLE} into a row that has no answer"
        )
    rows = [corrected.get(row["id"], row) for row in creations.rows]
    write_rows(folder, rows)
    return Creations(folder, creations.creator, creations.revision, rows), blanks


def _check_unaltered(where: str, row: Mapping[str, str], original: Row) -> None:
    for name in ("question", "raw"):
        if " ".join(row.get(name, "").split()) != " ".join(original[name].split()):
            raise UserError(
                f"{where} has another {name} than before ({row.get(name, '')!r}, not {original[name]!r}): restore it, "
                "and open the sheet with every column as text, or the spreadsheet program makes a date of 1/2"
            )


def _with_answer(row: Row, answer: str) -> dict[str, Any]:
    if answer != row["corrected"]:  # the old solution leads to another answer
        row = {**row, "corrected_solution": row["raw_solution"] if answer == row["raw"] else None}
    if not answer:
        return {**row, "corrected": None, "state": OPEN, "decided_by": None}
    if answer.casefold() == UNUSABLE:
        return {**row, "corrected": None, "state": DROPPED, "decided_by": PERSON}
    state = UNCHANGED if answer == row["raw"] else CORRECTED
    return {**row, "corrected": answer, "state": state, "decided_by": PERSON}
