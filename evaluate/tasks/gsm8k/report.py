"""The GSM8K part of a report: the share of the problems that each model solves."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from selfknow.report import charts
from selfknow.report.gather import Report
from selfknow.report.grouping import dot, grouped, joined, one_share, setting
from selfknow.report.numbers import against_half, measures, number
from selfknow.report.shape import Figure, Finding, Headline, Panel, Row
from selfknow.report.text import rounded

_MAX_MODELS = 20
_BEFORE, _VERSIONS = "before", {"raw": "raw answers", "corrected": "corrected answers"}


def tuned_on_own(rows: Sequence[Row]) -> list[Panel]:
    """Draw Figure 3: GSM8K before and after tuning on a model's own creations, raw and corrected."""
    rows_of_own = [row for row in rows if row["data"] == "self" and row["tuned"] is not None]
    panels = []
    for name, group in grouped(rows_of_own, "dataset").items():
        bars: list[dict[str, Any]] = []
        for model in list(dict.fromkeys(row["model"] for row in group))[:_MAX_MODELS]:
            rows_of_model = [row for row in group if row["model"] == model]
            before = rows_of_model[0]
            if before["initial"] is not None:
                bars.append(one_share(before, str(model), "initial", "accuracy", learnt=_BEFORE))
            bars += [
                one_share(row, str(model), "tuned", "accuracy", learnt=_VERSIONS[row["version"]])
                for row in rows_of_model
            ]
        chart = charts.dots(bars, "accuracy", colour="learnt", title="GSM8K solved")
        panels.append(Panel(name, chart))
    return panels


TUNING = Figure(
    "The share of GSM8K's problems that a model solves before tuning, and after tuning on its own questions: with its "
    "own answers (raw), and with the true answers (corrected).",
    nothing="no model was tuned on creations (`selfknow advanced creations tune`)",
    shares=("initial", "tuned", "difference"),
    named={"figure-3": tuned_on_own},
    title="After tuning",
)


_QUERY = "gsm8k_accuracy"
_MAX_BARS = 40  # rows of one chart


def headline(report: Report) -> Headline | None:
    """Return the share of problems solved; None if nothing was scored."""
    rows = report.rows_of(_QUERY)
    if not rows:
        return None
    numbers = [
        number(joined(row["label"], setting(row, rows, "dataset")), row, "accuracy", of="n_questions") for row in rows
    ]
    shown_measures = measures(report, ("Problems solved", _QUERY, numbers))
    findings = [
        Finding(
            row["label"],
            against_half(item),
            f"It solves {rounded(item.value)} of the grade-school problems.",
            [replace(item, label="solved")],
            setting=setting(row, rows, "dataset"),
        )
        for row, item in zip(rows, numbers, strict=True)
        if item.value is not None
    ]
    return Headline(findings, shown_measures)


def _accuracy(rows: Sequence[Row]) -> list[Panel]:
    graded_rows = [row for row in rows if row["accuracy"] is not None]
    return [
        Panel(
            name,
            charts.dots([dot(row, row["label"], "accuracy") for row in group[:_MAX_BARS]], "accuracy", title="solved"),
        )
        for name, group in grouped(graded_rows, "dataset").items()
    ]


FIGURES: Mapping[str, Figure] = {
    _QUERY: Figure(
        "A reply is correct if its last number is the solution's. Empty and cut-off replies are wrong.",
        _accuracy,
        shares=("accuracy",),
        title="Problems solved",
    ),
    "self_knowledge_tuning": TUNING,
}
"""The figures of the report, in their order, by the name of their query."""
