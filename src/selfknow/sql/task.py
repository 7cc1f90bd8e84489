"""The interface of a task in SQL: its queries, its views, and its columns of the view ``runs``.

The SQL connection handles every task through this interface. This module imports no heavy library.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfknow.runs.parsed import ParsedFiles

if TYPE_CHECKING:
    from selfknow.runs.reader import RunFolder


@dataclass(frozen=True)
class Facts:
    """The values of a task's columns for one run, from its ``run.json``.

    Attributes:
        columns: Values of the task's columns of the view ``runs``, by name.
        cohort_order: Sort key of the run in tables and charts; runs of one model with the same key and the same cohort
            columns share a cohort.
    """

    columns: Mapping[str, object]
    cohort_order: tuple[Any, ...] = ()


@dataclass(frozen=True)
class CorpusView:
    """A view of documents outside of the run folders, for queries to join against.

    Attributes:
        name: Name of the view.
        find: Function of the task's runs and the folders that the user named. It returns Parquet files, by keys that
            the task chooses, and raises UserError if a named folder holds nothing that a run asked about.
        sql: Function of these files that returns the view's query.
        missing: Function of a run and these files. If the run's documents are missing, it returns a message that says
            how to provide them, else null.
    """

    name: str
    find: "Callable[[Sequence[RunFolder], Sequence[str]], dict[str, list[str]]]"
    sql: Callable[[Mapping[str, Sequence[str]]], str]
    missing: "Callable[[RunFolder, Mapping[str, Sequence[str]]], str | None]"


def empty_facts(description: Mapping[str, Any]) -> Facts:
    """Return no facts; this is the default for tasks without columns of their own."""
    return Facts({})


@dataclass(frozen=True, kw_only=True, eq=False)
class TaskSql:
    """A task's queries, views and columns in SQL.

    Attributes:
        name: The task's name in ``run.json``.
        folder: The folder with its queries (``NAME.sql``) and, in ``views/``, its views.
        views: Names of the files in ``views/`` with views or functions, in the order of their creation.
        example_views: Views of its examples, by name: the columns and their SQL types.
        parsed: The files that scoring writes into ``parsed/``, by the name of the view that shows them.
        corpus: The view of documents outside the run folders.
        columns: Columns that the task adds to the view ``runs``: names and SQL types.
        cohort: The names of those columns that, together with the model, make a cohort.
        facts: Function of a ``run.json`` that returns the values of these columns.
    """

    name: str
    folder: Path
    views: tuple[str, ...] = ()
    example_views: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    parsed: Mapping[str, ParsedFiles] = field(default_factory=dict)
    corpus: CorpusView | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    cohort: tuple[str, ...] = ()
    facts: Callable[[Mapping[str, Any]], Facts] = empty_facts
