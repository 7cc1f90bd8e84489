"""The names of single figures, and the search for a figure by its name."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from selfknow.errors import UserError, nearest
from selfknow.report.shape import Figure
from selfknow.report.task import TaskReport


@dataclass(frozen=True)
class NamedFigure:
    """A figure, or a part of a figure that has a name in a paper.

    Attributes:
        task: The name of its task.
        name: The name within the task: ``figure-5``, or its query's name with hyphens.
        query: The name of its query.
        figure: The figure.
        part: The key in ``figure.named``; null for the whole figure.
    """

    task: str
    name: str
    query: str
    figure: Figure
    part: str | None = None


def figure_names(task: TaskReport) -> Iterator[NamedFigure]:
    """Yield the figures of a task that have charts: first under a paper's names, then under the query's name."""
    for query, figure in task.figures.items():
        for part in figure.named:
            yield NamedFigure(task.name, part, query, figure, part)
        if figure.draw is not None or figure.named:
            yield NamedFigure(task.name, query.replace("_", "-"), query, figure)


def find_figure(name: str, tasks: Sequence[TaskReport]) -> NamedFigure:
    """Find the figure of this name, with or without its task: ``figure-5``, ``TASK/figure-5``.

    Raises:
        UserError: No task has such a figure, or several have; the message suggests names.
    """
    known = [figure for task in tasks for figure in figure_names(task)]
    folded_name = name.strip().lower().replace("_", "-").replace(" ", "-")
    matches = [figure for figure in known if folded_name in (figure.name, _full_name(figure))]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise UserError(f"{name} is a figure of several tasks: name {' or '.join(map(_full_name, matches))}")
    if not known:
        raise UserError(f"there is no figure {name!r}: these runs' tasks have no figures")
    names = [figure.name if len(tasks) == 1 else _full_name(figure) for figure in known]
    similar_name = f"figure-{folded_name}" if folded_name.isdigit() else folded_name
    raise UserError(f"there is no figure {name!r}{nearest(similar_name, names)}")


def _full_name(figure: NamedFigure) -> str:
    return f"{figure.task}/{figure.name}"
