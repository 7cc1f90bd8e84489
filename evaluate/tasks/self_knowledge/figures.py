"""What a report shows of self-knowledge: the charts of its queries, and how to read each."""

from collections.abc import Mapping, Sequence

from selfknow.evaluate.report import charts
from selfknow.evaluate.report.grouping import dot, grouped
from selfknow.evaluate.report.shape import Figure, Panel, Row
from selfknow.evaluate.tasks.self_knowledge.paper_figures import STYLES

_BARS = 40  # rows of one chart
_PARTS = {"consistent": "self-consistent", "written": "written rightly", "read": "read rightly"}


def _summary(rows: Sequence[Row]) -> list[Panel]:
    groups = grouped(rows, "protocol", "wording", "style", "stage")
    found = []
    for name, group in groups.items():
        dots = [
            {
                "label": row["generator"]
                if row["generator"] == row["verifier"]
                else f"{row['verifier']} on {row['generator']}",
                "measure": said,
                "share": row[value],
                "low": row[f"{value}_low"],
                "high": row[f"{value}_high"],
                "n": row["n"],
                "n_graded": row[f"n_{value}"],
            }
            for row in group[:_BARS]
            for value, said in _PARTS.items()
            if row[value] is not None
        ]
        if dots:
            chart = charts.dots(dots, "share", colour="measure", title="share of graded texts")
            found.append(Panel(name, chart))
    return found


def _tables(rows: Sequence[Row]) -> list[Panel]:
    graded = [
        row for row in rows if row["score"] is not None and not (row["task"] == "average" and row["n_tasks"] == 1)
    ]
    return [
        Panel(name, charts.dots([dot(row, row["task"], "score") for row in group], "score", title="self-consistent"))
        for name, group in grouped(graded, "generator", "verifier", "wording", "paper_table").items()
    ]


_KINDS = ["nothing", "writing", "reading", "both", "unknown"]


def _writing_or_reading(rows: Sequence[Row]) -> list[Panel]:
    found = []
    for name, group in grouped(rows, "generator", "verifier", "wording", "style").items():
        several = len({(row["protocol"], row["stage"]) for row in group}) > 1
        shown = [
            {
                **{column: row[column] for column in ("n", "share")},
                "low": row["share_low"],
                "high": row["share_high"],
                "failure": "nothing" if row["kind"] == "none" else row["kind"],
                "label": f"{row['task']} · {row['protocol']} {row['stage']}" if several else row["task"],
            }
            for row in group
        ]
        chart = charts.stacked(shown, "failure", title="what went wrong, share of all texts", order=_KINDS, hues=_KINDS)
        found.append(Panel(name, chart))
    return found


FIGURES: Mapping[str, Figure] = {
    "self_knowledge_summary": Figure(
        "What it wrote has the property that was asked for; what it said about it is true; both times the same answer. "
        "Only together do they mean that it understands.",
        _summary,
        shares=("consistent", "read", "written"),
    ),
    "self_knowledge_tables": Figure(
        "Self-consistency by task: the answer again that the text was written for.",
        _tables,
        shares=("score", "score_null_as_wrong"),
    ),
    "self_knowledge_styles": STYLES,
    "self_knowledge_writing_or_reading": Figure(
        "Every text by what went wrong: the writing, the reading, both, neither, or unknown where no program can "
        "decide.",
        _writing_or_reading,
    ),
}
"""What a report draws, in its order, by the name of the query."""
