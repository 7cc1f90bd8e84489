"""What a dataset brings to its check: facts of its manifest, and batches of rows with the queries that judge them."""

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
    """An expectation: that a query returns no rows.

    Args:
        name: What the expectation is called in findings, once a batch.
        statement: What is expected, as a clause.
        sql: The query; its parameters are written ``$name``.
        parameters: Their values as a JSON object; those of others may be among them.
    """

    name: str
    statement: str
    sql: str
    parameters: str = "{}"


@dataclass(frozen=True)
class Batch:
    """Something to validate, and against what.

    Args:
        name: What it is called on the pages of Data Docs.
        config: The config that its findings belong to, where the queries do not say.
        suite: The name of its suite on the pages of Data Docs.
        queries: The expectations, in the order of the findings.
        files: For each view that the queries read its Parquet files, each with its split.
        table: What the queries read as ``batch``.
        setup: SQL statements that are run once, before the first query.
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
    """What is expected of a dataset.

    Args:
        schema: The columns of its Parquet files.
        statements: The expectations that its own facts belong to: the name, and in a clause what is expected.
        facts: What the manifest says of its configs, beside what it may say.
        batches: The batches over the rows of the configs that are named. Their files can be read, with the right
            columns, and their parameters are possible.
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
    """A batch over Parquet files, each query an expectation: that it returns no rows.

    Args:
        suite: The name of the suite on the pages of Data Docs.
        config: The config that the findings belong to.
        views: For each view that the queries read its files, each with its split; see ``files_of``.
        queries: The queries, named as for ``read_sql``. What is expected stands in a query's first line; the last part
            of its name is the expectation's.
        name: What the batch is called on the pages, where it is not the config.
        setup: SQL that is run before the first query, named as for ``read_sql``.
        parameters: The values of ``$name`` in the SQL, as JSON can hold them.
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
    """The Parquet files of a config that lies in a folder, each with its split."""
    return [(split, folder / file.path) for split, of_split in entry.splits.items() for file in of_split.files]


def read_sql(name: str) -> str:
    """The SQL of a file in ``validation``, such as ``self_aware/labels``."""
    return (_ROOT / f"{name}.sql").read_text("utf-8")


def statement_of(query: str) -> str:
    """What is expected, as a clause: the first line of a query's file."""
    line = read_sql(query).partition("\n")[0]
    assert line.startswith("-- "), f"{query}.sql opens with what is expected"
    return line.removeprefix("-- ")
