"""Which chart shows which question, and what it leaves to the table where there are too many cohorts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from selfknow.evaluate.report import charts
from selfknow.evaluate.report.gather import Report, Row, Section
from selfknow.evaluate.report.task_figures import TASK_FIGURES

_PANELS = 6  # panels of one cohort each; more become a menu
_BARS = 40  # cohorts that a chart with a line each still shows


@dataclass(frozen=True)
class Panel:
    """One chart of a figure.

    Attributes:
        title: What sets it apart from the figure's other ones; empty if it stands alone.
        chart: The chart.
    """

    title: str
    chart: alt.LayerChart


def figure(report: Report, section: Section) -> list[Panel]:
    """The panels that show a section; none for a question that is a table only."""
    name = section.question.name
    if name in TASK_FIGURES:
        rows = [_with_labels(row, report) for row in section.rows]
        return [Panel(title, chart) for title, chart in TASK_FIGURES[name](rows)]
    draw = _FIGURES.get(name)
    if draw is None or not section.rows:
        return []
    shown = [_for_chart(row, report) for row in section.rows]
    return draw(shown)


def _with_labels(row: Row, report: Report) -> dict[str, Any]:
    """The row, with short labels where it names models."""
    named = ("model", "generator", "verifier")
    return {**row, **{name: report.model_labels.get(row[name], row[name]) for name in named if name in row}}


def _for_chart(row: Row, report: Report) -> dict[str, Any]:
    label = report.labels.get(row.get("cohort", 0), row.get("model_label"))
    parts = (row.get("dataset_size"), row.get("setup"))
    return {**row, "label": label, "dataset_and_setup": " · ".join(str(part) for part in parts if part)}


def _only(rows: Sequence[Row], *columns: str) -> list[dict[str, Any]]:
    """The columns that a chart needs: what is drawn a hundred thousand times should be small."""
    shared = ("label", "model_label", "dataset_and_setup", "low", "high", "chance", "n", "n_graded")
    return [{name: row[name] for name in (*shared, *columns) if name in row} for row in rows]


def _first_cohorts(rows: Sequence[Row]) -> list[Row]:
    kept = set(list(dict.fromkeys(row["label"] for row in rows))[:_BARS])
    return [row for row in rows if row["label"] in kept]


def _panels(rows: Sequence[Row], draw: Callable[[list[Row]], alt.LayerChart]) -> list[Panel]:
    labels = list(dict.fromkeys(row["label"] for row in rows))[:_PANELS]
    return [
        Panel(label if len(labels) > 1 else "", draw([row for row in rows if row["label"] == label]))
        for label in labels
    ]


def _accuracy(rows: Sequence[Row]) -> list[Panel]:
    """Lines over the model size where a suite has several sizes, else a dot a cohort."""
    suites: dict[str, list[Row]] = {}
    for row in rows:
        if row["num_parameters"]:
            suites.setdefault(row["suite"], []).append(row)
    scaled = {
        suite: of_suite for suite, of_suite in suites.items() if len({row["num_parameters"] for row in of_suite}) > 1
    }
    if not scaled:
        return [Panel("", charts.dots(_only(_first_cohorts(rows), "accuracy"), "accuracy", title="accuracy"))]
    panels = []
    for suite, of_suite in scaled.items():
        lines = [{**row, "label": row["dataset_and_setup"] + _weights(row)} for row in of_suite]
        chart = charts.lines(
            _only(lines, "num_parameters", "accuracy", "dataset_size", "setup"),
            "num_parameters",
            "accuracy",
            titles=("parameters", "accuracy"),
            colour="dataset_size",
            dash="setup",
            log=True,
        )
        panels.append(Panel(suite, chart))
    return panels


def _weights(row: Row) -> str:
    return ", from scratch" if row["pretrained"] is False else ""


def _gap(rows: Sequence[Row]) -> list[Panel]:
    several = len({row["dataset_size"] for row in rows}) > 1
    named = [
        {**row, "label": f"{row['model_label']} · {row['dataset_size']}" if several else row["model_label"]}
        for row in rows
    ]
    columns = ("gap", "accuracy_standard", "accuracy_simplified")
    return [
        Panel(
            "",
            charts.dots(_only(_first_cohorts(named), *columns), "gap", title="simplified less standard", narrow=True),
        )
    ]


def _series(x: str, value: str, titles: tuple[str, str]) -> Callable[[Sequence[Row]], list[Panel]]:
    def draw(rows: Sequence[Row]) -> list[Panel]:
        return [Panel("", charts.lines(_only(rows, x, value), x, value, titles=titles))]

    return draw


def _heat(x: str, y: str, titles: tuple[str, str]) -> Callable[[Sequence[Row]], list[Panel]]:
    def draw(rows: Sequence[Row]) -> list[Panel]:
        known = _only([row for row in rows if row[x] is not None], x, y, "share")
        if len({row["label"] for row in known}) > _PANELS:
            return [Panel("", charts.heat(known, x, y, "share", titles=titles, menu=True))]
        return _panels(known, lambda part: charts.heat(part, x, y, "share", titles=titles, menu=False))

    return draw


def _recall(rows: Sequence[Row]) -> list[Panel]:
    kept = _only(_first_cohorts(rows), "recall", "share", "n_answers")
    order, hues = ["under", "right", "over"], ["right", "over", "under"]
    return [Panel("", charts.stacked(kept, "recall", title="share of graded answers", order=order, hues=hues))]


def _reasons(rows: Sequence[Row]) -> list[Panel]:
    kept = _only(_first_cohorts(rows), "reason", "share", "n_answers")
    reasons = sorted({row["reason"] for row in kept}, key=lambda reason: (reason != "right", reason))
    return [Panel("", charts.stacked(kept, "reason", title="share of all answers", order=reasons, hues=reasons))]


def _count_and_content(rows: Sequence[Row]) -> list[Panel]:
    measures = {"exact_match": "exact match", "right_count": "right count", "right_content": "right content"}
    long = [
        {
            **row,
            "measure": name,
            "share": row[measure],
            "low": row[f"{measure}_low"],
            "high": row[f"{measure}_high"],
            "chance": None if measure == "right_content" else row["chance"],
        }
        for row in _first_cohorts(rows)
        for measure, name in measures.items()
    ]
    chart = charts.dots(_only(long, "measure", "share"), "share", colour="measure", title="share of graded answers")
    return [Panel("", chart)]


def _probes(rows: Sequence[Row]) -> list[Panel]:
    shown = _only(rows, "probe", "orderly")
    return _panels(shown, lambda part: charts.dots(part, "orderly", row="probe", title="goes on in order"))


def _short(number: int | None) -> str:
    """1315758080 as 1.3B."""
    if not number:
        return ""
    return f"{number / 1e9:.1f}B" if number >= 1e9 else f"{number / 1e6:.0f}M"


def _pretrained(rows: Sequence[Row]) -> list[Panel]:
    long = [
        {
            "label": f"{row['suite']} {_short(row['num_parameters'])} · {row['dataset_size']} · {row['setup']}",
            "weights": kind,
            "accuracy": row[f"accuracy_{kind}"],
            "low": row[f"low_{kind}"],
            "high": row[f"high_{kind}"],
            "n": row[f"n_{kind}"],
            "n_graded": row[f"n_graded_{kind}"],
            "chance": row["chance"],
        }
        for row in rows[:_BARS]
        for kind in ("pretrained", "scratch")
        if row[f"accuracy_{kind}"] is not None
    ]
    return [Panel("", charts.dots(long, "accuracy", colour="weights", title="accuracy"))] if long else []


def _origins(rows: Sequence[Row]) -> list[Panel]:
    titles = ("sentences in the wrong document", "share of wrong documents")
    shown = _only(rows, "recalled_sentences", "origin", "share", "n_documents", "n_diarists")
    return _panels(shown, lambda part: charts.against_chance(part, "recalled_sentences", "origin", titles=titles))


def _stop(rows: Sequence[Row]) -> list[Panel]:
    columns = ("num_documents", "after_entry", "is_last", "mean_stop_probability", "stop_share")
    return _panels(_only(rows, *columns), charts.steps)


_FIGURES: Mapping[str, Callable[[Sequence[Row]], list[Panel]]] = {
    "accuracy_by_size": _accuracy,
    "setup_gap": _gap,
    "over_and_under_recall": _recall,
    "count_and_content": _count_and_content,
    "recalled_documents": _heat("documents_recalled", "num_documents", ("documents recalled", "documents there are")),
    "accuracy_by_documents": _series("num_documents", "accuracy", ("documents in the target", "accuracy")),
    "document_accuracy": _series(
        "target_sentences", "document_accuracy", ("sentences in the target document", "document accuracy")
    ),
    "recalled_sentences": _heat(
        "recalled_sentences", "target_sentences", ("sentences recalled", "sentences there are")
    ),
    "stop_curve": _stop,
    "probes": _probes,
    "pretrained_or_scratch": _pretrained,
    "wrong_answers": _reasons,
    "wrong_documents": _origins,
    "accuracy_by_name_frequency": _series("rarest_from", "accuracy", ("diarists with the rarest word", "accuracy")),
}
