"""The types of a report's parts that tasks provide: figures, headlines and marked replies."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

    from selfknow.report.charts import Redrawn
    from selfknow.sql.queries import Query

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Panel:
    """A chart of a figure.

    Attributes:
        title: A name that distinguishes it from the figure's other charts; empty for the only chart.
        chart: The chart.
        columns: The number of charts side by side in a picture; a page fits them to its width.
        group: A heading that neighbouring charts share, such as a suite of models; may be empty.
    """

    title: str
    chart: "alt.LayerChart | Redrawn"
    columns: int = 1
    group: str = ""


Draw = Callable[[Sequence[Row]], Sequence[Panel]]
"""A function that draws charts of rows, which have short labels of models and cohorts (see :mod:`.labels`)."""


def panel_groups(panels: Sequence[Panel]) -> dict[str, list[Panel]]:
    """Return the panels by the heading that they share, in the order of the headings."""
    groups: dict[str, list[Panel]] = {}
    for panel in panels:
        groups.setdefault(panel.group, []).append(panel)
    return groups


@dataclass(frozen=True)
class Figure:
    """The charts and the table of a query's rows.

    Attributes:
        reading: A sentence that says how to read them.
        draw: Function that draws the charts except those of ``named``; null if there are no others.
        nothing: The message if there are no rows; null says that nothing of the task was scored.
        shares: Columns that the table shows as percentages, together with their ``…_low`` and ``…_high``. The columns
            ``share``, ``low``, ``high`` and ``chance`` are always shown so.
        named: Functions that draw charts with a paper's name, such as ``figure-5``; these charts come first. The whole
            figure has the name of its query with hyphens, such as ``recalled-documents``.
        compares: A column whose values the figure compares, such as ``num_parameters``; if it has only one value, the
            figure is left out. Null if the figure compares nothing.
        title: Its name in the page's list of figures, in a few words; if empty, the question of its query.
    """

    reading: str
    draw: Draw | None = None
    nothing: str | None = None
    shares: Sequence[str] = ()
    named: Mapping[str, Draw] = field(default_factory=dict)
    compares: str | None = None
    title: str = ""


@dataclass(frozen=True)
class Number:
    """A number of one model.

    Attributes:
        label: The label of the model or cohort.
        value: A share, or the difference of two shares; null if nothing could be graded.
        low: The lower end of its 95% interval; null if there are too few questions.
        high: The upper end of that interval.
        n_graded: The number of graded replies.
        n: The number of questions.
        chance: The value without any knowledge; null if there is no chance line.
        yes: The numerator of a share; null for a mean or a difference.
        of: The denominator of a share.
        unit: The unit that a mean is taken over, such as ``questions``; may be empty.
    """

    label: str
    value: float | None
    low: float | None
    high: float | None
    n_graded: int
    n: int
    chance: float | None = None
    yes: float | None = None
    of: int | None = None
    unit: str = ""

    @property
    def counts(self) -> str:
        """The share as counts, such as ``2 of 41``, or the number of values of a mean or a difference.

        Example:
            >>> Number("a", 2 / 41, 0.01, 0.16, 37, 48, yes=2, of=41).counts, Number("a", 0.3, 0.2, 0.4, 64, 64).counts
            ('2 of 41', 'n = 64')
        """
        if self.yes is None or self.of is None or self.yes != round(self.yes):
            n = self.n_graded if self.of is None else self.of
            return f"{n:,} {self.unit}" if self.unit else f"n = {n:,}"
        return f"{round(self.yes):,} of {self.of:,}"

    @property
    def is_below_chance(self) -> bool:
        """True if the whole interval is below the chance line."""
        return self.chance is not None and self.high is not None and self.high < self.chance

    @property
    def is_above_chance(self) -> bool:
        """True if the whole interval is above the chance line."""
        return self.chance is not None and self.low is not None and self.low > self.chance

    def compare(self, chance_name: str = "chance") -> str:
        """Compare it with its chance line, in words; without an interval, return only the line's name.

        Example:
            >>> Number("a", 0.1, 0.0, 0.2, 50, 50, 0.5).compare(), Number("a", 0.5, 0.4, 0.6, 50, 50, 0.5).compare()
            ('below chance', 'no different from chance')
        """
        if self.low is None or self.high is None:
            return chance_name
        if self.is_below_chance or self.is_above_chance:
            return f"{'below' if self.is_below_chance else 'above'} {chance_name}"
        return f"no different from {chance_name}"


@dataclass(frozen=True)
class Measure:
    """A measure, with the numbers of all models.

    Attributes:
        name: The name of the measure.
        numbers: A number for each model.
        query: The query that computes it.
        chance_name: The name of its chance line.
        is_change: True if its numbers are differences, from -1 to 1.
    """

    name: str
    numbers: Sequence[Number]
    query: "Query"
    chance_name: str = "chance"
    is_change: bool = False

    @property
    def goes_below_zero(self) -> bool:
        """True if its axis goes from -1 to 1: the numbers are differences, or a number is below 0."""
        return self.is_change or any((number.low or 0) < 0 or (number.value or 0) < 0 for number in self.numbers)


@dataclass(frozen=True)
class Note:
    """A finding beside the headline, such as the gap between two settings.

    Attributes:
        text: The beginning of a sentence, such as ``OPT 7M, 1k: one document instead of several is worth``.
        value: The number that ends the sentence, such as ``+42 points``.
        interval: Its interval, such as ``+30 to +50``.
    """

    text: str
    value: str
    interval: str


@dataclass(frozen=True)
class Finding:
    """The answer to a task's question for one model, asked in one way.

    Attributes:
        model: The label of the model.
        verdict: The answer in a word or two.
        sentence: The answer in a sentence, with its numbers.
        numbers: The numbers of the sentence, each with its name, interval and counts.
        chance_name: The name of their chance line.
        setting: A label that distinguishes it from the model's other findings; empty if it is the only one, or if the
            sentence says it.
        detail: A sentence in small print, such as a difference and its interval; may be empty.
    """

    model: str
    verdict: "Verdict"
    sentence: str
    numbers: Sequence[Number]
    chance_name: str = "chance"
    setting: str = ""
    detail: str = ""

    @property
    def label(self) -> str:
        """The model and the setting."""
        return " · ".join(part for part in (self.model, self.setting) if part)


@dataclass(frozen=True)
class Headline:
    """The headline of a task.

    Attributes:
        findings: The answers to the task's question, one for each model and way of asking.
        measures: All measures, the most important first.
        notes: Further findings.
    """

    findings: Sequence[Finding]
    measures: Sequence[Measure]
    notes: Sequence[Note] = ()


@dataclass(frozen=True)
class Piece:
    """A part of a reply's text.

    Attributes:
        text: The text, with visible control characters.
        kind: ``right``, ``wrong``, ``beyond``, ``foreign``, ``repeated``, ``aside`` (not graded) or empty.
        quoted: True if the text stands in the portrait's corpus.
    """

    text: str
    kind: str = ""
    quoted: bool = False


@dataclass(frozen=True)
class Verdict:
    """The grade of a reply or an example, or the answer to a question about a model.

    Attributes:
        text: The grade in a word or two.
        is_good: True for a good grade, false for a bad one, null for neither.
    """

    text: str
    is_good: bool | None


@dataclass(frozen=True)
class ShownReply:
    """A reply on the page.

    Attributes:
        heading: The question or the prompt that it replies to; may be empty.
        pieces: Its text, in marked parts.
        more_characters: The number of characters that are not shown.
        verdict: Its grade; null if it was not graded.
        notes: Notes of a few words each, such as scores.
        error: The reason if there is no reply; else null.
        first_answer: The answer of an earlier step; null if there was no such step.
    """

    heading: str
    pieces: Sequence[Piece]
    more_characters: int = 0
    verdict: Verdict | None = None
    notes: Sequence[str] = ()
    error: str | None = None
    first_answer: str | None = None


@dataclass(frozen=True)
class Example:
    """Replies to one question, side by side.

    Attributes:
        heading: The question, or its subject.
        replies: One or two replies; all examples of a group have the same number, under the same headings.
        verdict: The difference between the replies, or the grade of the only reply.
        notes: Notes of a few words each, such as the right answer.
        target: The full true answer, shown behind a fold; null if there is none.
        prompt: The whole prompt, shown behind a fold; null if the heading is the whole prompt.
    """

    heading: str
    replies: Sequence[ShownReply]
    verdict: Verdict | None = None
    notes: Sequence[str] = ()
    target: str | None = None
    prompt: str | None = None


@dataclass(frozen=True)
class ExampleGroup:
    """Examples of one model, setting or prompt.

    Attributes:
        label: The name of the model, setting or prompt.
        examples: The examples.
        notes: Notes of a few words each about all of them.
        lacking: A sentence that says which data is missing and how to get it; null if none is.
    """

    label: str
    examples: Sequence[Example]
    notes: Sequence[str] = ()
    lacking: str | None = None


@dataclass(frozen=True)
class Exhibit:
    """Marked replies of a task.

    Attributes:
        name: The name of its section on the page, in one word.
        title: Its heading, a question.
        legend: The meaning of the marks, as marked pieces.
        groups: The replies.
        query: The query that chose them.
        source: A sentence about the choice of replies; may be empty.
    """

    name: str
    title: str
    legend: Sequence[Piece]
    groups: Sequence[ExampleGroup]
    query: "Query"
    source: str = ""

    @property
    def verdicts(self) -> list[str]:
        """The distinct verdicts of its examples."""
        examples = (example for group in self.groups for example in group.examples)
        return list(dict.fromkeys(example.verdict.text for example in examples if example.verdict))
