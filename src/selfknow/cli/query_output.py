"""Output of a query's rows: a table, CSV, JSON or Parquet."""

import json
import math
import sys
from enum import StrEnum
from typing import TYPE_CHECKING

import typer

from selfknow.cli.output import Format, print_rows
from selfknow.errors import UserError
from selfknow.untrusted import for_terminal

if TYPE_CHECKING:
    import duckdb

_CELL_WIDTH = 100
_ON_ONE_LINE = str.maketrans({"\n": "⏎", "\t": " "})


class QueryFormat(StrEnum):
    """The format in which a query's rows are printed."""

    table = "table"
    csv = "csv"
    json = "json"
    parquet = "parquet"


def print_relation(
    relation: "duckdb.DuckDBPyRelation", output_format: QueryFormat, *, is_filtered: bool = False
) -> None:
    """Print a query's rows on stdout.

    Args:
        relation: The query's rows, not fetched yet.
        output_format: The format.
        is_filtered: True if the user wrote only a condition; errors then leave out the statement around it.

    Raises:
        UserError: DuckDB cannot run the query, or the format is Parquet and stdout is a terminal.
    """
    import duckdb

    from selfknow.sql.connection import query_error
    from selfknow.sql.queries import without_statement

    try:
        if output_format is QueryFormat.parquet:
            _print_parquet(relation)
            return
        fetched = relation.fetchall()
    except duckdb.Error as error:
        raise (UserError(without_statement(error)) if is_filtered else query_error(error)) from error
    convert = {QueryFormat.table: for_table, QueryFormat.csv: _for_csv}.get(output_format, for_json)
    columns = relation.columns
    rows = [{name: convert(value) for name, value in zip(columns, row, strict=True)} for row in fetched]
    print_rows(rows, rows_format(output_format))
    if not rows:
        typer.echo("no rows", err=True)


def for_json(value: object) -> object:
    """Return a value that JSON can hold: infinity and NaN become null, other types that JSON lacks become text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, dict):
        return {str(key): for_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [for_json(item) for item in value]
    return str(value)


def _for_csv(value: object) -> object:
    plain = value if isinstance(value, float) else for_json(value)
    return json.dumps(plain, ensure_ascii=False) if isinstance(plain, dict | list) else plain


def for_table(value: object) -> object:
    """Return a value for a table: a text is cut to one short line."""
    plain = _for_csv(value)
    if not isinstance(plain, str):
        return plain
    visible = for_terminal(plain[: 2 * _CELL_WIDTH].translate(_ON_ONE_LINE))
    return visible if len(visible) <= _CELL_WIDTH else f"{visible[: _CELL_WIDTH - 1]}…"


def _print_parquet(relation: "duckdb.DuckDBPyRelation") -> None:
    import io

    import pyarrow.parquet as pq

    if sys.stdout.isatty():
        raise UserError("a terminal cannot show Parquet: redirect it into a file, as in > rows.parquet")
    buffer = io.BytesIO()
    pq.write_table(relation.to_arrow_table(), buffer)
    sys.stdout.buffer.write(buffer.getvalue())


def rows_format(output_format: QueryFormat) -> Format:
    """Return the format for :func:`print_rows`, which cannot write Parquet."""
    if output_format is QueryFormat.parquet:
        raise UserError("only the rows of a query can be Parquet: use --format json")
    return Format(output_format.value)
