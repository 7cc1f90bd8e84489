"""The shape of what a task adds to SQL: its queries and views, and its columns of the view ``runs``.

The connection is handed these and knows no task by name. The module is light to import.
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
    """The values that a run's ``run.json`` gives its task's columns.

    Attributes:
        columns: Values of the task's columns of the view ``runs``, by name.
        cohort_order: Sort key of the run in tables and charts; runs of one model that sort alike and share the task's
            cohort columns are one cohort.
    """

    columns: Mapping[str, object]
    cohort_order: tuple[Any, ...] = ()


@dataclass(frozen=True)
class CorpusView:
    """Documents outside of the run folders that queries join against.

    Attributes:
        name: Name of the view.
        find: Maps runs of the task and the folders that the user named to Parquet files, by a key of the task's own.
            Raises UserError if a named folder holds nothing that a run asked about.
        sql: Maps these files to the view's statement.
        missing: Says why a run's documents are not at hand and how to name them; null if they are at hand.
    """

    name: str
    find: "Callable[[Sequence[RunFolder], Sequence[str]], dict[str, list[str]]]"
    sql: Callable[[Mapping[str, Sequence[str]]], str]
    missing: "Callable[[RunFolder, Mapping[str, Sequence[str]]], str | None]"


def no_facts(description: Mapping[str, Any]) -> Facts:
    """Return no facts: the default of a task that adds no columns to the view ``runs``."""
    return Facts({})


@dataclass(frozen=True, kw_only=True, eq=False)
class TaskSql:
    """What a task adds to SQL.

    Attributes:
        name: The task's name, as ``run.json`` has it.
        folder: The folder of its queries, ``NAME.sql`` each, and of its views, in ``views/``.
        views: Names of files in ``views/``, in the order in which they are made; functions among them.
        examples: Views of its examples: for each name the columns and their SQL types.
        parsed: Views of what scoring parsed, by name.
        corpus: Documents beside its runs.
        columns: Columns that it adds to the view ``runs``: names and SQL types.
        cohort: The columns that make a cohort, beside the model.
        facts: Maps a ``run.json`` to the values of these columns.
    """

    name: str
    folder: Path
    views: tuple[str, ...] = ()
    examples: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    parsed: Mapping[str, ParsedFiles] = field(default_factory=dict)
    corpus: CorpusView | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    cohort: tuple[str, ...] = ()
    facts: Callable[[Mapping[str, Any]], Facts] = no_facts
