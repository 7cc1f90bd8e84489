"""The part of a task in a report. Each task defines one in its ``report.py``, which is loaded when a report is made."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from selfknow.report.shape import Exhibit, Figure, Headline

if TYPE_CHECKING:
    from selfknow.report.gather import Report
    from selfknow.sql.connection import Connection


def default_headline(report: "Report") -> Headline | None:
    """Return no headline, for tasks without a number of their own."""
    return None


def default_exhibits(connection: "Connection") -> Sequence[Exhibit]:
    """Return no exhibits, for tasks whose replies are not shown."""
    return ()


def default_missing(connection: "Connection") -> str | None:
    """Return null, for tasks whose scoring needs nothing from elsewhere."""
    return None


@dataclass(frozen=True, kw_only=True, eq=False)
class TaskReport:
    """The figures, headline and exhibits of a task.

    Attributes:
        name: The task's name.
        question: The task's question about a model, for people.
        about: A sentence about the task, for people who do not know it.
        figures: Figures by the name of their query, in their order.
        headline: A function that returns the task's first numbers.
        exhibits: A function that returns the marked replies of the task.
        terms: The meaning of words that its rows and labels hold, such as ``standard``.
        missing: A function that returns a sentence about replies that could not be graded because scoring lacked
            something; null: nothing was lacking.
    """

    name: str
    question: str
    about: str = ""
    figures: Mapping[str, Figure] = field(default_factory=dict)
    terms: Mapping[str, str] = field(default_factory=dict)
    headline: "Callable[[Report], Headline | None]" = default_headline
    exhibits: "Callable[[Connection], Sequence[Exhibit]]" = default_exhibits
    missing: "Callable[[Connection], str | None]" = default_missing
