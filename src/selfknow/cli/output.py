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
        rows: A mapping for each row; the keys of the first are the columns.
        format: ``table`` (aligned, numbers on the right), ``json`` (one list) or ``csv`` (with a header, and with an
            apostrophe before text that a spreadsheet would read as a formula). Control characters are made visible in
            a table and escaped in JSON.
    """
    if format is Format.json:
        typer.echo(for_json(json.dumps([dict(row) for row in rows], indent=2, ensure_ascii=False)))
    elif rows and format is Format.csv:
        writer = csv.DictWriter(sys.stdout, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: for_spreadsheet(value) for name, value in row.items()} for row in rows)
    elif rows and format is Format.table:
        typer.echo(as_text(rows))
