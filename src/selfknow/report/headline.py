"""What a report says first: one sentence and a few numbers, each with its interval and chance line."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from selfknow.report.gather import Report
from selfknow.report.numbers import number
from selfknow.report.shape import Headline, Measure, Note, Number
from selfknow.report.text import listed

MOST_NUMBERS = 12
"""Of one measure; more are left to the figure."""


@dataclass(frozen=True)
class Topic:
    """One task's numbers.

    Attributes:
        task: Its name.
        title: What it asks of a model.
        measures: Its measures.
    """

    task: str
    title: str
    measures: Sequence[Measure]


@dataclass(frozen=True)
class FirstScreen:
    """What a report says first.

    Attributes:
        sentence: The finding, in words.
        large: The measure whose numbers stand large, those that could be graded; null: the topics' numbers stand small.
        topics: The numbers of each task.
        notes: More findings.
    """

    sentence: str
    large: Measure | None = None
    topics: Sequence[Topic] = ()
    notes: Sequence[Note] = ()

    @property
    def numbers(self) -> Sequence[Number]:
        """Of the large measure a few numbers, the highest if there are many."""
        if self.large is None or len(self.large.numbers) <= MOST_NUMBERS:
            return self.large.numbers if self.large is not None else ()
        return sorted(self.large.numbers, key=_value, reverse=True)[:MOST_NUMBERS]

    @property
    def several(self) -> bool:
        """Whether the numbers of the topics are of more than one model, or way of asking."""
        numbers = [one for topic in self.topics for measure in topic.measures for one in measure.numbers]
        return len({one.label for one in numbers}) > 1


def headline(report: Report) -> FirstScreen:
    """Return the first screen of a report, whose sentence ends with what could not be graded."""
    first = _first_screen(report)
    if not report.missing:
        return first
    return replace(first, sentence=" ".join([f"{first.sentence.removesuffix('.')}.", *report.missing]))


def _first_screen(report: Report) -> FirstScreen:
    by_task = [(task, one) for task in report.tasks if (one := task.headline(report)) and one.measures]
    if not by_task:
        return _first_share(report)
    headlines = [one for _, one in by_task]
    notes = [note for one in headlines for note in one.notes]
    alone = headlines[0] if len(headlines) == 1 else None
    sentence = (alone and alone.sentence) or _sentence(report, headlines)
    if alone is not None and alone.first_is_large:
        return FirstScreen(sentence, _graded(alone.measures[0]), notes=notes)
    return FirstScreen(sentence, None, [Topic(task.name, task.question, one.measures) for task, one in by_task], notes)


def _graded(measure: Measure) -> Measure | None:
    graded = [one for one in measure.numbers if one.value is not None]
    return Measure(measure.name, graded, measure.query, measure.chance_name, measure.is_change) if graded else None


def _sentence(report: Report, headlines: Sequence[Headline]) -> str:
    """The first number of every task where there is one model, else what the page is about."""
    models = set(report.labels.models.values())
    if len(models) > 1 or any(len(one.measures[0].numbers) > 1 for one in headlines):
        measures = [measure for one in headlines for measure in one.measures]
        if len(models) == 1:
            return f"What {next(iter(models))} knows about what it knows{_beside_chance(measures)}"
        return f"What {len(models)} models know about what they know{_beside_chance(measures)}"
    sayings = [one.saying for one in headlines if one.saying is not None]
    return f"{next(iter(models))} {listed(sayings)}." if sayings else "Nothing could be graded."


def _beside_chance(measures: Sequence[Measure]) -> str:
    """How many numbers beat their chance line, and how many fall below it."""
    numbers = [one for measure in measures for one in measure.numbers if one.chance is not None]
    if not numbers:
        return ""
    above, below = (sum(getattr(one, kind) for one in numbers) for kind in ("is_above_chance", "is_below_chance"))
    fall = f", {below} {'falls' if below == 1 else 'fall'} below it" if below else ""
    return f": {above} of {len(numbers)} numbers beat chance{fall}"


def _first_share(report: Report) -> FirstScreen:
    """Of tasks without a headline the first metric that is a share, of every cohort."""
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


def _value(one: Number) -> float:
    return one.value or 0.0
