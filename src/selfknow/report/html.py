"""The report as a single HTML page, which holds its style, script and data and loads nothing."""

import json
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from selfknow.cache import cached
from selfknow.report.gather import Report, Section
from selfknow.report.headline import MOST_NUMBERS, FirstScreen, headline
from selfknow.report.numbers import axis_end
from selfknow.report.pictures import specification
from selfknow.report.shape import Exhibit, Panel, panel_groups
from selfknow.report.task import TaskReport
from selfknow.report.text import capitalized, cell, percent, points, rounded
from selfknow.untrusted import for_terminal
from selfknow.version import __version__

if TYPE_CHECKING:
    from jinja2 import Template

TABLE_ROWS = 200
"""The largest number of rows of a table on a page."""


def render(report: Report, title: str, first_charts: Sequence[Panel] = ()) -> str:
    """Return the page.

    Args:
        report: The report.
        title: The title of the page.
        first_charts: Charts at the top of the page.
    """
    return _page(report, title, headline(report), first_charts)


def _page(report: Report, title: str, first: FirstScreen, first_charts: Sequence[Panel] = ()) -> str:
    return _template().render(
        title=title,
        headline=first,
        first_charts=first_charts,
        report=report,
        by_task=_by_task(report),
        numbers={topic.task: topic.measures for topic in first.topics if topic.findings},
        most_numbers=MOST_NUMBERS,
        percent=percent,
        points=points,
        table_rows=TABLE_ROWS,
        version=__version__,
        style=_asset("report.css"),
        script=_asset("report.js"),
        charts_script=_charts_script(),
    )


@cache
def _template() -> "Template":
    from jinja2 import Environment

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, finalize=_visible)
    environment.filters |= {
        "cell": cell,
        "percent": percent,
        "points": points,
        "rounded": rounded,
        "capitalized": capitalized,
    }
    environment.filters |= {"axis_end": axis_end, "terms_in": terms_in}
    environment.filters |= {"json_script": json_script, "specification": specification, "panel_groups": panel_groups}
    return environment.from_string(_asset("report.html"))


def _visible(value: object) -> object:
    """Make control characters visible in plain strings; markup is ours and stays unchanged."""
    return for_terminal(value) if type(value) is str else value


def render_figure(report: Report, title: str) -> str:
    """Return a page with a single figure.

    Args:
        report: A report with one section.
        title: The title of the page.
    """
    [section] = report.sections
    return _page(report, title, FirstScreen(section.query.title))


@cache
def _asset(name: str) -> str:
    return (files("selfknow.report") / "page" / name).read_text(encoding="utf-8")


@cache
def _charts_script() -> str:
    """Return the chart libraries as a script; it is cached, because bundling takes seconds."""
    import vl_convert

    def bundle() -> bytes:
        return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").encode()

    name = f"charts-{version('vl-convert-python')}.js"
    return cached(name, bundle).decode().replace("</script", "<\\/script")


def json_script(value: object) -> Any:
    """Return a value as JSON that cannot end the script element around it."""
    from markupsafe import Markup

    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))  # noqa: S704


def terms_in(section: Section, task: TaskReport | None) -> list[str]:
    """Return the meaning of each of the task's terms that occurs in a section's values or column names."""
    if task is None:
        return []
    words = {value for row in section.rows for value in row.values() if isinstance(value, str)}
    words |= {word for column in section.rows[0] for word in column.split("_")}  # such as accuracy_standard
    return [f"{term.capitalize()}: {meaning}." for term, meaning in task.terms.items() if term in words]


def _by_task(report: Report) -> list[tuple[TaskReport | None, list[Section], Sequence[Exhibit]]]:
    """Return each task with its sections and exhibits, and at the end the sections about any task."""
    tasks = [(task, _task_sections(report, task.name), report.exhibits.get(task.name, ())) for task in report.tasks]
    return [*tasks, (None, _task_sections(report, None), ())]


def _task_sections(report: Report, task: str | None) -> list[Section]:
    return [section for section in report.answered if section.query.task == task]
