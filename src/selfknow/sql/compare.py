"""A paired comparison of two models, or two settings, in a metric on the same examples."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from selfknow.errors import UserError
from selfknow.sql.connection import Connection
from selfknow.sql.sides import SIDES, find_sides, labels, paired_by_variant
from selfknow.sql.views import read_statement

if TYPE_CHECKING:
    import pyarrow as pa

COMPARE = Path(__file__).parent / "paired" / "compare.sql"


def compare(
    connection: Connection, metric: str, *, models: Sequence[str] = (), variants: Sequence[str] = ()
) -> "pa.Table":
    """Compare two sides of a connection's only run, or its first run with its last.

    Args:
        connection: A connection over one or two runs.
        metric: The metric, as in ``scores``.
        models: One name for both sides, one name for each, or none if a run has only one model.
        variants: The same for variants. Without a name, calls of the same variant are paired.

    Returns:
        One row, whose columns are in the head of ``paired/compare.sql``.

    Raises:
        UserError: A run has no scores, a name is unknown, or nothing can be paired.
    """
    for run in connection.runs:
        if not run.files["scores"]:
            raise UserError(f"{run.location} has no scores: run `selfknow score {run.location}` first")
    scored = connection.rows(read_statement(SIDES))
    a, b = find_sides(connection.runs, scored, metric, models, variants)
    a, b, by_variant = paired_by_variant(a, b, scored, metric)
    parameters: dict[str, object] = {"metric": metric, "by_variant": by_variant}
    for end, side in (("a", a), ("b", b)):
        parameters |= {f"{name}_{end}": getattr(side, name) for name in ("run", "model", "revision", "variant")}
    table = connection.sql(read_statement(COMPARE), parameters).to_arrow_table()
    n, n_other_text = (table[name][0].as_py() for name in ("n", "n_other_text"))
    if not n:
        raise UserError(f"{a.location} and {b.location} have no example in common: nothing can be paired")
    if n_other_text:
        raise UserError(
            f"{a.location} and {b.location} were asked different questions under {n_other_text} of their {n} common "
            "ids: they cannot be paired"
        )
    table = table.drop_columns(["n_other_text"])
    for name, label in zip(("b", "a"), reversed(labels(a, b)), strict=True):
        table = table.add_column(0, name, [[label]])
    return table
