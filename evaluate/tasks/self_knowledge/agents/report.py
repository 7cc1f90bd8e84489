"""The part of a report on agents.

It shows how many of the tasks that a model invents are templates, are accepted, and get the same answer twice.
"""

from collections.abc import Mapping, Sequence

from selfknow.report import charts
from selfknow.report.gather import Report
from selfknow.report.grouping import dot, joined
from selfknow.report.numbers import against_half, measures, number
from selfknow.report.shape import Figure, Finding, Headline, Panel, Row
from selfknow.report.text import rounded

_QUERY = "self_knowledge_agents"
_MAX_DOTS = 40  # of one chart
_MEASURES = {
    "self_consistent": "Agrees with itself on its own tasks",
    "accepted": "Proposals that the judge accepts",
    "filled": "Requested instances that it gives",
    "proposal_parsed": "Proposals that are templates",
}


def headline(report: Report) -> Headline | None:
    """Return how often a model agrees with itself on its tasks, with all four shares; None if nothing was scored."""
    rows = report.rows_of(_QUERY)
    parts = []
    for measure, name in _MEASURES.items():
        shares = [number(_label(row), row, "share") for row in rows if row["measure"] == measure]
        parts.append((name, _QUERY, shares))
    shown_measures = measures(report, *parts)
    if not shown_measures:
        return None
    consistency_rows = [row for row in rows if row["measure"] == "self_consistent" and row["share"] is not None]
    return Headline([_finding(row) for row in consistency_rows], shown_measures)


def _finding(row: Row) -> Finding:
    consistency = number("agrees with itself", row, "share")
    sentence = f"It agrees with itself on {rounded(row['share'])} of the tasks that it made up."
    return Finding(row["generator"], against_half(consistency), sentence, [consistency], setting=_judge_label(row))


def _judge_label(row: Row) -> str:
    return f"judged by {row['verifier']}" if row["verifier"] != row["generator"] else ""


def _label(row: Row) -> str:
    return joined(row["generator"], _judge_label(row))


def _shares_panel(rows: Sequence[Row]) -> list[Panel]:
    dots = [
        dot(row, _label(row), "share", measure=row["measure"].replace("_", " "))
        for row in rows
        if row["share"] is not None
    ][:_MAX_DOTS]
    if not dots:
        return []
    return [Panel("", charts.dots(dots, "share", colour="measure", title="share of graded proposals and texts"))]


FIGURES: Mapping[str, Figure] = {
    _QUERY: Figure(
        "Four shares: proposals that are templates with slots, templates that the judge accepts, requested instances "
        "that the model gives, and instances to which the model gives its own answer again.",
        _shares_panel,
        title="Its own tasks",
    ),
    "self_knowledge_proposals": Figure(
        "Every proposal, with the judge's verdict and its reason, and the number of instances that end in agreement.",
        shares=("consistent",),
        title="Its proposals",
    ),
}
"""The figures of the report, in their order, by the name of their query."""
