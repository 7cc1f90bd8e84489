"""``selfknow score``: what a program can judge of a run, as Parquet again."""

from pathlib import Path
from typing import Annotated

import typer

from selfknow.cli.output import Format, print_rows


def score(
    run: Annotated[Path, typer.Argument(help="A run folder.", show_default=False)],
    portrait: Annotated[
        str | None,
        typer.Option(help="according-to: the portrait, where it was moved since the run.", show_default=False),
    ] = None,
    output_format: Annotated[
        Format, typer.Option("--format", help="How the result is printed on stdout.")
    ] = Format.table,
) -> None:
    """Score a run folder, and print the mean of every metric with n over all and n graded.

    The scores go to RUN/scores, what was parsed of the answers to RUN/parsed.

    **Example:** `selfknow score runs/tiny`
    """
    from selfknow.evaluate.score import score_run, summarize

    print_rows(summarize(run, score_run(run, portrait)), output_format)
