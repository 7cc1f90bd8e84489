"""What a report says first: one sentence and a few numbers, each with its interval and chance line."""

from collections.abc import Sequence
from dataclasses import dataclass

from selfknow.evaluate.report.gather import HEADLINE, Report, Row

_CARDS = 12
_GAPS = 3  # more of them are left to their figure


@dataclass(frozen=True)
class Number:
    """A headline number.

    Attributes:
        label: Of what.
        value: A share.
        low: Where its 95% interval begins.
        high: Where it ends.
        n_graded: How many it is over.
        n: How many were asked.
        chance: The chance line, where there is one.
    """

    label: str
    value: float
    low: float
    high: float
    n_graded: int
    n: int
    chance: float | None


@dataclass(frozen=True)
class Headline:
    """What a report says first.

    Attributes:
        sentence: The finding, in words.
        measure: What the numbers are.
        numbers: A few of them, the highest if there are many.
        all_numbers: How many there are.
        gaps: What the setups differ by, if these are a few.
    """

    sentence: str
    measure: str
    numbers: Sequence[Number]
    all_numbers: int
    gaps: Sequence[Row]


def headline(report: Report) -> Headline:
    """The first screen of a report."""
    sections = {section.question.name: section for section in report.sections}
    rows, key, measure = sections[HEADLINE].rows, "accuracy", "Whole answers exactly right"
    if not rows:
        rows, key, measure = _first_share(sections["metrics"].rows)
    numbers = [
        Number(
            report.labels[row["cohort"]],
            row[key],
            row["low"],
            row["high"],
            row["n_graded"],
            row["n"],
            row.get("chance"),
        )
        for row in rows
        if row[key] is not None
    ]
    gaps = sections["setup_gap"].rows
    few = gaps if len(gaps) <= _GAPS else []
    if len(numbers) > _CARDS:
        shown = sorted(numbers, key=lambda number: -number.value)[:_CARDS]
        return Headline(_sentence(numbers, measure, gaps), measure, shown, len(numbers), few)
    return Headline(_sentence(numbers, measure, gaps), measure, numbers, len(numbers), few)


def _first_share(rows: Sequence[Row]) -> tuple[list[Row], str, str]:
    """Of a task that is not diary recall the first metric that is a share, of every cohort."""
    shares = [row for row in rows if row["mean"] is not None and row["smallest"] >= 0 and row["largest"] <= 1]
    if not shares:
        return [], "mean", ""
    name = next((row["metric"] for row in shares if "exact_match" in row["metric"]), shares[0]["metric"])
    first = {row["cohort"]: row for row in reversed(shares) if row["metric"] == name}
    return [first[cohort] for cohort in sorted(first)], "mean", name.replace("_", " ")


def _sentence(numbers: Sequence[Number], measure: str, gaps: Sequence[Row]) -> str:
    if not numbers:
        return "Nothing has been scored yet."
    best = max(numbers, key=lambda number: number.value)
    if measure != "Whole answers exactly right":
        return f"{best.label}: {measure} {best.value:.0%}"
    if len(gaps) == 1 and len(numbers) == 2:
        gap = gaps[0]
        return (
            f"{gap['accuracy_simplified']:.0%} of diaries recalled exactly when each was one document, "
            f"{gap['accuracy_standard']:.0%} when its entries were documents apart."
        )
    if len(numbers) == 1:
        return f"{best.label} recalls {best.value:.0%} of diaries exactly."
    return f"{best.label} recalls most: {best.value:.0%} of diaries exactly."
