"""The content of a report, which the page and Markdown share: the rows of every query over a connection's runs."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from selfknow.errors import UserError
from selfknow.report.calls import calls
from selfknow.report.labels import MODEL_COLUMNS, Labels, read_labels
from selfknow.report.paths import without_folders
from selfknow.report.shape import Draw, Exhibit, Figure, Panel, Row
from selfknow.report.task import TaskReport
from selfknow.runs.failures import explain_no_replies
from selfknow.sql.connection import Connection
from selfknow.sql.queries import Query, find_query, missing_needs, queries

Reports = Mapping[str, Callable[[], TaskReport]]
"""Functions that load the reports of tasks, by task; only tasks with a run are loaded."""

_ANY_TASK: Mapping[str, Figure] = {"metrics": Figure("Every metric of the scores.", title="Every metric")}


@dataclass(frozen=True)
class Section:
    """A query of a report, with its rows and charts.

    Attributes:
        query: The query.
        figure: The figure of its rows.
        rows: Its rows.
        missing: The reason if it has no rows; else null.
        drawn: Its charts, by their names in a paper (see :class:`selfknow.report.shape.Figure`); all others are under
            the empty name.
    """

    query: Query
    figure: Figure
    rows: Sequence[Row]
    missing: str | None = None
    drawn: Mapping[str, Sequence[Panel]] = field(default_factory=dict)

    @property
    def panels(self) -> list[Panel]:
        """All charts of the section."""
        return [panel for panels in self.drawn.values() for panel in panels]


@dataclass(frozen=True)
class Report:
    """The content of a report.

    Attributes:
        runs: The rows of the view ``runs``.
        overview: The rows of the query ``overview``, which counts calls and replies.
        labels: The labels of models and cohorts.
        sections: The sections of the page, one per query.
        exhibits: Marked replies, by the name of their task.
        tasks: The tasks of the runs, in the order of the task reports.
        queries: All queries of the connection, by name.
        missing: Sentences about replies that could not be graded because data was missing.
    """

    runs: Sequence[Row]
    overview: Sequence[Row]
    labels: Labels
    sections: Sequence[Section]
    exhibits: Mapping[str, Sequence[Exhibit]]
    tasks: Sequence[TaskReport]
    queries: Mapping[str, Query]
    missing: Sequence[str] = ()

    @property
    def answered(self) -> list[Section]:
        """The sections with rows."""
        return [section for section in self.sections if section.rows]

    def rows_of(self, name: str) -> list[dict[str, Any]]:
        """Return the rows of a query with short labels; empty if the report lacks the query."""
        rows = next((section.rows for section in self.sections if section.query.name == name), ())
        return self.labels.add_to(rows)

    @property
    def calls(self) -> list[Row]:
        """The overview in fewer columns, with the settings in which the runs of a task differ."""
        return calls(self.runs, self.overview, self.labels)

    @property
    def incomplete(self) -> list[str]:
        """Sentences about models that were not asked about all examples of their run."""
        return [
            f"{self.labels.models.get(row['model'], row['model'])} answered {row['n']:,} of {row['num_examples']:,} "
            f"examples of run {row['run_id']}: shares are over these examples."
            for row in self.overview
            if row["stage"] == "answer" and row["num_examples"] and row["n"] < row["num_examples"]
        ]


def gather(connection: Connection, reports: Reports, *, progress: bool = False) -> Report:
    """Run the queries in the reports of the runs' tasks, and the queries that apply to every task.

    Args:
        connection: The runs.
        reports: The task reports.
        progress: Show a progress bar on stderr.

    Raises:
        UserError: The runs hold no reply.
    """
    from selfknow.bars import Bar

    check_replies(connection)
    runs = read_runs(connection)
    tasks, labels = load_task_reports(runs, reports), read_labels(connection)
    figures = {name: figure for task in tasks for name, figure in task.figures.items()} | dict(_ANY_TASK)
    known = queries(connection.tasks)
    bar = Bar(figures.items(), disable=not progress, unit="query", desc="report")
    with connection.as_tables(_views_read_repeatedly([known[name] for name in figures], connection)):
        return Report(
            runs=runs,
            overview=read_overview(connection),
            labels=labels,
            sections=[read_section(connection, known[name], figure, labels) for name, figure in bar],
            exhibits={task.name: task.exhibits(connection) for task in tasks},
            tasks=tasks,
            queries=known,
            missing=[without_folders(sentence) for task in tasks if (sentence := task.missing(connection))],
        )


def read_runs(connection: Connection) -> list[Row]:
    """Read the view ``runs``, with paths shortened to their last part."""
    return [without_folders(row) for row in connection.rows("select * from runs order by created_at, run_id")]


def read_overview(connection: Connection) -> list[Row]:
    """Run the query ``overview``."""
    return list(connection.rows(find_query("overview", connection.tasks).sql))


def check_replies(connection: Connection) -> None:
    """Check that the runs hold a reply.

    Raises:
        UserError: They hold no reply; the message gives the most common reason.
    """
    if connection.rows("select 1 from calls where error is null limit 1"):
        return
    errors = [row["error"] for row in connection.rows("select error from calls")]
    if reason := explain_no_replies(", ".join(run.location for run in connection.runs), errors):
        raise UserError(reason)


def _views_read_repeatedly(queries: Iterable[Query], connection: Connection) -> list[str]:
    """Return the tasks' views that more than one of the queries reads."""
    readers = Counter(view for query in queries for view in set(re.findall(r"\b(?:from|join)\s+(\w+)", query.sql)))
    return [view for task in connection.tasks for view in task.views if readers[view] > 1]


def load_task_reports(runs: Sequence[Row], reports: Reports) -> list[TaskReport]:
    """Load the reports of the runs' tasks, in the order of ``reports``."""
    tasks = {row["task"] for row in runs}
    return [load() for task, load in reports.items() if task in tasks]


def read_section(
    connection: Connection, query: Query, figure: Figure, labels: Labels, *, only: str | None = None
) -> Section:
    """Run a query and draw its rows.

    Args:
        connection: The runs.
        query: The query.
        figure: The figure of its rows.
        labels: The labels of models and cohorts.
        only: The name of the charts to draw; null draws all.
    """
    if missing := next(missing_needs(connection, query), None):
        return Section(query, figure, [], without_folders(missing))
    rows = connection.rows(query.sql)
    if not rows:
        replies = f"replies of {query.task}" if query.task else "replies"
        return Section(query, figure, [], figure.nothing or f"no run holds scored {replies}")
    if figure.compares and len({row[figure.compares] for row in rows}) == 1:
        return Section(query, figure, [], f"there is nothing to compare: {figure.compares} is the same in all rows")
    draws: dict[str, Draw] = dict(figure.named)
    if figure.draw:
        draws[""] = figure.draw
    if only is not None:
        draws = {only: draws[only]}
    labelled = labels.add_to(rows)
    table_rows = [without_folders({**row, **_short_names(row, labels)}) for row in rows]
    return Section(query, figure, table_rows, None, {name: draw(labelled) for name, draw in draws.items()})


def _short_names(row: Row, labels: Labels) -> dict[str, str]:
    """Return the labels of a row's models, for the columns that hold models."""
    return {name: labels.models[row[name]] for name in MODEL_COLUMNS if row.get(name) in labels.models}
