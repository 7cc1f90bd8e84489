"""The page that the demo ends with: one report of all its runs."""

from collections.abc import Sequence
from pathlib import Path

import typer

from selfknow.cli.demo_steps import DoneSteps
from selfknow.errors import MissingExtraError

TITLE = "demo"


def write_page(runs: Sequence[Path], path: Path, done: DoneSteps) -> None:
    """Write ``selfknow report`` of all runs, and say where it lies or what is missing for it.

    Args:
        runs: Run folders.
        path: The page.
        done: Whether it was written before, of the same scores.
    """
    from selfknow.evaluate.catalogue import task_reports
    from selfknow.evaluate.connection import connect
    from selfknow.report.write import require_report_extra, write_html

    try:
        require_report_extra()
    except MissingExtraError as error:
        typer.echo(str(error))
        return
    scores = [file for run in runs for file in sorted((run / "scores").glob("*.parquet"))]
    told = {"scores": {str(file): file.stat().st_mtime_ns for file in scores}}
    if not (done.has("page", told) and path.is_file()):
        with connect(runs) as connection:
            write_html(connection, task_reports(), path, title=TITLE, figures=None, progress=True)
        done.finish("page", told)
    typer.echo(f"the report on what the models know: {path}")
