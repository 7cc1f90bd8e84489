"""Output of results: a table for people, JSON or CSV for programs."""

import csv
import json
import sys
from collections.abc import Sequence
from enum import StrEnum

import typer

from selfknow.row_table import Row, as_text
from selfknow.untrusted import for_json, for_spreadsheet


class Format(StrEnum):
    """The formats that every command with a result can print."""

    table = "table"
    json = "json"
    csv = "csv"


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
        typer.echo(as_text(rows))
