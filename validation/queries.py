"""The queries of a batch, run in DuckDB: each returns the rows that are not as expected.

Large Parquet files are queried in place, column by column; small ones are loaded once. DuckDB releases the GIL, so
several batches can run at once, each in a thread with a connection of its own.
"""

import glob
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from selfknow.validation.suite import Batch, Query

_MOST_EXAMPLES = 5  # of exceptions in one config and split
_LARGEST_TABLE_IN_BYTES = 64 << 20  # size of the Parquet files; in memory they take several times as much
Group = dict[str, Any]
"""Exceptions of one config and split: ``config``, ``split``, ``count`` and ``examples``."""


def run_queries(batches: Sequence[Batch], threads: int) -> list[dict[str, list[Group] | duckdb.Error]]:
    """Run the queries of batches; small files that several batches share are read only once.

    Args:
        batches: The batches.
        threads: The number of threads that DuckDB may use.

    Returns:
        For each batch, the exceptions by the query's name: one entry for each config and split, none if all is as
        expected. If DuckDB rejects a query, its error replaces them: it is a mistake of ours, not a finding about the
        data. If the set-up of a batch fails, each of its queries gets that error.
    """
    with SharedRows(threads) as rows:
        return [_run_batch(rows, batch) for batch in batches]


def _run_batch(rows: "SharedRows", batch: Batch) -> dict[str, list[Group] | duckdb.Error]:
    try:
        with rows.open_batch(batch) as connection:
            return {query.name: _run_query(connection, query) for query in batch.queries}
    except duckdb.Error as error:
        return {query.name: error for query in batch.queries}


def group_by_shared_files(batches: Sequence[Batch]) -> list[list[int]]:
    """Return the indices of the batches in groups: batches that share a file are in one group.

    Example:
        >>> files = [{"a": [("train", Path("a"))]}, {"b": [("train", Path("b"))]}, {"c": [("train", Path("a"))]}]
        >>> group_by_shared_files([Batch("", None, "", [], files=views) for views in files])
        [[0, 2], [1]]
    """
    groups: list[tuple[set[Path], list[int]]] = []
    for index, batch in enumerate(batches):
        paths = {path for files in batch.files.values() for _, path in files}
        indices = [index]
        separate_groups = []
        for group_paths, group_indices in groups:
            if group_paths & paths:
                paths |= group_paths
                indices += group_indices
            else:
                separate_groups.append((group_paths, group_indices))
        groups = [*separate_groups, (paths, indices)]
    return sorted(sorted(indices) for _, indices in groups)


class SharedRows(AbstractContextManager["SharedRows"]):
    """A database in memory that batches share: small files are loaded once, large files are read by each query."""

    def __init__(self, threads: int) -> None:
        settings: dict[str, Any] = {
            "temp_directory": tempfile.gettempdir(),
            "autoinstall_known_extensions": "false",
            "threads": threads,
        }
        self._database = duckdb.connect(config=settings)
        self._tables: dict[tuple[tuple[str, Path], ...], str] = {}

    @contextmanager
    def open_batch(self, batch: Batch) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open a connection with the batch's table as ``batch``, its files as views, and the tables of its set-up."""
        with closing(self._database.cursor()) as connection:
            if batch.table is not None:
                connection.register("batch", batch.table)
            for view, files in batch.files.items():
                connection.execute(f"create temp view {view} as select * from {self._source(connection, files)}")  # noqa: S608
            for statement in connection.extract_statements(batch.setup):
                connection.execute(statement, _named_values(statement, batch.parameters))
            yield connection

    def _source(self, connection: duckdb.DuckDBPyConnection, files: Sequence[tuple[str, Path]]) -> str:
        """Return the name of the table or view with the rows of some files."""
        key = tuple(files)
        if key not in self._tables:
            self._tables[key] = name = f"rows_{len(self._tables)}"
            rows = _read_parquet(connection, files)
            is_large = sum(path.stat().st_size for _, path in files) > _LARGEST_TABLE_IN_BYTES
            if is_large:
                rows.create_view(name)
            else:
                rows.create(name)
        return self._tables[key]

    def __exit__(self, *_: object) -> None:
        self._database.close()


def exceptions(connection: duckdb.DuckDBPyConnection, query: Query) -> list[Group]:
    """Return the number of rows that a query finds in each config and split, with up to five as examples.

    Raises:
        duckdb.Error: The query is wrong.
    """
    (statement,) = connection.extract_statements(query.sql)
    values = _named_values(statement, query.parameters)
    # Most queries find nothing, and planning for one row takes half as long as for a table.
    if connection.execute(statement, values).fetchone() is None:
        return []
    connection.abort()  # the query runs again, for all rows as a table
    return _group_by_config_and_split(connection.sql(statement, params=values).to_arrow_table())


def _run_query(connection: duckdb.DuckDBPyConnection, query: Query) -> list[Group] | duckdb.Error:
    try:
        return exceptions(connection, query)
    except duckdb.Error as error:
        return error


def _read_parquet(connection: duckdb.DuckDBPyConnection, files: Sequence[tuple[str, Path]]) -> duckdb.DuckDBPyRelation:
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
    """Return only the parameters that a statement names, since DuckDB refuses others."""
    values = json.loads(parameters) if statement.named_parameters else {}
    return {name: values[name] for name in statement.named_parameters}


def _group_by_config_and_split(rows: pa.Table) -> list[Group]:
    groups: dict[tuple[str | None, str | None], Group] = {}
    keys = [name for name in ("config", "split") if name in rows.column_names]
    for index, key in enumerate(rows.select(keys).to_pylist()):
        config_and_split = (key.get("config"), key.get("split"))
        group = groups.setdefault(
            config_and_split, {"config": config_and_split[0], "split": config_and_split[1], "count": 0, "examples": []}
        )
        group["count"] += 1
        if group["count"] <= _MOST_EXAMPLES:
            group["examples"] += rows.drop_columns(keys).slice(index, 1).to_pylist()
    return list(groups.values())
