"""The first screen of a report, which answers each question by a verdict and a sentence with its numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

from selfknow.report.gather import Report
from selfknow.report.numbers import number
from selfknow.report.shape import Finding, Measure, Note, Verdict

MOST_NUMBERS = 12
"""The largest number of findings of a question, and of numbers of a measure; the figures show all of them."""
_IT_DEPENDS = Verdict("It depends", is_good=None)


@dataclass(frozen=True)
class Topic:
    """The answer to a task's question.

    Attributes:
        task: The name of the task.
        title: Its question about a model.
        about: A sentence about the question; may be empty.
        findings: The answers, one for each model and way of asking.
        measures: All measures of the task, with their numbers.
        notes: Further findings.
    """

    task: str
    title: str
    about: str
    findings: Sequence[Finding]
    measures: Sequence[Measure]
    notes: Sequence[Note] = ()

    @property
    def verdict(self) -> Verdict | None:
        """The verdict that all findings share, or "It depends" if they differ; null without findings."""
        verdicts = {finding.verdict for finding in self.findings}
        return _IT_DEPENDS if len(verdicts) > 1 else next(iter(verdicts), None)

    @property
    def is_unanimous(self) -> bool:
        """True if all findings share the verdict."""
        return self.verdict != _IT_DEPENDS

    @property
    def labels(self) -> list[str]:
        """The distinct labels of the findings."""
        return list(dict.fromkeys(finding.label for finding in self.findings))


@dataclass(frozen=True)
class FirstScreen:
    """The first screen of a report.

    Attributes:
        title: The title of the report.
        topics: The answer to each question.
        missing: Sentences about replies that could not be graded.
    """

    title: str
    topics: Sequence[Topic] = ()
    missing: Sequence[str] = ()


def headline(report: Report) -> FirstScreen:
    """Return the first screen of a report."""
    topics = [
        Topic(task.name, task.question, task.about, first.findings, first.measures, first.notes)
        for task in report.tasks
        if (first := task.headline(report)) and first.measures
    ]
    if topics:
        return FirstScreen(_title(topics), topics, report.missing)
    return _first_share(report)


def _title(topics: Sequence[Topic]) -> str:
    models = list(dict.fromkeys(finding.model for topic in topics for finding in topic.findings))
    if not models:
        return "Nothing could be graded."
    if len(models) == 1:
        return f"What {models[0]} knows about what it knows"
    return f"What {len(models)} models know about what they know"


def _first_share(report: Report) -> FirstScreen:
    """Return the first metric that is a share, of every cohort, for tasks without a headline."""
    rows = report.rows_of("metrics")
    shares = [row for row in rows if row["mean"] is not None and row["smallest"] >= 0 and row["largest"] <= 1]
    if not shares:
        return FirstScreen("Nothing has been scored yet.", missing=report.missing)
    name = next((row["metric"] for row in shares if "exact_match" in row["metric"]), shares[0]["metric"])
    first_rows = {row["cohort"]: row for row in reversed(shares) if row["metric"] == name}  # the first of each cohort
    numbers = [number(row["label"], row, "mean") for _, row in sorted(first_rows.items())]
    measure = Measure(name.replace("_", " "), numbers, report.queries["metrics"])
    best = max(numbers, key=lambda number: number.value or 0.0)
    title = f"{best.label}: {measure.name} {best.value or 0:.0%}"
    return FirstScreen(title, [Topic("any", measure.name, "", (), [measure])], report.missing)
