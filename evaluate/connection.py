"""The user's door to SQL: run folders of all tasks of this package behind one connection."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfknow.evaluate.catalogue import task_sql
from selfknow.sql.compare import compare
from selfknow.sql.connection import Connection
from selfknow.sql.connection import connect as connect_with
from selfknow.sql.queries import Query
from selfknow.sql.queries import find_query as find_query_of
from selfknow.sql.queries import queries as queries_of

if TYPE_CHECKING:
    import pyarrow as pa

    from selfknow.portraits import Portrait


def connect(
    runs: Sequence[str | Path] | str | Path,
    portraits: "Mapping[str, Portrait | str | Path] | None" = None,
    *,
    corpora: Sequence[str | Path] = (),
    read_only: bool = True,
    mixed_revisions: bool = False,
    threads: int | None = None,
    memory_limit: str | None = None,
) -> Connection:
    """Open run folders as SQL views; nothing is copied but who was asked, a few rows.

    Views: ``runs``, ``examples``, ``generations``, ``scores``, and on top of them ``models``, ``cohorts`` and
    ``calls``; after them each task's own. Functions: ``share`` (with its interval and its n), ``wilson_low``,
    ``wilson_high``, those of the bootstrap, each task's own, and with portraits ``quip``.
    ``docs/sql-reference.md`` lists them, with the columns of every view.

    Args:
        runs: Run folders, or ``hf://datasets/ORG/NAME/FOLDER`` on the Hub.
        portraits: Portraits for ``quip(text, name)``, by name: each a portrait, its folder or its Hub id.
        corpora: Dataset folders whose documents queries can join against. A run's own folder needs no naming.
        read_only: Allow SELECT, PIVOT and EXPLAIN over these runs' files and nothing else; false allows all of DuckDB.
        mixed_revisions: Let runs stand side by side that asked different contents under one name.
        threads: Threads of DuckDB; null: all cores.
        memory_limit: Memory of DuckDB, such as ``2GB``; beyond it DuckDB spills to disk.

    Raises:
        UserError: A run folder is not what it should be (see :func:`selfknow.runs.reader.open_runs`).

    Example:
        >>> with connect(["runs/opt", "runs/pythia"]) as connection:  # doctest: +SKIP
        ...     connection.sql("select model, count(*) from calls group by all").show()
    """
    return connect_with(
        runs,
        task_sql(),
        portraits,
        corpora=corpora,
        read_only=read_only,
        mixed_revisions=mixed_revisions,
        threads=threads,
        memory_limit=memory_limit,
    )


def queries() -> dict[str, Query]:
    """Return all queries of this package by name: each task's in the order of the catalogue, then those of any run."""
    return queries_of(task_sql())


def find_query(name: str) -> Query:
    """Return the query of this name, with or without its task's folder: ``TASK/NAME``.

    Raises:
        UserError: There is none; the near ones are named.
    """
    return find_query_of(name, task_sql())


def compare_runs(
    run_a: str | Path,
    run_b: str | Path | None,
    metric: str,
    *,
    models: Sequence[str] = (),
    variants: Sequence[str] = (),
    **options: Any,
) -> "pa.Table":
    """Compare two models, or two settings, in a metric, paired by example.

    Args:
        run_a: A run folder.
        run_b: Another one; null: both sides are in the first.
        metric: Any that was scored on both sides.
        models: The models to compare, named as in the run or with ``@`` and the revision's first eight digits: one for
            both sides, or one for each; none: the only ones there are.
        variants: The task's forms, styles or prompts to compare: one for both sides, or one for each; none: all, each
            with its like.
        options: The options of :func:`connect`.

    Returns:
        One row: ``a`` and ``b`` (what tells the sides apart), and the columns of ``compare.sql``, of which the last is
        the list of the examples on which they differ, the largest differences first.

    Raises:
        UserError: The sides are not scored in this metric, are not told apart, or share no example.

    Example:
        >>> table = compare_runs("runs/small", "runs/large", "exact_match")  # doctest: +SKIP
    """
    is_one_run = run_b is None or str(Path(run_b).absolute()) == str(Path(run_a).absolute())
    with connect([run_a] if is_one_run else [run_a, str(run_b)], **options) as connection:
        return compare(connection, metric, models=models, variants=variants)
