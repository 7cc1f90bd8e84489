"""The part of a report on agents: the shares of their tasks that can be read, are accepted, and end in agreement."""

from collections.abc import Mapping, Sequence

from selfknow.report import charts
from selfknow.report.gather import Report
from selfknow.report.grouping import dot, joined
from selfknow.report.numbers import against_half, measures, number
from selfknow.report.shape import Figure, Finding, Headline, Panel, Row
from selfknow.report.text import rounded

_QUERY = "self_knowledge_agents"
_BARS = 40  # rows of one chart
_MEASURES = {
    "self_consistent": "Agrees with itself on tasks of its own",
    "accepted": "Proposals that the judge accepts",
    "filled": "Instances given, of those asked for",
    "proposal_parsed": "Proposals that are templates",
}


def headline(report: Report) -> Headline | None:
    """Self-consistency on tasks of its own, and how many of them there were; null where nothing was scored."""
    rows = report.rows_of(_QUERY)
    shown_measures = measures(
        report,
        *(
            (name, _QUERY, [number(_label(row), row, "share") for row in rows if row["measure"] == measure])
            for measure, name in _MEASURES.items()
        ),
    )
    if not shown_measures:
        return None
    agreeing = [row for row in rows if row["measure"] == "self_consistent" and row["share"] is not None]
    return Headline([_finding(row) for row in agreeing], shown_measures)


def _finding(row: Row) -> Finding:
    agrees = number("agrees with itself", row, "share")
    sentence = f"It agrees with itself on {rounded(row['share'])} of the tasks that it made up."
    return Finding(row["generator"], against_half(agrees), sentence, [agrees], setting=_judge(row))


def _judge(row: Row) -> str:
    return f"judged by {row['verifier']}" if row["verifier"] != row["generator"] else ""


def _label(row: Row) -> str:
    return joined(row["generator"], _judge(row))


def _agents(rows: Sequence[Row]) -> list[Panel]:
    shown = [
        dot(row, _label(row), "share", measure=row["measure"].replace("_", " "))
        for row in rows
        if row["share"] is not None
    ][:_BARS]
    return [Panel("", charts.dots(shown, "share", colour="measure", title="share of graded"))] if shown else []


FIGURES: Mapping[str, Figure] = {
    _QUERY: Figure(
        "Four shares: proposals that are templates with slots, templates that the judge accepts, requested instances "
        "that the model gives, and instances to which the model gives its own answer again.",
        _agents,
        title="Its own tasks",
    ),
    "self_knowledge_proposals": Figure(
        "Every proposal, with the judge's verdict and its reason, and the number of instances that end in agreement.",
        shares=("consistent",),
        title="Its proposals",
    ),
}
"""What a report draws, by the name of the query."""
