"""What a report says first: one sentence and a few numbers, each with its interval and chance line."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from selfknow.evaluate.report.gather import Report, Row
from selfknow.evaluate.report.topics import Number, Topic, topics

_CARDS = 12
_EXACT = "Whole answers exactly right"
DIARY_RECALL = "diary-recall"
_GAPS = 3  # more of them are left to their figure


@dataclass(frozen=True)
class Headline:
    """What a report says first.

    Attributes:
        sentence: The finding, in words.
        measure: What the numbers are.
        numbers: A few of them, the highest if there are many.
        all_numbers: How many there are.
        gaps: What the setups differ by, if these are a few.
        topics: A few numbers of each task, where there are runs of another task than diary recall.
    """

    sentence: str
    measure: str
    numbers: Sequence[Number]
    all_numbers: int
    gaps: Sequence[Row]
    topics: Sequence[Topic] = ()

    @property
    def several(self) -> bool:
        """Whether the numbers of the topics are of more than one model, or way of asking."""
        numbers = [number for topic in self.topics for measure in topic.measures for number in measure.numbers]
        return len({number.label for number in numbers}) > 1


def headline(report: Report) -> Headline:
    """The first screen of a report."""
    found = topics(report)
    gaps = report.rows_of("setup_gap")
    few = gaps if len(gaps) <= _GAPS else []
    if any(topic.task != DIARY_RECALL for topic in found):
        return Headline(_all_tasks(report, found), "", (), 0, few, found)
    rows, key, measure = report.rows_of("accuracy_by_size"), "accuracy", _EXACT
    if not rows:
        rows, key, measure = _first_share(report.rows_of("metrics"))
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
    if len(numbers) > _CARDS:
        shown = sorted(numbers, key=_value, reverse=True)[:_CARDS]
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
    best = max(numbers, key=_value)
    if measure != _EXACT:
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


def _all_tasks(report: Report, found: Sequence[Topic]) -> str:
    """The first number of every task where there is one model, else what the page is about."""
    models = set(report.model_labels.values())
    firsts = {topic.task: topic.measures[0].numbers for topic in found}
    if len(models) > 1 or any(len(numbers) > 1 for numbers in firsts.values()):
        if len(models) == 1:
            return f"What {next(iter(models))} knows about what it knows"
        return f"What {len(models)} models know about what they know"
    said = [_SAYINGS[task](number) for task, (number, *_) in firsts.items() if number.value is not None]
    if not said:
        return "Nothing could be graded."
    listed = said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
    return f"{next(iter(models))} {listed}."


def _value(number: Number) -> float:
    assert number.value is not None, "what cannot be graded is no headline number"
    return number.value


def _quotes(number: Number) -> str:
    """What prompts change, where the interval says that they do."""
    if number.low is None or number.high is None or number.low <= 0 <= number.high:
        return "quotes neither measurably more nor less when asked to"
    change = _value(number)
    return f"quotes {abs(change) * 100:.0f} points {'more' if change > 0 else 'less'} when asked to"


_SAYINGS: Mapping[str, Callable[[Number], str]] = {
    DIARY_RECALL: lambda number: f"recalls {_value(number):.0%} of diaries exactly",
    "self-aware": lambda number: f"knows what it does not know with F1 {_value(number):.2f}",
    "self-knowledge": lambda number: f"agrees with {_value(number):.0%} of what it wrote",
    "according-to": _quotes,
}
