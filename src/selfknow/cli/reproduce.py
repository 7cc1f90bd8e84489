"""``selfknow reproduce``: a paper's table or figure, or an experiment of one's own, from a plan."""

from pathlib import Path
from typing import Annotated

import typer

from selfknow.cli.output import Format, print_rows
from selfknow.errors import UserError

Repeated = list[str] | None


def reproduce(
    plan: Annotated[
        str | None,
        typer.Argument(metavar="PAPER/NAME|FILE.yaml", help="The plan; none: list them.", show_default=False),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where everything goes; give the same command again to resume.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be run and what it takes.")] = False,
    models: Annotated[Repeated, typer.Option(metavar="NAME,…", help="These models alone, or instead.")] = None,
    sizes: Annotated[Repeated, typer.Option(metavar="1k,…", help="These sizes of corpora alone, or instead.")] = None,
    max_steps: Annotated[int | None, typer.Option(min=1, help="End every training here.", show_default=False)] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Ask only so many questions.", show_default=False)] = None,
    data: Annotated[
        str | None, typer.Option(metavar="FOLDER|ORG/NAME", help="Where the corpora lie; else they are built in --out.")
    ] = None,
    checkpoint: Annotated[
        Repeated, typer.Option(metavar="NAME=FOLDER", help="A folder in place of a published checkpoint; repeatable.")
    ] = None,
    train: Annotated[
        Repeated, typer.Option(metavar="NAME=VALUE", help="An option of every training; repeatable.")
    ] = None,
    evaluate: Annotated[
        Repeated, typer.Option(metavar="NAME=VALUE", help="An option of every evaluation; repeatable.")
    ] = None,
    output_format: Annotated[Format, typer.Option("--format", help="How tables are printed on stdout.")] = Format.table,
) -> None:
    """Run a plan, cell after cell, and end with its tables and figures beside what the paper printed."""
    from selfknow.cli.reproduce_commands import plan_commands
    from selfknow.reproduce.cells import expand
    from selfknow.reproduce.changes import Changes, read_checkpoints, read_options, split_commas
    from selfknow.reproduce.listing import plan_rows
    from selfknow.reproduce.plan import find_plan

    if plan is None:
        print_rows(plan_rows(), output_format)
        return
    if out is None:
        raise UserError("say where everything goes: --out FOLDER")
    shorthands = {"max-steps": max_steps, "limit": limit}
    changes = Changes(
        models=split_commas(models or []),
        sizes=split_commas(sizes or []),
        data=data,
        checkpoints=read_checkpoints(checkpoint or []),
        train=read_options("--train", [*(train or []), *_set("max-steps", shorthands)]),
        evaluate=read_options("--evaluate", [*(evaluate or []), *_set("limit", shorthands)]),
    )
    found = find_plan(plan)
    cells = expand(found, plan_commands(), out.resolve(), changes)
    if dry_run:
        print_rows([{"cell": cell.name, "command": cell.shown(Path.cwd())} for cell in cells], output_format)


def _set(name: str, values: dict[str, int | None]) -> list[str]:
    return [] if values[name] is None else [f"{name}={values[name]}"]
