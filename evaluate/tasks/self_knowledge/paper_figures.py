"""Figure 4 of the generate-then-verify paper, from the query of Tables 11 and 12.

Tan et al., Can I understand what I create?, section 7.2.1.
"""

from collections.abc import Sequence
from typing import Any

from selfknow.evaluate.report import charts
from selfknow.evaluate.report.grouping import grouped, joined
from selfknow.evaluate.report.shape import Figure, Panel, Row

_MODELS = 20


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


STYLES = Figure(
    "Whether an expert's role or a chain of thought helps: to agree with itself, to write rightly, to read rightly, "
    "and all three. A text that states its own answer helps to agree, and proves nothing.",
    shares=("consistent", "written", "read", "true"),
    named={"figure-4": expert_prompts},
)
