"""Two models, or two settings, compared in a metric on the same examples."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfknow.errors import UserError
from selfknow.evaluate.sql.connection import Connection, connect
from selfknow.evaluate.sql.sides import SIDES, find_sides, labels, paired_by_variant
from selfknow.evaluate.sql.views import packaged

if TYPE_CHECKING:
    import pyarrow as pa

COMPARE = Path(__file__).parent / "paired" / "compare.sql"


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
        models: Who is compared, as in the run or with ``@`` and the revision's first eight digits: one for both sides,
            or one for each; none: the only ones there are.
        variants: Which of a task's forms, styles or prompts: one for both sides, or one for each; none: all, each with
            its like.
        options: Those of :func:`selfknow.connect`.

    Returns:
        One row: ``a`` and ``b`` (what tells the sides apart), and the columns of ``compare.sql``, of which the last is
        the list of the examples on which they differ, the largest differences first.

    Raises:
        UserError: The sides are not scored in this metric, are not told apart, or share no example.

    Example:
        >>> table = compare_runs("runs/small", "runs/large", "exact_match")  # doctest: +SKIP
    """
    same = run_b is None or str(Path(run_b).absolute()) == str(Path(run_a).absolute())
    with connect([run_a] if same else [run_a, str(run_b)], **options) as connection:
        return compare(connection, metric, models=models, variants=variants)


def compare(
    connection: Connection, metric: str, *, models: Sequence[str] = (), variants: Sequence[str] = ()
) -> "pa.Table":
    """Compare within a connection's one run, or its first with its last (see :func:`compare_runs`)."""
    for run in connection.runs:
        if not run.files["scores"]:
            raise UserError(f"{run.location} has no scores: run `selfknow score {run.location}` first")
    scored = connection.rows(packaged(SIDES))
    a, b = find_sides(connection.runs, scored, metric, models, variants)
    a, b, by_variant = paired_by_variant(a, b, scored, metric)
    given: dict[str, object] = {"metric": metric, "by_variant": by_variant}
    for end, side in (("a", a), ("b", b)):
        given |= {f"{name}_{end}": getattr(side, name) for name in ("run", "model", "revision", "variant")}
    table = connection.sql(packaged(COMPARE), given).to_arrow_table()
    n, n_other_text = (table[name][0].as_py() for name in ("n", "n_other_text"))
    if not n:
        raise UserError(f"{a.location} and {b.location} share no example that both were asked: nothing can be paired")
    if n_other_text:
        raise UserError(
            f"{a.location} and {b.location} were asked different questions under {n_other_text} of their {n} common "
            "ids: they cannot be paired"
        )
    table = table.drop_columns(["n_other_text"])
    for name, label in zip(("b", "a"), reversed(labels(a, b)), strict=True):
        table = table.add_column(0, name, [[label]])
    return table
