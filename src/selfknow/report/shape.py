"""The types that tasks hand to a report: figures, headlines and marked replies, the same for page and Markdown."""

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
        title: The difference to the figure's other charts; empty for the only chart.
        chart: The chart.
        columns: Charts side by side in a picture; a page fits them to its width.
        group: A heading that neighbouring charts share, such as a suite of models; empty: none.
    """

    title: str
    chart: "alt.LayerChart | Redrawn"
    columns: int = 1
    group: str = ""


Draw = Callable[[Sequence[Row]], Sequence[Panel]]
"""A function from rows with short labels of models and cohorts (see :mod:`.labels`) to charts."""


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
        draw: The charts, without those of ``named``; null: there are no others, or the figure is only a table.
        nothing: The reason if there are no rows; null: nothing of the task was scored.
        shares: Columns of the table that are written as percentages, with their ``…_low`` and ``…_high``. Columns named
            ``share``, ``low``, ``high`` and ``chance`` always are.
        named: Charts under a paper's own name, such as ``figure-5``, which come first. The whole figure has the name of
            its query with hyphens, such as ``recalled-documents``.
        compares: A column of which the figure compares several values, such as ``num_parameters``; with a single value
            there is no figure. Null: it compares nothing.
        title: Its name in the page's list of figures, in a few words; empty: its query's question.
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
        high: The upper end.
        n_graded: Graded replies.
        n: Questions that were asked.
        chance: The value without any knowledge; null if there is no chance line.
        yes: The numerator of a share; null of a mean or a difference.
        of: The denominator of a share.
        unit: The things that a mean is over, such as ``questions``; may be empty.
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
        """The share in counts, or the number of values that a mean or a difference is over.

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
        """Compare it with its chance line, in words; without an interval return the line's name alone.

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
    """A measure of all models.

    Attributes:
        name: The name of the measure.
        numbers: A number per model.
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
        text: The beginning of the sentence: ``OPT 7M, 1k: one document instead of several is worth``.
        value: The number, ``+42 points``.
        interval: Its interval, ``+30 to +50``.
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
        numbers: The numbers of the sentence, each under its own name, with intervals and counts.
        chance_name: The name of their chance line.
        setting: A label that distinguishes it from the other findings; empty if nothing does, or the sentence says it.
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
        """The model, and what else tells the finding from others."""
        return " · ".join(part for part in (self.model, self.setting) if part)


@dataclass(frozen=True)
class Headline:
    """The headline of a task.

    Attributes:
        findings: The answers to the task's question, one for each model and way of asking.
        measures: All numbers, the most important measure first.
        notes: More findings.
    """

    findings: Sequence[Finding]
    measures: Sequence[Measure]
    notes: Sequence[Note] = ()


@dataclass(frozen=True)
class Piece:
    """A stretch of a reply.

    Attributes:
        text: The stretch, with visible control characters.
        kind: ``right``, ``wrong``, ``beyond``, ``foreign``, ``repeated``, ``aside`` (not graded) or empty.
        quoted: True if the portrait's corpus has it.
    """

    text: str
    kind: str = ""
    quoted: bool = False


@dataclass(frozen=True)
class Verdict:
    """The grade of a reply or an example, or the answer to a question about a model.

    Attributes:
        text: The grade in a word or two.
        is_good: True if that is good; null: neither good nor bad.
    """

    text: str
    is_good: bool | None


@dataclass(frozen=True)
class ShownReply:
    """A reply on the page.

    Attributes:
        heading: The question or the prompt that it replies to; may be empty.
        pieces: Its text.
        more_characters: The number of characters that are not shown.
        verdict: Its grade; null: it was not graded.
        notes: Scores and the like, a few words each.
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
        verdict: The difference between the replies, or the grade of the only one.
        notes: The right answer and the like, a few words each.
        target: The true answer in full, behind a fold; null if there is none.
        prompt: The whole prompt, behind a fold; null: the heading is all of it.
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
        notes: More about all of them, a few words each.
        lacking: A sentence about what is missing and how to get it; null: nothing is.
    """

    label: str
    examples: Sequence[Example]
    notes: Sequence[str] = ()
    lacking: str | None = None


@dataclass(frozen=True)
class Exhibit:
    """Marked replies of a task.

    Attributes:
        name: The name of its section on the page, a word.
        title: Its heading, a question.
        legend: The meaning of the marks, in marked pieces.
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
        """The verdicts of its examples, each once."""
        examples = (example for group in self.groups for example in group.examples)
        return list(dict.fromkeys(example.verdict.text for example in examples if example.verdict))
