"""The writers of a report: an HTML page, a Markdown file with pictures, or a single figure."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from selfknow.errors import MissingExtraError, UserError
from selfknow.files import check_output, write_whole
from selfknow.report.gather import (
    Report,
    Reports,
    Section,
    check_replies,
    gather,
    load_task_reports,
    read_overview,
    read_runs,
    read_section,
)
from selfknow.sql.connection import Connection
from selfknow.sql.queries import find_query, queries

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from selfknow.report.pictures import Chart
    from selfknow.report.shape import Panel

HTML_ENDINGS = (".html", ".htm")
MARKDOWN_ENDINGS = (".md", ".markdown")
"""Endings of a report's file in each format."""
FIGURE_ENDINGS = (".svg", ".png", ".html")
"""Endings of a single figure's file."""


def require_report_extra() -> None:
    """Check that the libraries that draw figures are installed.

    Raises:
        MissingExtraError: A library is missing.
    """
    if not all(find_spec(name) for name in ("altair", "jinja2", "vl_convert")):
        raise MissingExtraError("a report", "report")


def write_html(
    connection: Connection,
    reports: Reports,
    path: Path,
    *,
    title: str,
    figures: Path | None,
    progress: bool,
    introduction: "Callable[[Report], Sequence[Panel]] | None" = None,
) -> Report:
    """Run every query and write the page.

    Args:
        connection: The runs.
        reports: The task reports.
        path: The page.
        title: The title of the page.
        figures: A folder for PNG and SVG files of every figure; null writes no such files.
        progress: Show a progress bar on stderr.
        introduction: Function that draws charts for the top of the page; null if there are none.

    Returns:
        The content of the page.
    """
    from selfknow.report.html import render

    check_output(path, HTML_ENDINGS)
    report = gather(connection, reports, progress=progress)
    write_whole(path, render(report, title, introduction(report) if introduction else ()).encode())
    if figures is not None:
        write_pictures(report, figures, progress=progress)
    return report


def write_markdown(
    connection: Connection, reports: Reports, path: Path, *, title: str, figures: Path, progress: bool
) -> Report:
    """Run every query and write Markdown, with the figures as SVG and PNG files beside it (see :func:`write_html`)."""
    from selfknow.report.markdown import render

    check_output(path, MARKDOWN_ENDINGS)
    report = gather(connection, reports, progress=progress)
    pictures = write_pictures(report, figures, progress=progress)
    write_whole(path, render(report, title, pictures, path.parent).encode())
    return report


def write_figure(connection: Connection, reports: Reports, name: str, path: Path, *, title: str) -> Section:
    """Run a query and write its figure: a picture, or a page with its table and its SQL.

    Args:
        connection: The runs.
        reports: The task reports.
        name: The name of the figure, such as ``figure-5`` (see :mod:`selfknow.report.figure_names`).
        path: The file: ``.svg``, ``.png`` or ``.html``.
        title: The title of the page.

    Returns:
        The section of the figure.

    Raises:
        UserError: There is no such figure, nothing to draw, or the file's name has another ending.
    """
    from selfknow.report.figure_names import find_figure
    from selfknow.report.html import render_figure
    from selfknow.report.labels import read_labels
    from selfknow.report.pictures import compose, write_picture

    check_output(path, FIGURE_ENDINGS)
    check_replies(connection)
    runs = read_runs(connection)
    tasks = load_task_reports(runs, reports)
    named = find_figure(name, tasks)
    labels = read_labels(connection)
    section = read_section(connection, find_query(named.query, connection.tasks), named.figure, labels, only=named.part)
    if not section.panels:
        raise UserError(f"{named.name} has nothing to show: {section.missing or 'these runs hold no rows for it'}")
    if path.suffix.lower() == ".html":
        report = Report(runs, read_overview(connection), labels, [section], {}, tasks, queries(connection.tasks))
        write_whole(path, render_figure(report, title).encode())
    else:
        write_picture(compose(section.query, section.panels), path)
    return section


def write_pictures(report: Report, folder: Path, *, progress: bool = False) -> dict[str, list[tuple[str, Path]]]:
    """Write every figure as PNG and SVG. A figure is one picture; charts with a name in a paper are pictures, too.

    Returns:
        The pictures of each query, by the query's name: the name in a paper (or an empty text) and the SVG file.
    """
    from selfknow.bars import Bar
    from selfknow.report.pictures import write_picture

    written: dict[str, list[tuple[str, Path]]] = {}
    for query, name, chart in Bar(_charts(report), disable=not progress, unit="figure", desc="figures"):
        path = folder / (f"{query}-{len(written[query]) + 1}.svg" if query in written else f"{query}.svg")
        write_picture(chart, path)
        write_picture(chart, path.with_suffix(".png"))
        written.setdefault(query, []).append((name, path))
    return written


def _charts(report: Report) -> "list[tuple[str, str, Chart]]":
    from selfknow.report.pictures import compose

    return [
        (section.query.name, name, compose(section.query, panels))
        for section in report.answered
        for name, panels in section.drawn.items()
        if panels
    ]
