"""``selfknow report``: a report on run folders, for people to read."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from selfknow.cli.query import CorpusOption, MixedOption, PortraitOption, Runs, portraits_by_name
from selfknow.errors import UserError
from selfknow.report import TITLE


class ReportFormat(StrEnum):
    """The formats of a report."""

    html = "html"
    md = "md"


def report(
    runs: Runs = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="The file to write. Default: report.html, or report.md.")
    ] = None,
    output_format: Annotated[
        ReportFormat | None,
        typer.Option("--format", help="One HTML page, or Markdown. Default: by the ending of --out."),
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option(
            "--figures",
            help="The folder for PNG and SVG files of every figure. Default: beside Markdown; none for HTML.",
        ),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            "--only", help="Write only this figure, such as figure-5, as .svg, .png or .html.", show_default=False
        ),
    ] = None,
    title: Annotated[str, typer.Option("--title", help="The heading of the report.")] = TITLE,
    corpus: CorpusOption = None,
    portrait: PortraitOption = None,
    mixed_revisions: MixedOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress bar.")] = False,
) -> None:
    """Write a report of one or several runs: one file that works without a network.

    It shows which models were asked what, and the papers' figures as charts with their tables and SQL. In replies it
    marks what is right, wrong and quoted. One report can hold runs of several tasks.

    **Examples:**

    `selfknow report runs/opt-125m runs/pythia-70m --out report.html`

    `selfknow report runs/* --portrait corpus=portraits/1k --figures figures`

    `selfknow report runs/recall runs/aware runs/quoting --out opt.html`

    `selfknow report runs/* --format md --out docs/results.md`

    `selfknow report runs/* --only figure-5 --out figure-5.svg`
    """
    from selfknow.evaluate.catalogue import task_reports
    from selfknow.evaluate.connection import connect
    from selfknow.files import check_output
    from selfknow.report.write import (
        FIGURE_ENDINGS,
        HTML_ENDINGS,
        MARKDOWN_ENDINGS,
        require_report_extra,
        write_figure,
        write_html,
        write_markdown,
    )

    require_report_extra()
    if not runs:
        raise UserError("name at least one run folder")
    if only is not None and (output_format is ReportFormat.md or figures is not None):
        raise UserError("--only writes one figure, in the format of --out's ending: leave out --format and --figures")
    is_markdown = out is not None and out.suffix.lower() in MARKDOWN_ENDINGS
    report_format = output_format or (ReportFormat.md if is_markdown else ReportFormat.html)
    path = out or Path(f"{only.rpartition('/')[2]}.svg" if only else f"report.{report_format.value}")
    endings: Sequence[str]
    if only:
        endings = FIGURE_ENDINGS
    elif output_format is None:
        endings = (*HTML_ENDINGS, *MARKDOWN_ENDINGS)
    else:
        endings = HTML_ENDINGS if output_format is ReportFormat.html else MARKDOWN_ENDINGS
    check_output(path, endings)
    options = {"corpora": corpus or [], "portraits": portraits_by_name(portrait), "mixed_revisions": mixed_revisions}
    with connect(runs, **options) as connection:  # type: ignore[arg-type]
        if only is not None:
            write_figure(connection, task_reports(), only, path, title=title)
        elif report_format is ReportFormat.html:
            write_html(connection, task_reports(), path, title=title, figures=figures, progress=not quiet)
        else:
            figures_folder = figures or path.with_name(f"{path.stem}_figures")
            write_markdown(connection, task_reports(), path, title=title, figures=figures_folder, progress=not quiet)
    typer.echo(str(path))
