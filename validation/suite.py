"""The suite of a dataset: facts of its manifest, and batches of rows with the queries that judge them."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

import pyarrow as pa

from selfknow.builders.folder.manifest import ConfigEntry, Manifest
from selfknow.validation.folder.fact import Fact

_ROOT = files("selfknow.validation")


@dataclass(frozen=True)
class Query:
    """A query that is expected to return no rows.

    Args:
        name: The name of the expectation in findings, unique in a batch.
        statement: The expectation in words, as a clause.
        sql: The query; its parameters are written ``$name``.
        parameters: The parameters' values as a JSON object, which may also hold values of other queries.
    """

    name: str
    statement: str
    sql: str
    parameters: str = "{}"


@dataclass(frozen=True)
class Batch:
    """Data to validate, and the queries that judge it.

    Args:
        name: The batch's name on the pages of Data Docs.
        config: The config of its findings, if the queries have no column ``config``.
        suite: The name of its suite on the pages of Data Docs.
        queries: The expectations, in the order of the findings.
        files: The Parquet files of each view that the queries read, each with its split.
        table: The table that the queries read as ``batch``.
        setup: SQL statements that run once, before the first query.
        parameters: The values of ``$name`` in the set-up, as a JSON object.
    """

    name: str
    config: str | None
    suite: str
    queries: Sequence[Query]
    files: Mapping[str, Sequence[tuple[str, Path]]] = field(default_factory=dict)
    table: pa.Table | None = None
    setup: str = ""
    parameters: str = "{}"


@dataclass(frozen=True)
class DatasetSuite:
    """The expectations of a dataset.

    Args:
        schema: The columns of its Parquet files.
        statements: The expectations of its facts: each name, and the expectation as a clause.
        facts: A function that compares the manifest's entries with the expected ones.
        batches: A function that makes the batches over the rows of the named configs; their files must be readable, and
            their columns and parameters valid.
    """

    schema: pa.Schema
    statements: Mapping[str, str]
    facts: Callable[[Manifest], list[Fact]]
    batches: Callable[[Path, Manifest, list[str]], list[Batch]]


def batch_of_rows(
    suite: str,
    config: str,
    views: Mapping[str, list[tuple[str, Path]]],
    queries: Sequence[str],
    *,
    name: str | None = None,
    setup: Sequence[str] = (),
    parameters: Mapping[str, object] | None = None,
) -> Batch:
    """Return a batch over Parquet files; each query is expected to return no rows.

    Args:
        suite: The name of the suite on the pages of Data Docs.
        config: The config that the findings belong to.
        views: The files of each view that the queries read, each with its split; see ``files_of``.
        queries: The queries, named as for ``read_sql``. A query's first line is the expectation in words; the last part
            of its name is the name of the expectation.
        name: The batch's name on the pages; by default, the config's name.
        setup: SQL that runs before the first query, named as for ``read_sql``.
        parameters: The values of ``$name`` in the SQL: values that JSON can hold.
    """
    values = json.dumps(parameters or {})
    return Batch(
        name or config,
        config,
        suite,
        [Query(query.rpartition("/")[2], statement_of(query), read_sql(query), values) for query in queries],
        files=views,
        setup=";\n".join(map(read_sql, setup)),
        parameters=values,
    )


def files_of(folder: Path, entry: ConfigEntry) -> list[tuple[str, Path]]:
    """Return the Parquet files of a config in a folder, each with its split."""
    return [(split, folder / file.path) for split, split_entry in entry.splits.items() for file in split_entry.files]


def read_sql(name: str) -> str:
    """Read the SQL of a file in ``validation``, such as ``self_aware/labels``."""
    return (_ROOT / f"{name}.sql").read_text("utf-8")


def statement_of(query: str) -> str:
    """Return the expectation of a query as a clause, from the first line of its file."""
    line = read_sql(query).partition("\n")[0]
    assert line.startswith("-- "), f"{query}.sql opens with the expectation"
    return line.removeprefix("-- ")
