"""``selfknow advanced creations``: models tuned on their own questions, with raw and corrected answers."""

from pathlib import Path
from typing import Annotated

import typer

from selfknow.cli.compact_help import CommandGroup
from selfknow.cli.creations_solve import solve
from selfknow.cli.creations_tune import tune
from selfknow.cli.output import Format, print_rows

app = CommandGroup("creations", "Tune models on mathematics that they made up themselves.")
FormatOption = Annotated[Format, typer.Option("--format", help="The format of the result on stdout.")]


@app.command()
def collect(
    run: Annotated[Path, typer.Argument(help="A run folder of self-knowledge:math.", exists=True, file_okay=False)],
    out: Annotated[Path, typer.Option("--out", help="The folder for the creations, new or empty.", show_default=False)],
    model: Annotated[
        str | None,
        typer.Option(help="The model whose questions to collect, if the run has several.", show_default=False),
    ] = None,
    creator: Annotated[
        str | None,
        typer.Option(
            help="The model's name in tables; for a served model, its checkpoint's name. Default: its name in the run.",
            show_default=False,
        ),
    ] = None,
    people: Annotated[
        bool,
        typer.Option(
            "--people/--no-people", help="Leave the questions that no program can answer to people, or drop them."
        ),
    ] = True,
    output_format: FormatOption = Format.table,
) -> None:
    """Collect a model's own questions from a run. A program answers what it can, and a sheet asks people for the rest.

    The table counts the questions by state and by who decided it, and how many have a worked solution. Open questions
    are in OUT/sheet.csv, each with the answer that it was written for. Write the true answer into the column
    `corrected`, even if it is the same, or `unusable`. A question that states its own answer, or has no single answer,
    is dropped.

    **Example:** `selfknow advanced creations collect runs/math --out creations/tiny`
    """
    from selfknow.evaluate.tasks.self_knowledge.collecting import collect_creations

    creations = collect_creations(run, out, model=model, creator=creator, people=people)
    print_rows(creations.counts(), output_format)


@app.command("import")
def import_(
    creations: Annotated[Path, typer.Argument(help="A folder of creations.", exists=True, file_okay=False)],
    sheet: Annotated[Path, typer.Argument(help="The sheet, filled in.", exists=True, dir_okay=False)],
    output_format: FormatOption = Format.table,
) -> None:
    """Import the answers that people wrote on the sheet, in place of earlier ones.

    A row that is missing, unknown or altered is a mistake (exit code 2), and nothing is imported. Exit code 1:
    some rows are still blank; fill them in and import the sheet again.

    **Example:** `selfknow advanced creations import creations/tiny creations/tiny/sheet.csv`
    """
    from selfknow.evaluate.tasks.self_knowledge.corrections import import_sheet

    corrected, blanks = import_sheet(creations, sheet)
    print_rows(corrected.counts(), output_format)
    if blanks:
        typer.echo(f"rows that are still blank: {len(blanks)}, the first is {blanks[0]}", err=True)
        raise typer.Exit(1)


app.command()(solve)
app.command()(tune)
