"""A task's part of a report. Each task defines it in its ``report.py``, which is loaded only to make a report."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from selfknow.report.shape import Exhibit, Figure, Headline

if TYPE_CHECKING:
    from selfknow.report.gather import Report
    from selfknow.sql.connection import Connection


def default_headline(report: "Report") -> Headline | None:
    """Return no headline, for tasks that define none."""
    return None


def default_exhibits(connection: "Connection") -> Sequence[Exhibit]:
    """Return no exhibits, for tasks whose replies are not shown."""
    return ()


def default_missing(connection: "Connection") -> str | None:
    """Return null, for tasks whose scoring needs no further data."""
    return None


@dataclass(frozen=True, kw_only=True, eq=False)
class TaskReport:
    """The figures, headline and exhibits of a task.

    Attributes:
        name: The task's name.
        question: The task's question about a model, such as "Does it know what it does not know?".
        about: A sentence that explains the task to a newcomer.
        figures: Figures by the name of their query, in the order of the page.
        headline: Function that returns the task's headline numbers.
        exhibits: Function that returns the marked replies of the task.
        terms: The meanings of words in its rows and labels, such as ``standard``.
        missing: Function that returns a sentence about replies that could not be graded because data was missing, or
            null if all could be graded.
    """

    name: str
    question: str
    about: str = ""
    figures: Mapping[str, Figure] = field(default_factory=dict)
    terms: Mapping[str, str] = field(default_factory=dict)
    headline: "Callable[[Report], Headline | None]" = default_headline
    exhibits: "Callable[[Connection], Sequence[Exhibit]]" = default_exhibits
    missing: "Callable[[Connection], str | None]" = default_missing
