"""``selfknow reproduce``: a paper's table or figure, or an experiment of your own, from a plan."""

import json
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfknow.cli.output import Format, print_rows
from selfknow.errors import UserError

if TYPE_CHECKING:
    from selfknow.reproduce.cells import Cell
    from selfknow.reproduce.conclude import Conclusion
    from selfknow.reproduce.four_questions import ApplicableTasks
    from selfknow.reproduce.plan import Plan
    from selfknow.reproduce.states import States

Repeated = list[str] | None


def reproduce(
    plan: Annotated[
        str | None,
        typer.Argument(metavar="PAPER/NAME|FILE.yaml", help="The plan. Default: list them all.", show_default=False),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The folder for all results; give the same command again to resume.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print each command and its cost, and run nothing.")
    ] = False,
    shard: Annotated[
        str | None, typer.Option(metavar="I/N", help="Run only every Nth training or evaluation, from the Ith on.")
    ] = None,
    models: Annotated[
        Repeated,
        typer.Option("--models", "--model", metavar="NAME,…", help="Some of the plan's models, or other models."),
    ] = None,
    sizes: Annotated[
        Repeated, typer.Option(metavar="1k,…", help="Some of the plan's corpus sizes, or other sizes.")
    ] = None,
    max_steps: Annotated[
        int | None, typer.Option(min=1, help="Stop every training after this many steps.", show_default=False)
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Ask at most this many questions in each evaluation.", show_default=False)
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(metavar="FOLDER|ORG/NAME", help="The folder of the corpora. Default: build them in --out."),
    ] = None,
    checkpoint: Annotated[
        Repeated,
        typer.Option(metavar="NAME=FOLDER", help="A folder to use instead of a published checkpoint; repeatable."),
    ] = None,
    train: Annotated[
        Repeated, typer.Option(metavar="NAME=VALUE", help="Set an option of every training; repeatable.")
    ] = None,
    evaluate: Annotated[
        Repeated, typer.Option(metavar="NAME=VALUE", help="Set an option of every evaluation; repeatable.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Trainings or evaluations at once. Default: one per core; one with a GPU or an endpoint.",
            show_default=False,
        ),
    ] = None,
    launcher: Annotated[
        str | None,
        typer.Option(metavar="COMMAND", help="Start trainings with this, such as `torchrun --nproc-per-node 4 -m`."),
    ] = None,
    throughput: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="With --dry-run: the machine's operations per second. Default: measured."),
    ] = None,
    portrait: Annotated[
        str | None,
        typer.Option(metavar="FOLDER|ORG/NAME", help="With four-questions: the portrait of the model's corpus."),
    ] = None,
    questions: Annotated[
        str, typer.Option(metavar="SET|FILE", help="With four-questions: the questions for the task on quoting.")
    ] = "nq",
    card: Annotated[
        bool, typer.Option("--card", help="With four-questions: print a section for a model card.")
    ] = False,
    output_format: Annotated[Format, typer.Option("--format", help="The format of tables on stdout.")] = Format.table,
) -> None:
    """Run a plan: train and ask its models, and print its tables beside the paper's.

    Without a plan, list the papers' plans. Exit code 1: a training or an evaluation failed; the same command tries it
    again.

    **Examples:**

    `selfknow reproduce how-much-they-know/table-1 --out table-1 --dry-run`

    `selfknow reproduce how-much-they-know/figure-2 --out figure-2 --shard 3/16`

    `selfknow reproduce my-plan.yaml --out mine --models opt-7m --sizes 1k,2k`

    `selfknow reproduce four-questions --model MODEL --out model --card`
    """
    from selfknow.cli import demo_inputs
    from selfknow.cli.reproduce_commands import plan_commands
    from selfknow.reproduce import four_questions
    from selfknow.reproduce.cells import expand
    from selfknow.reproduce.cells import shard as cells_of_shard
    from selfknow.reproduce.changes import Changes, absolute_folder, read_checkpoints, read_options, split_commas
    from selfknow.reproduce.corpora import corpora_in, corpus_folders
    from selfknow.reproduce.plan import find_plan, read_plan
    from selfknow.reproduce.run import Running, workers
    from selfknow.reproduce.states import State

    if plan is None:
        _print_plans(output_format)
        return
    if out is None:
        needs = four_questions.NEEDS if plan == four_questions.NAME else find_plan(plan).needs
        raise UserError(f"name a folder for the results: selfknow reproduce {plan} --out FOLDER (it needs {needs})")
    if card and plan != four_questions.NAME:
        raise UserError(f"--card is for {four_questions.NAME}: other plans have no section for a model card")
    if output_format is Format.csv and not dry_run:
        raise UserError("a plan prints several tables, which do not fit into one CSV file: use --format json")
    folder = out.resolve()
    applicable = None
    if plan == four_questions.NAME:
        applicable = four_questions.applicable_tasks_from_options(models, evaluate, portrait, questions)
        chosen_plan = read_plan(four_questions.write_plan(applicable, folder))
    else:
        chosen_plan = find_plan(plan)
    if plan == demo_inputs.NAME:
        demo_inputs.fetch_inputs(folder)
        demo_inputs.build_inputs(folder)
    changes = Changes(
        models=split_commas(models or []),
        sizes=split_commas(sizes or []),
        data=absolute_folder(data),
        checkpoints=read_checkpoints(checkpoint or []),
        train=read_options("--train", train or [], {"max-steps": max_steps}),
        evaluate=read_options("--evaluate", evaluate or [], {"limit": limit}),
    )
    cells = expand(chosen_plan, plan_commands(), folder, changes)
    job = cells if shard is None else cells_of_shard(cells, shard)
    with corpora_in(folder):
        if dry_run:
            _print_costs(job, folder, throughput, output_format)
            return
        corpus_folders(job)
        with Running(job, folder, workers(job, jobs, shlex.split(launcher or ""))) as running:
            running.wait()
        _conclude(chosen_plan, cells, job, running.states, output_format, applicable, card=card)
    if any(running.states.read(cell).state is not State.finished for cell in job):
        raise typer.Exit(1)


def _print_plans(output_format: Format) -> None:
    from selfknow.reproduce.listing import plan_list, plan_rows

    if output_format is Format.table:
        typer.echo(plan_list())
    else:
        print_rows(plan_rows(), output_format)


def _conclude(
    plan: "Plan",
    cells: "Sequence[Cell]",
    job: "Sequence[Cell]",
    states: "States",
    output_format: Format,
    applicable: "ApplicableTasks | None",
    *,
    card: bool,
) -> None:
    """Print a plan's results if all cells have ended, in this job or in others; otherwise list the missing ones."""
    from selfknow.reproduce.conclude import conclude, runs_of, trainings_asked
    from selfknow.reproduce.corpora import corpus_folders
    from selfknow.reproduce.states import State

    if missing := [cell for cell in cells if states.read(cell).state in (State.missing, State.running)]:
        _print_missing(missing, job, states)
        return
    runs, corpora = runs_of(cells, states), corpus_folders(trainings_asked(cells, states))
    if not card:
        _print_conclusion(cells, states, conclude(plan, runs, corpora, states.folder), output_format)
    if applicable is not None:
        _write_four_questions(applicable, runs, corpora, states.folder, card=card)


def _print_costs(cells: "Sequence[Cell]", folder: Path, throughput: float | None, output_format: Format) -> None:
    from selfknow.reproduce.estimate import ASSUMPTIONS, cost_rows
    from selfknow.reproduce.states import States

    rows, assumed = cost_rows(cells, States(folder), throughput)
    current_folder = Path.cwd()
    rows = [{**row, "command": cell.shown(current_folder)} for row, cell in zip(rows, cells, strict=True)]
    print_rows(rows, output_format)
    typer.echo(f"{assumed} {ASSUMPTIONS}", err=output_format is not Format.table)


def _print_missing(missing: "Sequence[Cell]", job: "Sequence[Cell]", states: "States") -> None:
    num_in_job = sum(cell in job for cell in missing)
    if num_in_job == len(missing):
        place = "of this job"
    elif num_in_job == 0:
        place = "of other jobs"
    else:
        place = f"({num_in_job} of this job)"
    typer.echo(f"{len(missing)} cells {place} are still to be run:", err=True)
    for cell in missing:
        typer.echo(f"  {cell.name}: {states.read(cell).state}", err=True)
    typer.echo("the job that runs the last one prints the tables, or the same command without --shard", err=True)


def _print_conclusion(
    cells: "Sequence[Cell]", states: "States", conclusion: "Conclusion", output_format: Format
) -> None:
    from selfknow.cli.query_output import for_json, for_table
    from selfknow.reproduce.conclude import cell_rows

    rows = cell_rows(cells, states)
    if output_format is not Format.table:
        queries = {
            name: answer if isinstance(answer, str) else [_convert(row, for_json) for row in answer]
            for name, answer in conclusion.queries.items()
        }
        figures = {name: str(path) for name, path in conclusion.figures.items()}
        results = {"cells": rows, "queries": queries, "published": conclusion.published, "figures": figures}
        typer.echo(json.dumps(results, indent=2, ensure_ascii=False))
        return
    print_rows(rows)
    for name, answer in conclusion.queries.items():
        if isinstance(answer, str):  # the reason why there are no rows
            typer.echo(f"\n{name}: {answer}".rstrip())
        else:
            typer.echo(f"\n{name}:")
            print_rows([_convert(row, for_table) for row in answer])
    for name, published in conclusion.published.items():
        typer.echo(f"\nthe paper's own numbers ({name}):")
        print_rows(published)
    for name, path in conclusion.figures.items():
        typer.echo(f"\n{name}: {path}")


def _convert(row: Mapping[str, object], function: Callable[[object], object]) -> dict[str, object]:
    return {name: function(value) for name, value in row.items()}


def _write_four_questions(
    applicable: "ApplicableTasks", runs: Sequence[Path], corpora: Sequence[Path], folder: Path, *, card: bool
) -> None:
    """Write the page and the plot of all questions. If ``card`` is true, also print a section for a model card."""
    from selfknow.models.address import without_credentials
    from selfknow.reproduce.four_questions import write_page

    command = shlex.join(["selfknow", *map(without_credentials, sys.argv[1:])])
    page, section = write_page(applicable, runs, corpora, folder, command=command)
    for line in applicable.not_asked:
        typer.echo(f"not asked: {line}", err=True)
    typer.echo(f"the page: {page}", err=True)
    if card:
        typer.echo(section, nl=False)
