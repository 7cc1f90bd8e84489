"""What a report says of GSM8K: the share of the problems that each model solves."""

from collections.abc import Mapping, Sequence

from selfknow.evaluate.report import charts
from selfknow.evaluate.report.gather import Report
from selfknow.evaluate.report.grouping import dot, grouped, joined, setting
from selfknow.evaluate.report.numbers import first_value, measures, number
from selfknow.evaluate.report.shape import Figure, Headline, Panel, Row
from selfknow.evaluate.tasks.gsm8k.paper_figures import TUNING

_QUERY = "gsm8k_accuracy"
_BARS = 40  # rows of one chart


def headline(report: Report) -> Headline | None:
    """The share of problems solved; null where nothing was scored."""
    rows = report.rows_of(_QUERY)
    if not rows:
        return None
    numbers = [number(joined(row["label"], setting(row, rows, "dataset")), row, "accuracy") for row in rows]
    found = measures(("Problems solved", _QUERY, numbers))
    share = first_value(found)
    saying = None if share is None else f"solves {share:.0%} of grade-school problems"
    return Headline(None, saying, found, first_is_large=True)


def _accuracy(rows: Sequence[Row]) -> list[Panel]:
    graded = [row for row in rows if row["accuracy"] is not None]
    return [
        Panel(
            name,
            charts.dots([dot(row, row["label"], "accuracy") for row in group[:_BARS]], "accuracy", title="solved"),
        )
        for name, group in grouped(graded, "dataset").items()
    ]


FIGURES: Mapping[str, Figure] = {
    _QUERY: Figure(
        "The last number of a reply against the solution's; an empty or cut off reply is wrong.",
        _accuracy,
        shares=("accuracy",),
    ),
    "self_knowledge_tuning": TUNING,
}
"""What a report draws, by the name of the query."""
