"""The views of a connection as SQL text. They read the runs' Parquet files in place, so that nothing is copied."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa

from selfknow.runs.parsed import ParsedFiles
from selfknow.runs.reader import SCHEMAS, RunFolder
from selfknow.runs.schema import CALL_COLUMNS, KEPT_REPLIES, KEPT_REPLIES_FILE
from selfknow.sql.known_errors import known_errors
from selfknow.sql.literals import empty_query, file_list, literal, rows_as_query
from selfknow.sql.models_table import model_columns, model_rows, seed_cohorts, task_facts
from selfknow.sql.published import published
from selfknow.sql.task import TaskSql

Corpora = Mapping[str, Mapping[str, Sequence[str]]]
"""The Parquet files of documents outside the run folders, by task and by a key that the task chooses."""

SQL = Path(__file__).parent
_READER_ERROR_COLUMNS = {
    "metric": "varchar",
    "truth": "varchar",
    "questions": "varchar",
    "n": "bigint",
    "wrong": "bigint",
    "unreadable": "bigint",
}
_NO_EXAMPLES = "select null::varchar as run_id, null::varchar as id where false"
_FUNCTIONS = ("wilson", "share", "bootstrap", "poisson", "student", "crossed", "normal", "paired", "tuning")
_METRIC_COLUMNS = {"cohort": "bigint", "stage": "varchar", "variant": "varchar", "metric": "varchar"}
_SEED_VIEW_COLUMNS = {
    "seed_scores": {
        **_METRIC_COLUMNS,
        "example_id": "varchar",
        "training_seed": "bigint",
        "n": "bigint",
        "n_graded": "bigint",
        "value": "double",
    },
    "seed_intervals": {
        **_METRIC_COLUMNS,
        "n_seeds": "bigint",
        "n_questions": "bigint",
        "mean": "double",
        "low": "double",
        "high": "double",
    },
}
_SEED_COHORT_COLUMNS = {"cohort": "bigint", "n_seeds": "bigint"}
_RUN_COLUMNS = {
    "run_id": "varchar",
    "folder": "varchar",
    "task": "varchar",
    "dataset": "varchar",
    "config": "varchar",
    "split": "varchar",
    "dataset_revision": "varchar",
    "content_hash": "varchar",
    "num_examples": "bigint",
    "temperature": "double",
    "max_new_tokens": "integer",
    "seed": "bigint",
    "decoding": "varchar",
    "settings": "varchar",
    "versions": "varchar",
    "created_at": "timestamp",
}


def parsed_files(tasks: Sequence[TaskSql]) -> dict[str, ParsedFiles]:
    """Return the files that scoring may have written into ``parsed/``, for all tasks, by the name of their view."""
    files_of_tasks = {view: files for task in tasks for view, files in task.parsed.items()}
    return {"kept_replies": ParsedFiles(KEPT_REPLIES_FILE, lambda: KEPT_REPLIES), **files_of_tasks}


def statements(
    runs: Sequence[RunFolder], corpora: Corpora, tasks: Sequence[TaskSql], *, small_view_kind: str = "view"
) -> Iterator[str]:
    """Yield the statements that create the functions and views of a connection.

    Args:
        runs: The run folders; without any, the views have the same columns and no rows.
        corpora: The documents outside the run folders.
        tasks: The tasks, with their own views.
        small_view_kind: ``view``, or ``table`` to store the views with few rows, such as ``runs`` and ``models``, as
            tables. A query over tables is planned in a tenth of the time.
    """
    models = model_rows(runs, tasks)
    yield "set timezone = 'UTC'"
    for name in _FUNCTIONS:
        yield read_statement(SQL / "functions" / f"{name}.sql")
    yield from _run_views(runs, models, tasks, small_view_kind)
    yield _view("reader_errors", _select_reader_errors(), small_view_kind)
    yield _view("published", published(), small_view_kind)
    yield _read_view("bootstrap_draws", small_view_kind)
    yield read_statement(SQL / "functions" / "clustered.sql")
    yield _read_view("calls")
    yield _read_view("replies")
    yield from _seed_views(models)
    for task in tasks:
        for name in task.views:
            yield read_statement(task.folder / "views" / f"{name}.sql")
    yield from _corpus_views(corpora, tasks)


def portable_functions() -> str:
    """Return statements that create macros in place of the functions of :mod:`selfknow.sql.list_functions`."""
    return read_statement(SQL / "functions" / "lists.sql")


def run_statements(runs: Sequence[RunFolder], corpora: Corpora, tasks: Sequence[TaskSql]) -> Iterator[str]:
    """Yield only the statements that depend on the runs; views with few rows become tables."""
    models = model_rows(runs, tasks)
    yield from _run_views(runs, models, tasks, "table")
    yield from _seed_views(models)
    yield from _corpus_views(corpora, tasks)


def _run_views(
    runs: Sequence[RunFolder], models: Sequence[Mapping[str, Any]], tasks: Sequence[TaskSql], small_view_kind: str
) -> Iterator[str]:
    yield _view("runs", rows_as_query(_run_columns(tasks), [_run_row(run, tasks) for run in runs]), small_view_kind)
    yield _view("asked_models", rows_as_query(model_columns(tasks), models), small_view_kind)
    yield _view("seed_cohorts", rows_as_query(_SEED_COHORT_COLUMNS, seed_cohorts(models)), small_view_kind)
    for name in ("models", "cohorts"):
        yield _read_view(name, small_view_kind)
    yield _view("examples", " union all by name ".join(map(_select_examples, runs)) or _NO_EXAMPLES)
    yield _view("retried_calls", _select_retried_calls(runs))
    schemas = SCHEMAS | {view: files.schema() for view, files in parsed_files(tasks).items()}
    for kind, schema in schemas.items():
        yield _view(kind, _select_rows(kind, schema, runs))
    for task in tasks:
        for name, columns in task.example_views.items():
            yield _view(name, _select_typed_examples([run for run in runs if _has_task(task, run)], columns))


def _seed_views(models: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the views of trainings that differ only in their seed; without such trainings the views read no file."""
    has_several_seeds = bool(seed_cohorts(models))
    for name, columns in _SEED_VIEW_COLUMNS.items():
        yield _read_view(name) if has_several_seeds else _view(name, empty_query(columns))


def _corpus_views(corpora: Corpora, tasks: Sequence[TaskSql]) -> Iterator[str]:
    for task in tasks:
        if task.corpus is not None:
            yield _view(task.corpus.name, task.corpus.sql(corpora.get(task.name, {})))


def _has_task(task: TaskSql, run: RunFolder) -> bool:
    return run.description.get("task") == task.name


def read_statement(path: Path) -> str:
    """Read a statement from its file."""
    return path.read_text(encoding="utf-8").strip().rstrip(";")


def _read_view(name: str, kind: str = "view") -> str:
    """Read a view's statement from its file; ``kind`` may turn the view into a table."""
    return read_statement(SQL / "views" / f"{name}.sql").replace("create or replace view", f"create or replace {kind}")


def _view(name: str, query: str, kind: str = "view") -> str:
    return f"create or replace {kind} {name} as\n{query}"


def _run_columns(tasks: Sequence[TaskSql]) -> dict[str, str]:
    """Return the columns of the view ``runs``, including the columns of all tasks, with their SQL types."""
    return {**_RUN_COLUMNS, **{name: type_ for task in tasks for name, type_ in task.columns.items()}}


def _run_row(run: RunFolder, tasks: Sequence[TaskSql]) -> Mapping[str, object]:
    """Return a run's row of the view ``runs``, with the columns of its task."""
    description, dataset = run.description, run.dataset
    decoding = description["decoding"] if isinstance(description.get("decoding"), dict) else {}
    return {
        "run_id": run.run_id,
        "folder": run.location,
        "task": description.get("task"),
        "dataset": dataset.get("name"),
        "config": dataset.get("config"),
        "split": dataset.get("split"),
        "dataset_revision": dataset.get("revision"),
        "content_hash": dataset.get("content_hash"),
        "num_examples": description.get("examples"),
        "temperature": decoding.get("temperature"),
        "max_new_tokens": decoding.get("max_new_tokens"),
        "seed": description.get("seed"),
        "decoding": decoding,
        "settings": description["settings"] if isinstance(description.get("settings"), dict) else {},
        "versions": description.get("versions") or [],
        "created_at": description.get("created_at"),
        **task_facts(run, tasks).columns,
    }


def _select_reader_errors() -> str:
    """Return a query of the known error rates (:mod:`selfknow.sql.known_errors`)."""
    return rows_as_query(_READER_ERROR_COLUMNS, [asdict(errors) for errors in known_errors()])


def _select_examples(run: RunFolder) -> str:
    path = file_list(run.files["examples"])
    columns = "* replace (id::varchar as id)"  # other programs may write ids as numbers
    return f"select {literal(run.run_id)} as run_id, {columns} from read_parquet({path}, hive_partitioning = false)"  # noqa: S608


def _select_typed_examples(runs: Sequence[RunFolder], columns: Mapping[str, str]) -> str:
    """Return a query of these columns, with their types, over the examples of the runs that have all of them."""
    matches = [run for run in runs if columns.keys() <= run.columns["examples"].keys()]
    typed = ", ".join(f"{name}::{type_} as {name}" for name, type_ in columns.items())
    if not matches:
        return empty_query({"run_id": "varchar", **columns})
    parts = (f"select run_id, {typed} from ({_select_examples(run)})" for run in matches)  # noqa: S608
    return " union all\n".join(parts)


_TYPES = {pa.string(): "varchar", pa.int32(): "integer", pa.int64(): "bigint", pa.float64(): "double"}


def _select_rows(kind: str, schema: pa.Schema, runs: Sequence[RunFolder]) -> str:
    """Return a query of all rows of one kind of file, with the schema's columns and types; missing columns are null."""
    paths = [path for run in runs for path in run.files[kind]]
    present = {name for run in runs for name in run.columns[kind]}
    columns = []
    for column in schema:
        type_ = _TYPES.get(column.type)
        if pa.types.is_timestamp(column.type):
            type_ = "timestamp"
        elif pa.types.is_list(column.type):
            type_ = "struct(role varchar, content varchar)[]"
        source = f'"{column.name}"' if column.name in present else "null"
        columns.append(f"{source}::{type_} as {column.name}")
    selected = "select " + ", ".join(columns)
    if not paths:
        return re.sub(r'"\w+"', "null", selected) + " where false"
    # Only if schemas differ: union_by_name opens every file whenever a query is planned.
    layouts = {layout for run in runs for layout in run.layouts[kind]}
    union = ", union_by_name = true" if len(layouts) > 1 else ""
    return f"{selected}\nfrom read_parquet({file_list(paths)}{union}, hive_partitioning = false)"


def _select_retried_calls(runs: Sequence[RunFolder]) -> str:
    """Return a query of the calls with several attempts and the number of their last one.

    Most runs have no such call; the query then reads no file.
    """
    columns = {name: "integer" if name == "sample" else "varchar" for name in ("run_id", *CALL_COLUMNS)}
    retried = [path for run in runs for path in run.retried]
    if not retried:
        return empty_query({**columns, "last_attempt": "integer"})
    names = ", ".join(f"{name}::{type_} as {name}" for name, type_ in columns.items())
    source = f"read_parquet({file_list(retried)}, union_by_name = true, hive_partitioning = false)"
    return f"select {names}, max(attempt)::integer as last_attempt from {source} where attempt > 0 group by all"  # noqa: S608
