"""What a report says first of self-aware: how much more a model abstains where there is no answer."""

from collections.abc import Sequence
from dataclasses import replace

from selfknow.evaluate.report.gather import Report
from selfknow.evaluate.report.grouping import joined, preferred, setting
from selfknow.evaluate.report.numbers import beside_chance, measures, number
from selfknow.evaluate.report.shape import Headline, Number, Row

_RATES, _F1 = "self_aware_abstention", "self_aware_f1"
_MEASURES = (
    ("Abstains from questions without an answer", _RATES, "unanswerable", None, "n_unanswerable"),
    ("Abstains from answerable questions", _RATES, "answerable", None, "n_answerable"),
    ("How much more where there is no answer", _RATES, "difference", "chance_difference", "n"),
    (
        "The same, corrected for the scorer's known error rates",
        _RATES,
        "corrected_difference",
        "chance_difference",
        "n",
    ),
    ("F1 of abstaining (the paper's measure)", _F1, "f1", "chance_f1", "n"),
)


def headline(report: Report) -> Headline | None:
    """Both rates of abstaining, their difference, and F1; by the scorer ``sentences`` where it judged."""
    rows = {query: best_scorer(report.rows_of(query)) for query in (_RATES, _F1)}
    if not rows[_RATES]:
        return None
    found = [
        replace(measure, is_change=value.endswith("difference"))
        for name, query, value, chance, n in _MEASURES
        for measure in measures((name, query, _numbers(rows[query], value, chance, n)), chance_name="always abstaining")
    ]
    return Headline(None, _saying(rows[_RATES]), found)


def _saying(rows: Sequence[Row]) -> str | None:
    """Both rates, and whether they differ; null where one could not be graded."""
    first = rows[0]
    if first["unanswerable"] is None or first["answerable"] is None:
        return None
    [difference] = _numbers(rows[:1], "difference", "chance_difference", "n")
    return (
        f"abstains from {first['unanswerable']:.0%} of what has no answer and "
        f"{first['answerable']:.0%} of what has one{beside_chance(difference)}"
    )


def best_scorer(rows: Sequence[Row]) -> list[Row]:
    """The rows of one scorer: ``sentences`` where it judged, else ``strict``, else the first one that there is."""
    scorers = {row["scorer"] for row in rows}
    return preferred(rows, "scorer", "sentences" if "sentences" in scorers else "strict")


def _numbers(rows: Sequence[Row], value: str, chance: str | None, n: str) -> list[Number]:
    return [
        number(
            joined(row["model"], setting(row, rows, "form", "scorer", "encoder", "references_name")),
            row,
            value,
            chance=chance,
            n_graded="n_graded" if n == "n" else n,
            n=n,
        )
        for row in rows
        if row[value] is not None or not value.startswith("corrected")
    ]
