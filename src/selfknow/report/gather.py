"""What a report says: the rows of every query over a connection's runs, before they have any form."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from selfknow.errors import UserError
from selfknow.report.labels import Labels, read_labels
from selfknow.report.shape import Draw, Exhibit, Figure, Panel, Row
from selfknow.report.task import TaskReport
from selfknow.runs.failures import explain_no_replies
from selfknow.sql.connection import Connection
from selfknow.sql.queries import Query, missing_needs, queries

Reports = Mapping[str, Callable[[], TaskReport]]
"""What tasks show, by the name of the task, each loaded if there is a run of it."""

_ANY_TASK: Mapping[str, Figure] = {"metrics": Figure("Every metric that scoring wrote, as it is.")}


@dataclass(frozen=True)
class Section:
    """One query of a report.

    Attributes:
        query: The query.
        figure: How its rows are shown.
        rows: Its rows, as they are.
        missing: Why it has none, if it has none.
        drawn: Its charts by their name (see :class:`selfknow.report.shape.Figure`), those without one under
            an empty one.
    """

    query: Query
    figure: Figure
    rows: Sequence[Row]
    missing: str | None = None
    drawn: Mapping[str, Sequence[Panel]] = field(default_factory=dict)

    @property
    def panels(self) -> list[Panel]:
        """All of its charts."""
        return [panel for panels in self.drawn.values() for panel in panels]


@dataclass(frozen=True)
class Report:
    """All that a report says.

    Attributes:
        runs: The view `runs`.
        overview: What was asked of whom and what came back.
        labels: What models and cohorts are called.
        sections: The queries.
        exhibits: Marked replies, by the name of their task.
        tasks: The tasks of the runs, in the order in which they were handed over.
        queries: All queries of the connection, by name.
        missing: What could not be graded because scoring could not get what it needs, in sentences.
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
        """The sections with something to show."""
        return [section for section in self.sections if section.rows]

    def rows_of(self, name: str) -> list[dict[str, Any]]:
        """The rows of a query with short labels, by its name; none where it was not asked."""
        return self.labels.of(next((section.rows for section in self.sections if section.query.name == name), ()))

    @property
    def calls(self) -> list[Row]:
        """What was asked of whom and what came back, the most wanted columns first."""
        columns = ("model", "stage", "n", "n_graded", "n_failed", "n_cut_off", "n_empty", "mean_tokens", "revision")
        return [
            {
                "asked": f"{row['task']}{':' + row['config'] if row['config'] else ''} {row['split'] or ''}".rstrip(),
                **{column: row[column] for column in columns},
                "model": self.labels.models.get(row["model"], row["model"]),
                "run_id": row["run_id"],
            }
            for row in self.overview
        ]

    @property
    def incomplete(self) -> list[str]:
        """The runs that did not ask all of their examples."""
        return [
            f"{row['model']} answered {row['n']:,} of {row['num_examples']:,} examples of run {row['run_id']}: "
            "shares are over what it was asked."
            for row in self.overview
            if row["stage"] == "answer" and row["num_examples"] and row["n"] < row["num_examples"]
        ]


def gather(connection: Connection, reports: Reports, *, progress: bool = False) -> Report:
    """Run every query that the tasks of the runs report, and those about any task.

    Args:
        connection: The runs.
        reports: What tasks show.
        progress: Show a progress bar on stderr.

    Raises:
        UserError: The runs hold no reply.
    """
    from selfknow.bars import Bar

    check_replies(connection)
    runs = connection.rows("select * from runs order by created_at, run_id")
    tasks, labels = tasks_of(runs, reports), read_labels(connection)
    figures = {name: figure for task in tasks for name, figure in task.figures.items()} | dict(_ANY_TASK)
    known = queries(connection.tasks)
    bar = Bar(figures.items(), disable=not progress, unit="query", desc="report")
    with connection.as_tables(_views_of_several([known[name] for name in figures], connection)):
        return Report(
            runs=runs,
            overview=connection.rows(known["overview"].sql),
            labels=labels,
            sections=[read_section(connection, known[name], figure, labels) for name, figure in bar],
            exhibits={task.name: task.exhibits(connection) for task in tasks},
            tasks=tasks,
            queries=known,
            missing=[sentence for task in tasks if (sentence := task.missing(connection))],
        )


def check_replies(connection: Connection) -> None:
    """Refuse runs without a single reply: there is nothing to report.

    Raises:
        UserError: That is so; the message says why most calls failed.
    """
    if connection.rows("select 1 from calls where error is null limit 1"):
        return
    errors = [row["error"] for row in connection.rows("select error from calls")]
    if reason := explain_no_replies(", ".join(run.location for run in connection.runs), errors):
        raise UserError(reason)


def _views_of_several(queries: Iterable[Query], connection: Connection) -> list[str]:
    """The tasks' views that more than one of the queries reads."""
    readers = Counter(view for query in queries for view in set(re.findall(r"\b(?:from|join)\s+(\w+)", query.sql)))
    return [view for task in connection.tasks for view in task.views if readers[view] > 1]


def tasks_of(runs: Sequence[Row], reports: Reports) -> list[TaskReport]:
    """Load what the tasks of the runs show, in the order in which they were handed over."""
    tasks = {row["task"] for row in runs}
    return [load() for task, load in reports.items() if task in tasks]


def read_section(
    connection: Connection, query: Query, figure: Figure, labels: Labels, *, only: str | None = None
) -> Section:
    """Run a query and draw its rows.

    Args:
        connection: The runs.
        query: The query.
        figure: How its rows are shown.
        labels: What models and cohorts are called.
        only: Draw the charts of this name alone; null: all.
    """
    if lacking := next(missing_needs(connection, query), None):
        return Section(query, figure, [], lacking)
    rows = connection.rows(query.sql)
    if not rows:
        replies = f"replies of {query.task}" if query.task else "replies"
        return Section(query, figure, [], figure.nothing or f"no run holds scored {replies}")
    draws: dict[str, Draw] = {**figure.named, **({"": figure.draw} if figure.draw else {})}
    wanted = draws if only is None else {only: draws[only]}
    labelled = labels.of(rows)
    return Section(query, figure, rows, None, {name: draw(labelled) for name, draw in wanted.items()})
