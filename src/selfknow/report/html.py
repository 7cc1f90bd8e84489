"""The report as a single page that loads nothing from outside: style, script and data are inside."""

import json
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from selfknow.cache import cached
from selfknow.report.gather import Report, Section
from selfknow.report.headline import MOST_NUMBERS, FirstScreen, headline
from selfknow.report.numbers import scale_of
from selfknow.report.pictures import specification
from selfknow.report.shape import Exhibit, Panel, panel_groups
from selfknow.report.task import TaskReport
from selfknow.report.text import capitalized, cell, percent, points, rounded
from selfknow.untrusted import for_terminal
from selfknow.version import __version__

if TYPE_CHECKING:
    from jinja2 import Template

TABLE_ROWS = 200  # rows of a table that a page shows


def render(report: Report, title: str, first_charts: Sequence[Panel] = ()) -> str:
    """Return the page.

    Args:
        report: The report.
        title: The title of the page.
        first_charts: Charts before everything else.
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
    environment.filters |= {"scale_of": scale_of, "terms_in": terms_in}
    environment.filters |= {"json_script": json_script, "specification": specification, "panel_groups": panel_groups}
    return environment.from_string(_asset("report.html"))


def _visible(value: object) -> object:
    """Make control characters visible in plain strings; markup is our own."""
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
    """Return the libraries that draw the charts as a script; it is cached, because bundling takes seconds."""
    import vl_convert

    def bundled() -> bytes:
        return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").encode()

    name = f"charts-{version('vl-convert-python')}.js"
    return cached(name, bundled).decode().replace("</script", "<\\/script")


def json_script(value: object) -> Any:
    """Return JSON that cannot end the script element around it."""
    from markupsafe import Markup

    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))  # noqa: S704


def terms_in(section: Section, task: TaskReport | None) -> list[str]:
    """Return the meaning of each of the task's terms that a section's rows hold."""
    values = {value for row in section.rows for value in row.values() if isinstance(value, str)} if task else set()
    values |= {word for column in section.rows[0] for word in column.split("_")}  # such as accuracy_standard
    return [
        f"{term.capitalize()}: {meaning}." for term, meaning in (task.terms if task else {}).items() if term in values
    ]


def _by_task(report: Report) -> list[tuple[TaskReport | None, list[Section], Sequence[Exhibit]]]:
    """Return the sections with rows and the replies of each task, then the sections about any task."""
    return [(task, _about(report, task.name), report.exhibits.get(task.name, ())) for task in report.tasks] + [
        (None, _about(report, None), ())
    ]


def _about(report: Report, task: str | None) -> list[Section]:
    return [section for section in report.answered if section.query.task == task]
