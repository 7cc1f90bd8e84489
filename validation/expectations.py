"""The one kind of Great Expectations expectation that the suites are made of: a query that returns no rows.

A batch is no frame of rows but a small frame of *files*. A metric opens DuckDB views on their Parquet, so a corpus is
read where it lies, a column at a time, and never becomes a pandas frame.
"""

import glob
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from enum import Enum
from typing import Any, ClassVar

import duckdb
import pandas as pd
import pyarrow as pa
from great_expectations.core import ExpectationValidationResult
from great_expectations.execution_engine import ExecutionEngine, PandasExecutionEngine
from great_expectations.expectations.expectation import BatchExpectation
from great_expectations.expectations.metrics.metric_provider import MetricProvider, metric_value
from great_expectations.validator.metric_configuration import MetricConfiguration

from selfknow.validation.rendering import ExceptionsRenderer

_open_connections: ContextVar[list[duckdb.DuckDBPyConnection]] = ContextVar("open_connections")
_CONNECTION = "selfknow.connection"
_EXCEPTIONS = "selfknow.exceptions"
_MOST_EXAMPLES = 5
_PLAIN = (str, bool, int, float, Enum)
Kwargs = dict[str, Any]


@contextmanager
def connections_closed() -> Iterator[None]:
    """Close what is opened inside; Great Expectations would keep the tables of every batch in memory."""
    opened: list[duckdb.DuckDBPyConnection] = []
    token = _open_connections.set(opened)
    try:
        yield
    finally:
        _open_connections.reset(token)
        for connection in opened:
            connection.close()


class ExpectQueryToReturnNoRows(ExceptionsRenderer, BatchExpectation):
    """Expect that a DuckDB query over the files of a batch returns no rows.

    Args:
        name: What the expectation is called in findings.
        statement: What is expected, as a clause.
        query: The SQL. It sees the batch's frame as ``batch``, a view for each value of the frame's column ``view``
            (the rows of those Parquet files, and their ``split``), and what ``setup`` made. Its columns ``config`` and
            ``split``, where it has them, say where the finding belongs; all other columns are shown as an example.
        setup: SQL statements that are run once a batch, before the first query.
        parameters: The values of ``$name`` in both, as JSON: Great Expectations copies a field many times over, and a
            text is copied fast.
    """

    name: str
    statement: str
    query: str
    setup: str = ""
    parameters: str = "{}"

    metric_dependencies: ClassVar[tuple[str, ...]] = (_EXCEPTIONS,)
    success_keys: ClassVar[tuple[str, ...]] = ("query", "setup", "parameters")

    def dict(self, **options: Any) -> Kwargs:
        """The fields as pydantic has them; Great Expectations asks 28 times a check for those that are no defaults.

        Texts need none of the copies that pydantic makes on its way through everything that a field may hold.
        """
        values, fields = vars(self), self.__fields__
        is_plain = all(not value or isinstance(value, _PLAIN) for value in values.values())
        if options != {"exclude_defaults": True} or not is_plain:
            whole: Kwargs = super().dict(**options)
            return whole
        there = [name for name in values if fields[name].required or values[name] != fields[name].default]
        return {name: copy(values[name]) for name in there}

    def _validate(
        self,
        metrics: Kwargs,
        runtime_configuration: Kwargs | None = None,  # noqa: ARG002
        execution_engine: ExecutionEngine | None = None,  # noqa: ARG002
    ) -> ExpectationValidationResult | Kwargs:
        exceptions = metrics[_EXCEPTIONS]
        count = sum(group["count"] for group in exceptions)
        return {
            "success": not exceptions,
            "result": {"observed_value": exceptions_in_words(count), "details": {"exceptions": exceptions}},
        }


def exceptions_in_words(count: int) -> str:
    """How often an expectation is not met."""
    return "1 exception" if count == 1 else f"{count:,} exceptions"


class Connection(MetricProvider):
    """A DuckDB connection with a view for each kind of files in the batch; one is shared by all queries."""

    metric_name = _CONNECTION
    domain_keys = ("batch_id",)
    value_keys = ("setup", "parameters")

    @metric_value(engine=PandasExecutionEngine)
    def _pandas(
        cls,  # noqa: N805 (Great Expectations binds the class)
        execution_engine: PandasExecutionEngine,
        metric_domain_kwargs: Kwargs,
        metric_value_kwargs: Kwargs,
        **_: object,
    ) -> duckdb.DuckDBPyConnection:
        batch = execution_engine.get_domain_records(metric_domain_kwargs)
        connection = duckdb.connect(
            config={"temp_directory": tempfile.gettempdir(), "autoinstall_known_extensions": "false"}
        )
        _open_connections.get().append(connection)
        connection.register("batch", batch)
        for view, files in batch.groupby("view") if "view" in batch else ():
            _rows_of(connection, files).create_view(str(view))
        for statement in connection.extract_statements(metric_value_kwargs["setup"]):
            connection.execute(statement, _used(statement, metric_value_kwargs["parameters"]))
        return connection


class Exceptions(MetricProvider):
    """The rows that a query returns, counted and with examples, by config and split."""

    metric_name = _EXCEPTIONS
    domain_keys = ("batch_id",)
    value_keys = ("query", "setup", "parameters")

    @metric_value(engine=PandasExecutionEngine)
    def _pandas(
        cls,  # noqa: N805 (Great Expectations binds the class)
        metric_value_kwargs: Kwargs,
        metrics: Kwargs,
        **_: object,
    ) -> list[Kwargs]:
        connection: duckdb.DuckDBPyConnection = metrics[_CONNECTION]
        (statement,) = connection.extract_statements(metric_value_kwargs["query"])
        exceptions = connection.sql(statement, params=_used(statement, metric_value_kwargs["parameters"]))
        return _by_config_and_split(exceptions.to_arrow_table())

    @classmethod
    def _get_evaluation_dependencies(
        cls, metric: MetricConfiguration, *_: object, **__: object
    ) -> dict[str, MetricConfiguration]:
        setup = metric.metric_value_kwargs["setup"]
        shared = {"setup": setup, "parameters": metric.metric_value_kwargs["parameters"] if setup else "{}"}
        return {_CONNECTION: MetricConfiguration(_CONNECTION, metric.metric_domain_kwargs, shared)}


def _rows_of(connection: duckdb.DuckDBPyConnection, files: pd.DataFrame) -> duckdb.DuckDBPyRelation:
    """The rows of Parquet files with the same columns, and the split that each belongs to."""
    splits = [
        # DuckDB takes every path for a pattern; an unescaped `data[1]` would read the folder `data1`.
        connection.read_parquet([glob.escape(path) for path in of_split["path"]]).select(
            duckdb.StarExpression(), duckdb.ConstantExpression(split).alias("split")
        )
        for split, of_split in files.groupby("split", sort=False)
    ]
    rows = splits[0]
    for further in splits[1:]:
        rows = rows.union(further)
    return rows


def _used(statement: duckdb.Statement, parameters: str) -> Kwargs:
    """The parameters that a statement names: DuckDB refuses the others."""
    values = json.loads(parameters)
    return {name: values[name] for name in statement.named_parameters}


def _by_config_and_split(exceptions: pa.Table) -> list[Kwargs]:
    groups: dict[tuple[str | None, str | None], Kwargs] = {}
    keys = [name for name in ("config", "split") if name in exceptions.column_names]
    for place, key in enumerate(exceptions.select(keys).to_pylist()):
        where = (key.get("config"), key.get("split"))
        group = groups.setdefault(where, {"config": where[0], "split": where[1], "count": 0, "examples": []})
        group["count"] += 1
        if group["count"] <= _MOST_EXAMPLES:
            group["examples"] += exceptions.drop_columns(keys).slice(place, 1).to_pylist()
    return list(groups.values())
