"""The names of single figures, and the search for one among the tasks of a connection's runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from selfknow.errors import UserError, nearest
from selfknow.report.shape import Figure
from selfknow.report.task import TaskReport


@dataclass(frozen=True)
class NamedFigure:
    """A figure, or a part of it that a paper names.

    Attributes:
        task: The name of its task.
        name: The name within the task: ``figure-5``, or its query's name with hyphens.
        query: The name of its query.
        figure: The figure.
        part: The name among its ``named`` charts; null: the whole figure.
    """

    task: str
    name: str
    query: str
    figure: Figure
    part: str | None = None


def figure_names(task: TaskReport) -> Iterator[NamedFigure]:
    """Yield the drawn figures of a task: under the names of a paper first, then under the query's name."""
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
    wanted = name.strip().lower().replace("_", "-").replace(" ", "-")
    matches = [figure for figure in known if wanted in (figure.name, f"{figure.task}/{figure.name}")]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise UserError(f"{name} is a figure of several tasks: take {' or '.join(_full(figure) for figure in matches)}")
    if not known:
        raise UserError(f"there is no figure {name!r}: these runs' tasks have none")
    listed = [figure.name if len(tasks) == 1 else _full(figure) for figure in known]
    wanted = f"figure-{wanted}" if wanted.isdigit() else wanted
    raise UserError(f"there is no figure {name!r}{nearest(wanted, listed)}")


def _full(figure: NamedFigure) -> str:
    return f"{figure.task}/{figure.name}"
