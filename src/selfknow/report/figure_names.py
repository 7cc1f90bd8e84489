"""What single figures are called: finding one by its name among the tasks of a connection's runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from selfknow.errors import UserError, nearest
from selfknow.report.shape import Figure
from selfknow.report.task import TaskReport


@dataclass(frozen=True)
class NamedFigure:
    """A figure, or one of a paper's that it is made of.

    Attributes:
        task: The name of its task.
        name: Within the task: ``figure-5``, or its query's with hyphens.
        query: The name of its query.
        figure: The figure.
        part: Which of its ``named`` charts; null: all of them.
    """

    task: str
    name: str
    query: str
    figure: Figure
    part: str | None = None


def figure_names(task: TaskReport) -> Iterator[NamedFigure]:
    """The figures of a task that are drawn: each under its query's name, after those that a paper names."""
    for query, figure in task.figures.items():
        for part in figure.named:
            yield NamedFigure(task.name, part, query, figure, part)
        if figure.draw is not None or figure.named:
            yield NamedFigure(task.name, query.replace("_", "-"), query, figure)


def find_figure(name: str, tasks: Sequence[TaskReport]) -> NamedFigure:
    """The figure of this name, with or without its task: ``figure-5``, ``TASK/figure-5``.

    Raises:
        UserError: There is none, or several tasks have one; the near ones, and all that there are, are named.
    """
    known = [figure for task in tasks for figure in figure_names(task)]
    wanted = name.strip().lower().replace("_", "-").replace(" ", "-")
    found = [figure for figure in known if wanted in (figure.name, f"{figure.task}/{figure.name}")]
    if len(found) == 1:
        return found[0]
    if found:
        raise UserError(f"{name} is a figure of several tasks: take {' or '.join(_full(figure) for figure in found)}")
    if not known:
        raise UserError(f"there is no figure {name!r}: these runs' tasks have none")
    listed = [figure.name if len(tasks) == 1 else _full(figure) for figure in known]
    wanted = f"figure-{wanted}" if wanted.isdigit() else wanted
    raise UserError(f"there is no figure {name!r}{nearest(wanted, listed)}")


def _full(figure: NamedFigure) -> str:
    return f"{figure.task}/{figure.name}"
