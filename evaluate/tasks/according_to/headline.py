"""What a report says first of according-to: whether a model quotes more when it is asked to."""

from collections.abc import Sequence

from selfknow.evaluate.report.gather import Report
from selfknow.evaluate.report.grouping import joined, setting
from selfknow.evaluate.report.numbers import measures, number
from selfknow.evaluate.report.shape import Headline, Measure, Number, Row
from selfknow.evaluate.sql.queries import find_query

_QUERY, _CONTINUED = "according_to_kinds", "according_to_continuation"
_KINDS = ("null", "grounding", "anti-grounding")


def headline(report: Report) -> Headline | None:
    """What grounding prompts change in QUIP, and QUIP under each kind of prompt."""
    rows = [row for row in report.rows_of(_QUERY) if row["metric"] == "quip"]
    continued = report.rows_of(_CONTINUED)
    if not rows:
        found = _continuations(continued)
        return Headline(None, _going_on(found[0].numbers[0]), found) if found else None
    named = [(joined(row["model_label"], setting(row, rows, "dataset", "format", "placement")), row) for row in rows]
    changes = [number(label, row, "difference", chance=None) for label, row in named if row["kind"] == "grounding"]
    change = Measure("Quotes more under grounding prompts", changes, find_query(_QUERY), is_change=True)
    found = measures(
        *(
            (
                f"QUIP under the {kind} prompt{'' if kind == 'null' else 's'}",
                _QUERY,
                [number(label, row, "score", chance=None) for label, row in named if row["kind"] == kind],
            )
            for kind in _KINDS
        )
    )
    first = [change] if changes else []
    return Headline(None, _saying(changes[0]) if changes else None, [*first, *found, *_continuations(continued)])


def _continuations(rows: Sequence[Row]) -> list[Measure]:
    """How much of what a model goes on with is the text's own, beside a text that it cannot have seen."""
    numbers = [
        number(
            joined(row["model_label"], setting(row, rows, "dataset", "passage_words")),
            row,
            "quip_beyond_prompt",
            chance="chance_quip",
        )
        for row in rows
    ]
    return measures(("Continues in the text's own words", _CONTINUED, numbers), chance_name="a text it never saw")


def _going_on(share: Number) -> str | None:
    return None if share.value is None else f"continues in the text's own words for {share.value:.1%} of what it adds"


def _saying(change: Number) -> str | None:
    """What prompts change, where the interval says that they do; null where nothing could be graded."""
    if change.value is None:
        return None
    if change.low is None or change.high is None or change.low <= 0 <= change.high:
        return "quotes neither measurably more nor less when asked to"
    return f"quotes {abs(change.value) * 100:.0f} points {'more' if change.value > 0 else 'less'} when asked to"
