"""The shape of what a task shows in a report; each task has one, in its ``report.py``, loaded when a report is made."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from selfknow.report.shape import Exhibit, Figure, Headline

if TYPE_CHECKING:
    from selfknow.report.gather import Report
    from selfknow.sql.connection import Connection


def no_headline(report: "Report") -> Headline | None:
    """Return no headline: the default of a task without a number of its own."""
    return None


def no_exhibits(connection: "Connection") -> Sequence[Exhibit]:
    """Return no exhibits: the default of a task whose replies are not shown."""
    return ()


def nothing_missing(connection: "Connection") -> str | None:
    """Return that scoring had all that it needs: the default of a task that needs nothing from elsewhere."""
    return None


@dataclass(frozen=True, kw_only=True, eq=False)
class TaskReport:
    """What a task shows in a report.

    Attributes:
        name: The task's name.
        question: What it asks of a model, for people.
        figures: Figures by the name of their query, in their order.
        headline: Returns what a report says first.
        exhibits: Returns replies that a report shows, marked.
        missing: Says in a sentence what could not be graded because scoring could not get what it needs; null: nothing.
    """

    name: str
    question: str
    figures: Mapping[str, Figure] = field(default_factory=dict)
    headline: "Callable[[Report], Headline | None]" = no_headline
    exhibits: "Callable[[Connection], Sequence[Exhibit]]" = no_exhibits
    missing: "Callable[[Connection], str | None]" = nothing_missing
