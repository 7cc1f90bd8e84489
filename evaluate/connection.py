"""The user's access to SQL over run folders of all tasks."""

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
    """Open run folders as SQL views; only a few rows about the models are copied.

    Views: ``runs``, ``examples``, ``generations``, ``scores``, and on top of them ``models``, ``cohorts``, ``calls``
    and each task's own. Functions: ``share`` (with its interval and its n), ``wilson_low``, ``wilson_high``, those of
    the bootstrap, each task's own, and with portraits ``quip``. ``docs/sql-reference.md`` lists them, with the columns
    of every view.

    Args:
        runs: Run folders, or ``hf://datasets/ORG/NAME/FOLDER`` on the Hub.
        portraits: Portraits for ``quip(text, name)`` by their name; each is a portrait, its folder or its Hub id.
        corpora: Dataset folders whose documents queries can join. A run's own dataset folder is found without it.
        read_only: If true, allow only SELECT, PIVOT and EXPLAIN over these runs' files; if false, all of DuckDB.
        mixed_revisions: If true, allow runs of different contents under the same dataset name.
        threads: The number of DuckDB's threads; null for all cores.
        memory_limit: DuckDB's memory, such as ``2GB``; beyond it DuckDB spills to disk.

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
    """Return all queries by name: each task's in the order of the catalogue, then those for any run."""
    return queries_of(task_sql())


def find_query(name: str) -> Query:
    """Return a query by its name, ``NAME`` or ``TASK/NAME``.

    Raises:
        UserError: There is no such query; the message suggests similar names.
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
        run_b: Another run folder; null if both sides are in the first.
        metric: A metric that was scored on both sides.
        models: The models to compare, one for both sides or one for each, by the name in the run, optionally with ``@``
            and the revision's first eight digits; empty if each side has only one.
        variants: The task's forms, styles or prompts to compare, one for both sides or one for each; empty to compare
            each variant with the same variant.
        options: The options of :func:`connect`.

    Returns:
        One row: ``a`` and ``b`` (the names of the sides), and the columns of ``compare.sql``. The last column is the
        list of examples on which the sides differ, the largest differences first.

    Raises:
        UserError: The sides have no scores of this metric, are the same, or share no example.

    Example:
        >>> table = compare_runs("runs/small", "runs/large", "exact_match")  # doctest: +SKIP
    """
    is_one_run = run_b is None or str(Path(run_b).absolute()) == str(Path(run_a).absolute())
    with connect([run_a] if is_one_run else [run_a, str(run_b)], **options) as connection:
        return compare(connection, metric, models=models, variants=variants)
