"""The queries that come with this package: finding one by its name, reading its head, and running it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfknow.errors import UserError, nearest
from selfknow.sql.task import TaskSql

if TYPE_CHECKING:
    import duckdb

    from selfknow.sql.connection import Connection

_FIELDS = ("Source", "Grain", "Columns", "Needs")


@dataclass(frozen=True)
class Query:
    """One SQL file with a query.

    Attributes:
        name: The file's name without ``.sql``, such as ``setup_gap``.
        task: The task whose runs it is about; null for a query about any run.
        folder: The name of the folder that it lies in.
        title: What it asks, its first line.
        source: The figure or table that it repeats, or what else it comes from.
        grain: What a row is.
        columns: What the columns are.
        needs: What must be there for an answer to mean something: ``scores``, ``corpus``, or ``portrait NAME``.
        sql: The whole file.
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
    """Return all queries by name: each task's in the tasks' order, and after them those about any run."""
    return dict(_queries(tuple(tasks)))


@cache
def _queries(tasks: tuple[TaskSql, ...]) -> dict[str, Query]:
    found: dict[str, Query] = {}
    for task in tasks:
        found |= {path.stem: _read(path, task.name) for path in _files(task.folder) if path.stem not in found}
    return found | {path.stem: _read(path, None) for path in _files(Path(__file__).parent)}


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.sql"))


def find_query(name: str, tasks: Sequence[TaskSql]) -> Query:
    """Return the query of this name, with or without the folder that it lies in: ``TASK/NAME``.

    Raises:
        UserError: There is none; the near ones are named.
    """
    known = queries(tasks)
    folder, _, short = name.rpartition("/")
    found = known.get(short)
    if found is not None and folder in ("", found.folder):
        return found
    raise UserError(
        f"there is no query {name!r}{nearest(name.replace('/', '_'), known)} (`selfknow query` lists them all)"
    )


def run_query(connection: "Connection", name: str) -> "duckdb.DuckDBPyRelation":
    """Run a query over a connection's runs.

    Raises:
        UserError: There is no such query, something that it needs is not there, or it finds nothing in runs of other
            tasks.
    """
    query = _answerable(connection, name)
    relation = connection.sql(query.sql)
    if (reason := _of_another_task(connection, query)) and not relation.limit(1).fetchall():
        raise UserError(reason)
    return relation


def query_rows(connection: "Connection", name: str) -> list[dict[str, Any]]:
    """All rows of a query over a connection's runs (see :func:`run_query`).

    Example:
        >>> query_rows(connection, "accuracy_by_size")[0]["accuracy"]  # doctest: +SKIP
        0.5
    """
    return connection.rows(_answerable(connection, name).sql)


def _answerable(connection: "Connection", name: str) -> Query:
    query = find_query(name, connection.tasks)
    if lacking := list(what_is_lacking(connection, query)):
        raise UserError(f"{name} cannot be answered: {lacking[0]}")
    return query


def _of_another_task(connection: "Connection", query: Query) -> str | None:
    """Return that none of the runs is of the query's task; null where one is."""
    tasks = sorted({str(run.description.get("task")) for run in connection.runs})
    if query.task is None or query.task in tasks:
        return None
    return f"{query.name} is about runs of {query.task}, and these are runs of {', '.join(tasks)}"


def what_is_lacking(connection: "Connection", query: Query) -> Iterator[str]:
    """What a query needs and a connection has not, each with how to mend it; runs of other tasks need nothing."""
    runs = [run for run in connection.runs if query.task in (None, run.description.get("task"))]
    for need in query.needs:
        if need == "scores":
            for run in runs:
                if not run.files["scores"]:
                    yield f"{run.location} has no scores: run `selfknow score {run.location}` first"
        elif need == "corpus":
            yield from _missing_documents(connection, query)
        elif (portrait := need.removeprefix("portrait ")) not in connection.portraits:
            yield f"name the portrait of what the models were trained on: --portrait {portrait}=FOLDER"


def _missing_documents(connection: "Connection", query: Query) -> Iterator[str]:
    for task in connection.tasks:
        if task.name == query.task and task.corpus is not None:
            for run in connection.runs:
                missing = task.corpus.missing(run, connection.corpora.get(task.name, {}))
                if run.description.get("task") == task.name and missing:
                    yield missing


def _read(path: Path, task: str | None) -> Query:
    sql = path.read_text(encoding="utf-8")
    lines = [line.removeprefix("--").strip() for line in _head(sql.splitlines())]
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


def _head(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if not line.startswith("--"):
            return
        yield line
