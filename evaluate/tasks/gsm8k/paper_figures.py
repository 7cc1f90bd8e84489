"""Figure 3 of the generate-then-verify paper: runs of GSM8K before and after a model is tuned on its creations.

Tan et al., Can I understand what I create?, section 6.3.
"""

from collections.abc import Sequence
from typing import Any

from selfknow.evaluate.report import charts
from selfknow.evaluate.report.grouping import grouped
from selfknow.evaluate.report.shape import Figure, Panel, Row

_MODELS = 20
_BEFORE, _VERSIONS = "before", {"raw": "raw answers", "corrected": "corrected answers"}


def tuned_on_own(rows: Sequence[Row]) -> list[Panel]:
    """Figure 3: GSM8K before, and after tuning on a model's own creations, raw and corrected."""
    own = [row for row in rows if row["data"] == "self" and row["tuned"] is not None]
    found = []
    for name, group in grouped(own, "dataset").items():
        shown: list[dict[str, Any]] = []
        for model in list(dict.fromkeys(row["model"] for row in group))[:_MODELS]:
            of_model = [row for row in group if row["model"] == model]
            before = of_model[0]
            if before["initial"] is not None:
                shown.append(_point(before, str(model), _BEFORE, "initial", "accuracy"))
            shown += [_point(row, str(model), _VERSIONS[row["version"]], "tuned", "accuracy") for row in of_model]
        chart = charts.dots(shown, "accuracy", colour="learnt", title="GSM8K solved")
        found.append(Panel(name, chart))
    return found


def _point(row: Row, label: str, colour: str, column: str, value: str) -> dict[str, Any]:
    return {
        "label": label,
        "learnt": colour,
        value: row[column],
        "low": row[f"{column}_low"],
        "high": row[f"{column}_high"],
        "n": row.get(f"n_{column}", row.get("n")),
    }


TUNING = Figure(
    "How many problems of GSM8K a model solves before it is tuned, and after it was tuned on what it made up itself, "
    "with the answers that it wrote for (raw) and with the true ones (corrected).",
    nothing="no model was tuned on creations: `selfknow creations tune` does it",
    shares=("initial", "tuned", "difference"),
    named={"figure-3": tuned_on_own},
)
