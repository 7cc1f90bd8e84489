"""Short labels of models and cohorts, and rows with these labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from selfknow.report.grouping import joined
from selfknow.report.shape import Row
from selfknow.sql.connection import Connection
from selfknow.sql.queries import find_query, missing_needs
from selfknow.sql.task import TaskSql

MODEL_COLUMNS = ("model", "generator", "verifier")
"""Columns of queries that hold names of models."""


@dataclass(frozen=True)
class Labels:
    """The labels of models and cohorts in charts and headlines.

    Attributes:
        models: The short label of each model.
        cohorts: The label of each cohort, by its number.
        facts: The row of the view ``cohorts``, by the cohort's number; charts sort by its columns.
    """

    models: Mapping[str, str]
    cohorts: Mapping[int, str]
    facts: Mapping[int, Row] = field(default_factory=dict)

    def add_to(self, rows: Sequence[Row]) -> list[dict[str, Any]]:
        """Replace names of models by short labels, and add a column ``label`` with the cohort's or the model's label.

        Rows of cohorts also get the columns of the view ``cohorts`` that they lack.
        """
        return [self._labelled(row) for row in rows]

    def _labelled(self, row: Row) -> dict[str, Any]:
        models = {column: self.models.get(row[column], row[column]) for column in MODEL_COLUMNS if column in row}
        label = self.cohorts.get(row.get("cohort", 0), row.get("model_label", models.get("model")))
        return {**self.facts.get(row.get("cohort", 0), {}), **row, **models, "label": label}


def read_labels(connection: Connection) -> Labels:
    """Read the labels of a connection's models and cohorts."""
    models = connection.rows("select distinct model, model_label from models order by all")
    cohorts = connection.rows("select * from cohorts order by cohort")
    labels = {cohort["cohort"]: _cohort_label(cohort, cohorts, connection.tasks) for cohort in cohorts}
    facts = {cohort["cohort"]: cohort for cohort in cohorts}
    return Labels({row["model"]: row["model_label"] for row in models}, labels, facts)


def _cohort_label(cohort: Row, cohorts: Sequence[Row], tasks: Sequence[TaskSql]) -> str:
    """Join the model's label and the task's text columns, without columns in which all cohorts of the task agree."""
    task_cohorts = [other for other in cohorts if other["task"] == cohort["task"]]
    task = next((task for task in tasks if task.name == cohort["task"]), None)
    text_columns = [name for name in task.cohort if task.columns[name] == "varchar"] if task is not None else []
    columns = ["model_label", *text_columns]
    varying = [column for column in columns if len({other[column] for other in task_cohorts}) > 1]
    return joined(*(cohort[column] for column in varying or ["model_label"]))


def labelled_rows(connection: Connection, name: str) -> list[dict[str, Any]]:
    """Run a query and label its rows; return no rows if the runs lack data that the query needs."""
    query = find_query(name, connection.tasks)
    if next(missing_needs(connection, query), None):
        return []
    return read_labels(connection).add_to(connection.rows(query.sql))
