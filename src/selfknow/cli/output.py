"""Output of results: a table for people, JSON or CSV for programs."""

import csv
import json
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum

import typer

from selfknow.untrusted import for_json, for_spreadsheet, for_terminal


class Format(StrEnum):
    """The formats that every command with a result can print."""

    table = "table"
    json = "json"
    csv = "csv"


Row = Mapping[str, object]


def print_rows(rows: Sequence[Row], format: Format = Format.table) -> None:  # noqa: A002
    """Print rows with the same keys on stdout.

    Args:
        rows: One mapping a row; the first one's keys are the columns.
        format: ``table`` (aligned, numbers right), ``json`` (one list) or ``csv`` (with a header, and with an
            apostrophe before what a spreadsheet program would take for a formula). What a terminal would obey is made
            visible in a table and spelt out in JSON.
    """
    if format is Format.json:
        typer.echo(for_json(json.dumps([dict(row) for row in rows], indent=2, ensure_ascii=False)))
    elif rows and format is Format.csv:
        writer = csv.DictWriter(sys.stdout, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: for_spreadsheet(value) for name, value in row.items()} for row in rows)
    elif rows and format is Format.table:
        typer.echo(_table(rows))


def _table(rows: Sequence[Row]) -> str:
    columns = list(rows[0])
    cells = [[_cell(row[column]) for column in columns] for row in rows]
    widths = [max(len(line[i]) for line in [columns, *cells]) for i in range(len(columns))]
    right = [all(isinstance(row[column], int | float | None) for row in rows) for column in columns]
    lines = [columns, ["-" * width for width in widths], *cells]
    return "\n".join(
        "  ".join(
            text.rjust(width) if to_right else text.ljust(width)
            for text, width, to_right in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in lines
    )


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return f"{value:.4f}" if isinstance(value, float) else for_terminal(str(value))
