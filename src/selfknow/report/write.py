"""Writing a report: one HTML page or one Markdown file, and its figures as pictures; or one figure alone."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from selfknow.errors import MissingExtraError, UserError
from selfknow.files import check_output, write_whole
from selfknow.report.gather import Report, Reports, Section, check_replies, gather, read_section, tasks_of
from selfknow.sql.connection import Connection
from selfknow.sql.queries import find_query, queries

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from selfknow.report.pictures import Chart
    from selfknow.report.shape import Panel

HTML_ENDINGS = (".html", ".htm")
MARKDOWN_ENDINGS = (".md", ".markdown")
"""What a report can be written as."""
FIGURE_ENDINGS = (".svg", ".png", ".html")
"""What a figure alone can be written as."""


def require_report_extra() -> None:
    """Check that what draws the figures is there.

    Raises:
        MissingExtraError: It is not installed.
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
    first: "Callable[[Report], Sequence[Panel]] | None" = None,
) -> Report:
    """Run every query and write the page.

    Args:
        connection: The runs.
        reports: What tasks show.
        path: The page.
        title: Of the page.
        figures: A folder for PNG and SVG files of every figure, if they are wanted.
        progress: Show a progress bar on stderr.
        first: Makes charts that stand before everything else; null: none.

    Returns:
        What the page says.
    """
    from selfknow.report.html import render

    check_output(path, HTML_ENDINGS)
    report = gather(connection, reports, progress=progress)
    write_whole(path, render(report, title, first(report) if first else ()).encode())
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
    """Run one query and write its figure alone: a picture, or a page with its table and its SQL.

    Args:
        connection: The runs.
        reports: What tasks show.
        name: Of the figure, such as ``figure-5`` (see :mod:`selfknow.report.figure_names`).
        path: The file: ``.svg``, ``.png`` or ``.html``.
        title: Of the page.

    Returns:
        What was drawn.

    Raises:
        UserError: There is no such figure or nothing to draw, or the file's name ends in something else.
    """
    from selfknow.report.figure_names import find_figure
    from selfknow.report.html import render_figure
    from selfknow.report.labels import read_labels
    from selfknow.report.pictures import composed, write_picture

    check_output(path, FIGURE_ENDINGS)
    check_replies(connection)
    runs = connection.rows("select * from runs order by created_at, run_id")
    tasks = tasks_of(runs, reports)
    found = find_figure(name, tasks)
    labels = read_labels(connection)
    section = read_section(connection, find_query(found.query, connection.tasks), found.figure, labels, only=found.part)
    if not section.panels:
        raise UserError(f"{found.name} has nothing to show: {section.missing or 'no run was asked what it is about'}")
    if path.suffix.lower() == ".html":
        overview = connection.rows(find_query("overview", connection.tasks).sql)
        report = Report(runs, overview, labels, [section], {}, tasks, queries(connection.tasks))
        write_whole(path, render_figure(report, title).encode())
    else:
        write_picture(composed(section.query, section.panels), path)
    return section


def write_pictures(report: Report, folder: Path, *, progress: bool = False) -> dict[str, list[tuple[str, Path]]]:
    """Write every figure as PNG and SVG, all of its charts in one picture; a paper's figures stand apart.

    Returns:
        For each query the names of its figures (empty: the query's) and their SVG files.
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
    from selfknow.report.pictures import composed

    return [
        (section.query.name, name, composed(section.query, panels))
        for section in report.answered
        for name, panels in section.drawn.items()
        if panels
    ]
