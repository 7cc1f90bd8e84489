"""The one kind of Great Expectations expectation that the suites are made of: a query that returns no rows.

DuckDB has run the queries of a batch before (see ``queries``), reading the corpus in place. A metric passes their
exceptions to Great Expectations, which judges, documents and renders them.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from enum import Enum
from typing import Any, ClassVar

import duckdb
import great_expectations as gx
from great_expectations.core import ExpectationValidationResult
from great_expectations.execution_engine import ExecutionEngine, PandasExecutionEngine
from great_expectations.expectations.expectation import BatchExpectation
from great_expectations.expectations.metrics.metric_provider import MetricProvider, metric_value

from selfknow.validation.queries import Group
from selfknow.validation.rendering import ExceptionsRenderer
from selfknow.validation.suite import Batch

_current_exceptions: ContextVar[Mapping[str, list[Group] | duckdb.Error]] = ContextVar("exceptions")
_EXCEPTIONS = "selfknow.exceptions"
_PLAIN = (str, bool, int, float, Enum)
Kwargs = dict[str, Any]


@contextmanager
def provide_exceptions(exceptions: Mapping[str, list[Group] | duckdb.Error]) -> Iterator[None]:
    """Provide the exceptions of each expectation, by its name, to validations inside the context."""
    token = _current_exceptions.set(exceptions)
    try:
        yield
    finally:
        _current_exceptions.reset(token)


def suite_of(batch: Batch) -> gx.ExpectationSuite:
    """Return the suite of a batch: an expectation for each of its queries, in their order."""
    expectations = [
        ExpectQueryToReturnNoRows(
            name=query.name,
            statement=query.statement,
            query=query.sql,
            setup=batch.setup,
            parameters=query.parameters,
        )
        for query in batch.queries
    ]
    return gx.ExpectationSuite(batch.suite, expectations=expectations)


class ExpectQueryToReturnNoRows(ExceptionsRenderer, BatchExpectation):
    """Expect that a DuckDB query over the files of a batch returns no rows.

    Args:
        name: The name of the expectation in findings, unique in a suite.
        statement: The expectation in words, as a clause.
        query: The SQL. It sees the batch's table as ``batch``, its files as views (the rows of the Parquet files, with
            their ``split``), and the tables of ``setup``. Its columns ``config`` and ``split``, if present, are those
            of the finding; the other columns are shown as an example.
        setup: SQL statements that run once per batch, before the first query.
        parameters: The values of ``$name`` in both, as JSON text, since Great Expectations copies a field many times,
            and copying a text is fast.
    """

    name: str
    statement: str
    query: str
    setup: str = ""
    parameters: str = "{}"

    metric_dependencies: ClassVar[tuple[str, ...]] = (_EXCEPTIONS,)
    success_keys: ClassVar[tuple[str, ...]] = ("name",)

    def dict(self, **options: Any) -> Kwargs:
        """Return the fields as pydantic does, but fast: in each check, Great Expectations calls this 28 times.

        It asks for the fields that differ from their defaults. Plain values need no deep copies, which are slow.
        """
        values, fields = vars(self), self.__fields__
        is_plain = all(not value or isinstance(value, _PLAIN) for value in values.values())
        if options != {"exclude_defaults": True} or not is_plain:
            all_fields: Kwargs = super().dict(**options)
            return all_fields
        changed = [name for name in values if fields[name].required or values[name] != fields[name].default]
        return {name: copy(values[name]) for name in changed}

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
    """Return the number of exceptions in words."""
    return "1 exception" if count == 1 else f"{count:,} exceptions"


class Exceptions(MetricProvider):
    """The rows that the query of an expectation returned, counted and with examples, by config and split."""

    metric_name = _EXCEPTIONS
    domain_keys = ("batch_id",)
    value_keys = ("name",)

    @metric_value(engine=PandasExecutionEngine)
    def _pandas(
        cls,  # noqa: N805 (Great Expectations binds the class)
        metric_value_kwargs: Kwargs,
        **_: object,
    ) -> list[Group]:
        exceptions = _current_exceptions.get()[metric_value_kwargs["name"]]
        if isinstance(exceptions, duckdb.Error):
            raise exceptions
        return exceptions
