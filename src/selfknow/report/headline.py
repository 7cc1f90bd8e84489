"""The first screen of a report: a sentence and a few numbers, each with its interval and chance line."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from selfknow.report.gather import Report
from selfknow.report.numbers import number
from selfknow.report.shape import Headline, Measure, Note, Number
from selfknow.report.text import listed

MOST_NUMBERS = 12
"""The most numbers of a measure; the figure shows the others."""


@dataclass(frozen=True)
class Topic:
    """The numbers of a task.

    Attributes:
        task: The name of the task.
        title: Its question about a model.
        measures: Its measures.
    """

    task: str
    title: str
    measures: Sequence[Measure]


@dataclass(frozen=True)
class FirstScreen:
    """The first screen of a report.

    Attributes:
        sentence: The finding, in words.
        large: The measure whose graded numbers are shown large; null: the numbers of the topics are shown, smaller.
        topics: The numbers of each task.
        notes: More findings.
    """

    sentence: str
    large: Measure | None = None
    topics: Sequence[Topic] = ()
    notes: Sequence[Note] = ()

    @property
    def numbers(self) -> Sequence[Number]:
        """The numbers of the large measure; if there are many, the highest."""
        if self.large is None or len(self.large.numbers) <= MOST_NUMBERS:
            return self.large.numbers if self.large is not None else ()
        return sorted(self.large.numbers, key=_value, reverse=True)[:MOST_NUMBERS]

    @property
    def has_several_labels(self) -> bool:
        """True if the numbers of the topics have more than one label, such as several models or prompts."""
        numbers = [number for topic in self.topics for measure in topic.measures for number in measure.numbers]
        return len({number.label for number in numbers}) > 1


def headline(report: Report) -> FirstScreen:
    """Return the first screen of a report; its sentence ends with the replies that could not be graded."""
    first = _first_screen(report)
    if not report.missing:
        return first
    return replace(first, sentence=" ".join([f"{first.sentence.removesuffix('.')}.", *report.missing]))


def _first_screen(report: Report) -> FirstScreen:
    by_task = [(task, first) for task in report.tasks if (first := task.headline(report)) and first.measures]
    if not by_task:
        return _first_share(report)
    headlines = [first for _, first in by_task]
    notes = [note for first in headlines for note in first.notes]
    alone = headlines[0] if len(headlines) == 1 else None
    sentence = (alone and alone.sentence) or _sentence(report, headlines)
    if alone is not None and alone.first_is_large:
        return FirstScreen(sentence, _graded(alone.measures[0]), notes=notes)
    topics = [Topic(task.name, task.question, first.measures) for task, first in by_task]
    return FirstScreen(sentence, None, topics, notes)


def _graded(measure: Measure) -> Measure | None:
    graded = [number for number in measure.numbers if number.value is not None]
    return Measure(measure.name, graded, measure.query, measure.chance_name, measure.is_change) if graded else None


def _sentence(report: Report, headlines: Sequence[Headline]) -> str:
    """Return the first number of every task if there is only one model, else the subject of the page."""
    models = set(report.labels.models.values())
    if len(models) > 1 or any(len(first.measures[0].numbers) > 1 for first in headlines):
        measures = [measure for first in headlines for measure in first.measures]
        if len(models) == 1:
            return f"What {next(iter(models))} knows about what it knows{_beside_chance(measures)}"
        return f"What {len(models)} models know about what they know{_beside_chance(measures)}"
    sayings = [first.saying for first in headlines if first.saying is not None]
    return f"{next(iter(models))} {listed(sayings)}." if sayings else "Nothing could be graded."


def _beside_chance(measures: Sequence[Measure]) -> str:
    """Return in words the count of numbers that beat their chance line, and of those below it."""
    numbers = [number for measure in measures for number in measure.numbers if number.chance is not None]
    if not numbers:
        return ""
    above, below = (sum(getattr(number, kind) for number in numbers) for kind in ("is_above_chance", "is_below_chance"))
    fall = f", {below} {'falls' if below == 1 else 'fall'} below it" if below else ""
    return f": {above} of {len(numbers)} numbers beat chance{fall}"


def _first_share(report: Report) -> FirstScreen:
    """Return the first metric that is a share, of every cohort, for tasks without a headline."""
    rows = report.rows_of("metrics")
    shares = [row for row in rows if row["mean"] is not None and row["smallest"] >= 0 and row["largest"] <= 1]
    if not shares:
        return FirstScreen("Nothing has been scored yet.")
    name = next((row["metric"] for row in shares if "exact_match" in row["metric"]), shares[0]["metric"])
    first = {row["cohort"]: row for row in reversed(shares) if row["metric"] == name}
    numbers = [number(row["label"], row, "mean") for _, row in sorted(first.items())]
    measure = Measure(name.replace("_", " "), numbers, report.queries["metrics"])
    best = max(numbers, key=_value)
    return FirstScreen(f"{best.label}: {measure.name} {_value(best):.0%}", measure)


def _value(number: Number) -> float:
    return number.value or 0.0
