"""Figures 3 and 4 of the generate-then-verify paper, from the queries of its tables.

Tan et al., Can I understand what I create?, sections 6.3 and 7.2.1.
"""

from collections.abc import Sequence
from typing import Any

from selfknow.evaluate.report import charts
from selfknow.evaluate.report.grouping import grouped, joined
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


def expert_prompts(rows: Sequence[Row]) -> list[Panel]:
    """Figure 4: self-consistency in counting words, asked plainly and asked as an expert."""
    asked = [
        row
        for row in rows
        if row["task"] == "total-count" and row["style"] in ("plain", "expert") and row["consistent"] is not None
    ]
    found = []
    for name, group in grouped(asked, "wording").items():
        shown = [
            {**_point(row, _who(row), row["style"], "consistent", "share"), "leaking": row["n_leaking"]}
            for row in group[: 2 * _MODELS]
        ]
        found.append(Panel(name, charts.dots(shown, "share", colour="learnt", title="self-consistent")))
    return found


def _who(row: Row) -> str:
    asked = f"asked {row['verifier']}" if row["verifier"] != row["generator"] else ""
    return joined(row["generator"], asked)


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
STYLES = Figure(
    "Whether an expert's role or a chain of thought helps: to agree with itself, to write rightly, to read rightly, "
    "and all three. A text that states its own answer helps to agree, and proves nothing.",
    shares=("consistent", "written", "read", "true"),
    named={"figure-4": expert_prompts},
)
