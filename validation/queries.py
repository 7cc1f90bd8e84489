"""Runs the queries of a batch in DuckDB: each returns the rows that are not as expected.

A corpus is read where it lies, a column at a time, and never becomes a frame. DuckDB works outside Python's lock, so
several batches can be asked at once, each in a thread with a connection of its own.
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


def ask(batch: Batch) -> dict[str, list[Group] | duckdb.Error]:
    """The exceptions that each query of a batch finds, by config and split.

    Returns:
        For each query its groups of exceptions, none where all is as expected; or what DuckDB raised, which is a
        mistake of ours and no finding about the data. Where a set-up fails, every query gets its error.
    """
    try:
        with opened(batch) as connection:
            return {query.name: _asked(connection, query) for query in batch.queries}
    except duckdb.Error as error:
        return {query.name: error for query in batch.queries}


@contextmanager
def opened(batch: Batch) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that sees the batch's table as ``batch``, its files as views, and what its set-up makes."""
    settings: dict[str, Any] = {"temp_directory": tempfile.gettempdir(), "autoinstall_known_extensions": "false"}
    with closing(duckdb.connect(config=settings)) as connection:
        if batch.table is not None:
            connection.register("batch", batch.table)
        for view, files in batch.files.items():
            _rows_of(connection, files).create_view(view)
        for statement in connection.extract_statements(batch.setup):
            connection.execute(statement, _used(statement, batch.parameters))
        yield connection


def exceptions(connection: duckdb.DuckDBPyConnection, query: Query) -> list[Group]:
    """The rows that one query returns, by config and split.

    Raises:
        duckdb.Error: The query is wrong.
    """
    (statement,) = connection.extract_statements(query.sql)
    values = _used(statement, query.parameters)
    # There are none as a rule, and to see that takes half the planning of a table.
    if connection.execute(statement, values).fetchone() is None:
        return []
    connection.abort()  # the other rows come anew, as a table
    return _by_config_and_split(connection.sql(statement, params=values).to_arrow_table())


def _asked(connection: duckdb.DuckDBPyConnection, query: Query) -> list[Group] | duckdb.Error:
    try:
        return exceptions(connection, query)
    except duckdb.Error as error:
        return error


def _rows_of(connection: duckdb.DuckDBPyConnection, files: Sequence[tuple[str, Path]]) -> duckdb.DuckDBPyRelation:
    """The rows of Parquet files with the same columns, and the split that each belongs to."""
    paths: dict[str, list[str]] = {}
    for split, path in files:
        # DuckDB takes every path for a pattern; an unescaped `data[1]` would read the folder `data1`.
        paths.setdefault(split, []).append(glob.escape(str(path)))
    splits = [
        connection.read_parquet(of_split).select(
            duckdb.StarExpression(), duckdb.ConstantExpression(split).alias("split")
        )
        for split, of_split in paths.items()
    ]
    rows = splits[0]
    for further in splits[1:]:
        rows = rows.union(further)
    return rows


def _used(statement: duckdb.Statement, parameters: str) -> Mapping[str, Any]:
    """The parameters that a statement names: DuckDB refuses the others."""
    values = json.loads(parameters) if statement.named_parameters else {}
    return {name: values[name] for name in statement.named_parameters}


def _by_config_and_split(found: pa.Table) -> list[Group]:
    groups: dict[tuple[str | None, str | None], Group] = {}
    keys = [name for name in ("config", "split") if name in found.column_names]
    for place, key in enumerate(found.select(keys).to_pylist()):
        where = (key.get("config"), key.get("split"))
        group = groups.setdefault(where, {"config": where[0], "split": where[1], "count": 0, "examples": []})
        group["count"] += 1
        if group["count"] <= _MOST_EXAMPLES:
            group["examples"] += found.drop_columns(keys).slice(place, 1).to_pylist()
    return list(groups.values())
