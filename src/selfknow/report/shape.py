"""What tasks give to a report: figures, first numbers and marked replies, without any knowledge of page or Markdown."""

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
    """One chart of a figure.

    Attributes:
        title: What sets it apart from the figure's other ones; empty if it stands alone.
        chart: The chart.
        columns: How many of its kind stand side by side in a picture; a page fits them to its width.
        group: A heading that neighbouring charts share, such as a suite of models; empty: none.
    """

    title: str
    chart: "alt.LayerChart | Redrawn"
    columns: int = 1
    group: str = ""


Draw = Callable[[Sequence[Row]], Sequence[Panel]]
"""From rows, in which models and cohorts have short labels (see :mod:`.labels`), to charts."""


def panel_groups(panels: Sequence[Panel]) -> dict[str, list[Panel]]:
    """Panels by the heading that they share, in the order in which the headings come."""
    found: dict[str, list[Panel]] = {}
    for panel in panels:
        found.setdefault(panel.group, []).append(panel)
    return found


@dataclass(frozen=True)
class Figure:
    """How a report shows a query's rows.

    Attributes:
        reading: How to read them, in a sentence.
        draw: Its charts, those of ``named`` aside; null: it has no others, or is a table alone.
        nothing: Why there may be no rows; null: because nothing of the task was scored.
        shares: Columns of the table that are written as percentages, with their ``…_low`` and ``…_high``; those whose
            name says ``share``, ``low``, ``high`` and ``chance`` always are.
        named: Charts under a paper's own name, such as ``figure-5``, which come first. The whole figure has the name of
            its query with hyphens, such as ``recalled-documents``.
    """

    reading: str
    draw: Draw | None = None
    nothing: str | None = None
    shares: Sequence[str] = ()
    named: Mapping[str, Draw] = field(default_factory=dict)


@dataclass(frozen=True)
class Number:
    """A number of one model.

    Attributes:
        label: Whose.
        value: A share, or the difference of two; null where nothing could be graded.
        low: Where its 95% interval begins; null for too few questions.
        high: Where it ends.
        n_graded: How many it is over.
        n: How many were asked.
        chance: What could be had without knowing anything, where there is such a line.
    """

    label: str
    value: float | None
    low: float | None
    high: float | None
    n_graded: int
    n: int
    chance: float | None = None

    @property
    def is_below_chance(self) -> bool:
        """Whether all of its interval lies below its chance line."""
        return self.chance is not None and self.high is not None and self.high < self.chance

    @property
    def is_above_chance(self) -> bool:
        """Whether all of its interval lies above its chance line."""
        return self.chance is not None and self.low is not None and self.low > self.chance

    def beside(self, chance_name: str = "chance") -> str:
        """How it compares with its chance line: ``above chance``, or the name alone where it has no interval.

        Example:
            >>> Number("a", 0.1, 0.0, 0.2, 50, 50, 0.5).beside(), Number("a", 0.5, 0.4, 0.6, 50, 50, 0.5).beside()
            ('below chance', 'no different from chance')
        """
        if self.low is None or self.high is None:
            return chance_name
        if self.is_below_chance or self.is_above_chance:
            return f"{'below' if self.is_below_chance else 'above'} {chance_name}"
        return f"no different from {chance_name}"


@dataclass(frozen=True)
class Measure:
    """One measure of all models.

    Attributes:
        name: What it measures.
        numbers: A number a model.
        query: What gives it.
        chance_name: What its chance line is.
        is_change: Whether its numbers are differences, from -1 to 1.
    """

    name: str
    numbers: Sequence[Number]
    query: "Query"
    chance_name: str = "chance"
    is_change: bool = False

    @property
    def goes_below_zero(self) -> bool:
        """Whether its numbers are drawn from -1 to 1: they are differences, or one of them lies below 0."""
        return self.is_change or any((one.low or 0) < 0 or (one.value or 0) < 0 for one in self.numbers)


@dataclass(frozen=True)
class Note:
    """A finding beside the headline, such as the gap between two settings.

    Attributes:
        text: What it is about: ``OPT 7M, 1k: one document instead of several is worth``.
        value: The number, ``+42 points``.
        interval: Its interval, ``+30 to +50``.
    """

    text: str
    value: str
    interval: str


@dataclass(frozen=True)
class Headline:
    """What a report says first of one task.

    Attributes:
        sentence: The finding in words, where the report is about this task alone; null: the name of the only model and
            ``saying``, or how many models there are.
        saying: What follows the name of the only model: "knows 24% of its facts"; null where nothing could be
            graded.
        measures: The first one is the headline; three or four at most.
        notes: More findings.
        first_is_large: Whether the first measure stands large and alone, where the report is about this task alone.
    """

    sentence: str | None
    saying: str | None
    measures: Sequence[Measure]
    notes: Sequence[Note] = ()
    first_is_large: bool = False


@dataclass(frozen=True)
class Piece:
    """A stretch of a reply.

    Attributes:
        text: The stretch, its control characters made visible.
        kind: What it is: ``right``, ``wrong``, ``beyond``, ``foreign``, ``repeated``, ``aside`` (no part of what
            counts) or empty.
        quoted: Whether the portrait's corpus has it.
    """

    text: str
    kind: str = ""
    quoted: bool = False


@dataclass(frozen=True)
class Verdict:
    """How something was graded.

    Attributes:
        text: In a word or two.
        is_good: Whether that is good; null: neither good nor bad.
    """

    text: str
    is_good: bool | None


@dataclass(frozen=True)
class ShownReply:
    """A reply as it is shown.

    Attributes:
        heading: What it is a reply to, or under; may be empty.
        pieces: Its text.
        more_characters: How many are not shown.
        verdict: How it was graded; null: not at all.
        notes: Scores and the like, a few words each.
        error: Why there is none; null where there is one.
        first_answer: What an earlier step answered, where there was one.
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
        heading: The question, or what it is about.
        replies: One or two; all examples of a group have as many, under the same headings.
        verdict: What sets the replies apart, or how the only one was graded.
        notes: Such as the wanted answer, a few words each.
        target: The true answer in full, behind a fold; null where there is none.
    """

    heading: str
    replies: Sequence[ShownReply]
    verdict: Verdict | None = None
    notes: Sequence[str] = ()
    target: str | None = None


@dataclass(frozen=True)
class ExampleGroup:
    """Examples of one model, setting or prompt.

    Attributes:
        label: What they share.
        examples: The examples.
        notes: More of what they share, a few words each.
        lacking: What is lacking, and how to mend it.
    """

    label: str
    examples: Sequence[Example]
    notes: Sequence[str] = ()
    lacking: str | None = None


@dataclass(frozen=True)
class Exhibit:
    """Marked replies of a task.

    Attributes:
        name: Of its section on the page, a word.
        title: Its heading, a question.
        legend: What the marks mean, itself in marked pieces.
        groups: The replies.
        query: What chose them.
        source: Which of the replies are shown; may be empty.
    """

    name: str
    title: str
    legend: Sequence[Piece]
    groups: Sequence[ExampleGroup]
    query: "Query"
    source: str = ""
