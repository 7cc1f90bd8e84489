"""Two models, or two settings, compared in a metric on the same examples."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from selfknow.errors import UserError
from selfknow.sql.connection import Connection
from selfknow.sql.sides import SIDES, find_sides, labels, paired_by_variant
from selfknow.sql.views import packaged

if TYPE_CHECKING:
    import pyarrow as pa

COMPARE = Path(__file__).parent / "paired" / "compare.sql"


def compare(
    connection: Connection, metric: str, *, models: Sequence[str] = (), variants: Sequence[str] = ()
) -> "pa.Table":
    """Compare within a connection's one run, or its first with its last."""
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
