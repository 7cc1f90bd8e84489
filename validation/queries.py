"""The queries of a batch, run in DuckDB: each returns the rows that are not as expected.

A corpus is read in place, a column at a time, and never becomes a frame. DuckDB works outside Python's lock, so several
batches can run at once, each in a thread with a connection of its own.
"""

import glob
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from selfknow.validation.suite import Batch, Query

_MOST_EXAMPLES = 5
Group = dict[str, Any]
"""Exceptions of one config and split: ``config``, ``split``, ``count`` and ``examples``."""


def run_queries(batch: Batch) -> dict[str, list[Group] | duckdb.Error]:
    """Run the queries of a batch.

    Returns:
        The exceptions of each query by config and split, none if all is as expected; or DuckDB's error, which is a
        mistake of ours, not a finding about the data. If the set-up fails, every query gets its error.
    """
    try:
        with open_batch(batch) as connection:
            return {query.name: _run_query(connection, query) for query in batch.queries}
    except duckdb.Error as error:
        return {query.name: error for query in batch.queries}


@contextmanager
def open_batch(batch: Batch) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a connection that sees the batch's table as ``batch``, its files as views, and the tables of its set-up."""
    settings: dict[str, Any] = {"temp_directory": tempfile.gettempdir(), "autoinstall_known_extensions": "false"}
    with closing(duckdb.connect(config=settings)) as connection:
        if batch.table is not None:
            connection.register("batch", batch.table)
        for view, files in batch.files.items():
            _rows_of(connection, files).create_view(view)
        for statement in connection.extract_statements(batch.setup):
            connection.execute(statement, _named_values(statement, batch.parameters))
        yield connection


def exceptions(connection: duckdb.DuckDBPyConnection, query: Query) -> list[Group]:
    """Return the rows that a query finds, by config and split.

    Raises:
        duckdb.Error: The query is wrong.
    """
    (statement,) = connection.extract_statements(query.sql)
    values = _named_values(statement, query.parameters)
    # Usually there are none, and fetching one row takes half the planning of a table.
    if connection.execute(statement, values).fetchone() is None:
        return []
    connection.abort()  # the query runs again, for all rows as a table
    return _by_config_and_split(connection.sql(statement, params=values).to_arrow_table())


def _run_query(connection: duckdb.DuckDBPyConnection, query: Query) -> list[Group] | duckdb.Error:
    try:
        return exceptions(connection, query)
    except duckdb.Error as error:
        return error


def _rows_of(connection: duckdb.DuckDBPyConnection, files: Sequence[tuple[str, Path]]) -> duckdb.DuckDBPyRelation:
    """Return the rows of Parquet files with the same columns, with the split of each."""
    paths: dict[str, list[str]] = {}
    for split, path in files:
        # DuckDB reads every path as a pattern: an unescaped `data[1]` would read the folder `data1`.
        paths.setdefault(split, []).append(glob.escape(str(path)))
    splits = [
        connection.read_parquet(split_paths).select(
            duckdb.StarExpression(), duckdb.ConstantExpression(split).alias("split")
        )
        for split, split_paths in paths.items()
    ]
    rows = splits[0]
    for further in splits[1:]:
        rows = rows.union(further)
    return rows


def _named_values(statement: duckdb.Statement, parameters: str) -> Mapping[str, Any]:
    """Return the parameters that a statement names: DuckDB refuses the others."""
    values = json.loads(parameters) if statement.named_parameters else {}
    return {name: values[name] for name in statement.named_parameters}


def _by_config_and_split(rows: pa.Table) -> list[Group]:
    groups: dict[tuple[str | None, str | None], Group] = {}
    keys = [name for name in ("config", "split") if name in rows.column_names]
    for place, key in enumerate(rows.select(keys).to_pylist()):
        where = (key.get("config"), key.get("split"))
        group = groups.setdefault(where, {"config": where[0], "split": where[1], "count": 0, "examples": []})
        group["count"] += 1
        if group["count"] <= _MOST_EXAMPLES:
            group["examples"] += rows.drop_columns(keys).slice(place, 1).to_pylist()
    return list(groups.values())
