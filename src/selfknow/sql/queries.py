"""The queries of this package, one SQL file each, and functions that find, check and run them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfknow.errors import UserError, argument, nearest
from selfknow.sql.task import TaskSql

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from selfknow.sql.connection import Connection

_FIELDS = ("Source", "Grain", "Columns", "Needs")


@dataclass(frozen=True)
class Query:
    """One SQL file with a query.

    Attributes:
        name: The file's name without ``.sql``, such as ``setup_gap``.
        task: The task of its runs; null for a query over any run.
        folder: The name of its folder.
        title: The question that it answers, from the first line.
        source: The figure or table that it reproduces, or another source.
        grain: The meaning of a row.
        columns: The meaning of the columns.
        needs: The data that it needs: ``scores``, ``corpus`` or ``portrait NAME``.
        sql: The text of the whole file.
    """

    name: str
    task: str | None
    folder: str
    title: str
    source: str
    grain: str
    columns: str
    needs: tuple[str, ...]
    sql: str


def queries(tasks: Sequence[TaskSql]) -> dict[str, Query]:
    """Return all queries by name: those of each task, in the tasks' order, then those over any run."""
    return dict(_queries(tuple(tasks)))


@cache
def _queries(tasks: tuple[TaskSql, ...]) -> dict[str, Query]:
    known: dict[str, Query] = {}
    for task in tasks:
        known |= {path.stem: _read(path, task.name) for path in _files(task.folder) if path.stem not in known}
    return known | {path.stem: _read(path, None) for path in _files(Path(__file__).parent)}


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.sql"))


def find_query(name: str, tasks: Sequence[TaskSql]) -> Query:
    """Return the query of this name, with or without its folder: ``TASK/NAME``.

    Raises:
        UserError: There is no such query; the message names similar ones.
    """
    known = queries(tasks)
    folder, _, short = name.rpartition("/")
    query = known.get(short)
    if query is not None and folder in ("", query.folder):
        return query
    raise UserError(
        f"there is no query {name!r}{nearest(name.replace('/', '_'), known)} (`selfknow query` lists them all)"
    )


def run_query(connection: "Connection", name: str) -> "duckdb.DuckDBPyRelation":
    """Run a query over a connection's runs.

    Raises:
        UserError: There is no such query, data that it needs is missing, or it has no rows and all runs are of other
            tasks.
    """
    query = _find_checked_query(connection, name)
    relation = connection.sql(query.sql)
    if (reason := _task_mismatch(connection, query)) and not relation.limit(1).fetchall():
        raise UserError(reason)
    return relation


def choose_rows(
    connection: "Connection",
    relation: "duckdb.DuckDBPyRelation",
    columns: Sequence[str] | None = None,
    where: str | None = None,
) -> "duckdb.DuckDBPyRelation":
    """Select rows and columns of a query's result.

    Args:
        connection: The connection of the query.
        relation: The query's rows.
        columns: The columns to keep, in this order; null: all.
        where: A condition on the columns, in SQL; null: all rows.

    Raises:
        UserError: A column is unknown, or the condition is not valid SQL, or it could change something.
    """
    import duckdb

    if where:
        try:
            connection.check(f"select {where}")
            relation = relation.filter(where)
        except (duckdb.Error, UserError) as error:
            raise UserError(f"{argument('where', where)}: {without_statement(error)}") from error
    names = relation.columns if columns is None else columns
    for name in names:
        if name not in relation.columns:
            raise UserError(f"there is no column {name!r}{nearest(name, relation.columns)}")
    return relation.project(", ".join(f'"{name}"' for name in names))


def without_statement(error: Exception) -> str:
    """Return DuckDB's message without the statement, which the user of `--where` did not write."""
    return re.split(r"\s+LINE \d+:", str(error), maxsplit=1)[0].strip()


def fetch(relation: "duckdb.DuckDBPyRelation") -> "pa.Table":
    """Return all rows of a query.

    Raises:
        UserError: DuckDB cannot answer it, with DuckDB's own message.
    """
    import duckdb

    from selfknow.sql.connection import query_error

    try:
        return relation.to_arrow_table()
    except duckdb.Error as error:
        raise query_error(error) from error


def query_rows(connection: "Connection", name: str) -> list[dict[str, Any]]:
    """Return all rows of a query over a connection's runs (see :func:`run_query`).

    Example:
        >>> query_rows(connection, "accuracy_by_size")[0]["accuracy"]  # doctest: +SKIP
        0.5
    """
    return connection.rows(_find_checked_query(connection, name).sql)


def _find_checked_query(connection: "Connection", name: str) -> Query:
    query = find_query(name, connection.tasks)
    if missing := list(missing_needs(connection, query)):
        raise UserError(f"{name} cannot be answered: {missing[0]}")
    return query


def _task_mismatch(connection: "Connection", query: Query) -> str | None:
    """Return a message if no run is of the query's task, else null."""
    tasks = sorted({str(run.description.get("task")) for run in connection.runs})
    if query.task is None or query.task in tasks:
        return None
    return f"{query.name} is about runs of {query.task}, and these are runs of {', '.join(tasks)}"


def missing_needs(connection: "Connection", query: Query) -> Iterator[str]:
    """Yield a message for each need of a query that the runs of its task do not meet; it says what to do."""
    runs = [run for run in connection.runs if query.task in (None, run.description.get("task"))]
    for need in query.needs:
        if need == "scores":
            for run in runs:
                if not run.files["scores"]:
                    yield f"{run.location} has no scores: run `selfknow score {run.location}` first"
        elif need == "corpus":
            yield from _missing_documents(connection, query)
        elif (portrait := need.removeprefix("portrait ")) not in connection.portraits:
            option = argument("portraits", {portrait: "FOLDER"}, flag=f"portrait {portrait}=FOLDER")
            yield f"name the portrait of the models' training corpus: {option}"


def _missing_documents(connection: "Connection", query: Query) -> Iterator[str]:
    for task in connection.tasks:
        if task.name == query.task and task.corpus is not None:
            for run in connection.runs:
                missing = task.corpus.missing(run, connection.corpora.get(task.name, {}))
                if run.description.get("task") == task.name and missing:
                    yield missing


def _read(path: Path, task: str | None) -> Query:
    sql = path.read_text(encoding="utf-8")
    lines = [line.removeprefix("--").strip() for line in _leading_comment(sql.splitlines())]
    fields: dict[str, str] = {}
    current = ""
    for line in lines[1:]:
        match = re.match(rf"({'|'.join(_FIELDS)}): ", line)
        if match:
            current = match[1]
            fields[current] = line[match.end() :]
        elif not line:
            current = ""
        elif current:
            fields[current] += f" {line}"
    needs = tuple(need.strip() for need in fields.get("Needs", "").split(",") if need.strip())
    return Query(
        path.stem,
        task,
        path.parent.name,
        lines[0],
        fields.get("Source", ""),
        fields.get("Grain", ""),
        fields.get("Columns", ""),
        needs,
        sql,
    )


def _leading_comment(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if not line.startswith("--"):
            return
        yield line
