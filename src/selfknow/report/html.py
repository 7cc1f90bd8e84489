"""The report as one page that needs nothing from outside: style, script, data and all."""

import json
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from selfknow.cache import cached
from selfknow.report.gather import Report, Section
from selfknow.report.headline import MOST_NUMBERS, FirstScreen, headline
from selfknow.report.pictures import specification
from selfknow.report.shape import Exhibit, Panel, panel_groups
from selfknow.report.task import TaskReport
from selfknow.report.text import begun, cell, percent, points
from selfknow.untrusted import for_terminal
from selfknow.version import __version__

if TYPE_CHECKING:
    from jinja2 import Template

TABLE_ROWS = 200  # rows of a table that a page shows


def render(report: Report, title: str, first_charts: Sequence[Panel] = ()) -> str:
    """The page.

    Args:
        report: What it says.
        title: Of the page.
        first_charts: Charts that stand before everything else.
    """
    return _page(report, title, headline(report), first_charts)


def _page(report: Report, title: str, first: FirstScreen, first_charts: Sequence[Panel] = ()) -> str:
    return _template().render(
        title=title,
        headline=first,
        first_charts=first_charts,
        report=report,
        by_task=_by_task(report),
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
    environment.filters |= {"cell": cell, "percent": percent, "points": points, "begun": begun}
    environment.filters |= {"json_script": json_script, "specification": specification, "panel_groups": panel_groups}
    return environment.from_string(_asset("report.html"))


def _visible(value: object) -> object:
    """What a place of the page shows; what is marked as HTML was made here."""
    return for_terminal(value) if type(value) is str else value


def render_figure(report: Report, title: str) -> str:
    """A page of one figure alone, which stands first.

    Args:
        report: With one section.
        title: Of the page.
    """
    [section] = report.sections
    return _page(report, title, FirstScreen(section.query.title))


@cache
def _asset(name: str) -> str:
    return (files("selfknow.report") / "page" / name).read_text(encoding="utf-8")


@cache
def _charts_script() -> str:
    """The libraries that draw the charts, as one script; to bundle them takes seconds."""
    import vl_convert

    def bundled() -> bytes:
        return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").encode()

    name = f"charts-{version('vl-convert-python')}.js"
    return cached(name, bundled).decode().replace("</script", "<\\/script")


def json_script(value: object) -> Any:
    """JSON that cannot end the script element that it stands in."""
    from markupsafe import Markup

    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))  # noqa: S704


def _by_task(report: Report) -> list[tuple[TaskReport | None, list[Section], Sequence[Exhibit]]]:
    """The answered sections and the replies of each task, the sections about any task at the end."""
    return [(task, _about(report, task.name), report.exhibits.get(task.name, ())) for task in report.tasks] + [
        (None, _about(report, None), ())
    ]


def _about(report: Report, task: str | None) -> list[Section]:
    return [section for section in report.answered if section.query.task == task]
