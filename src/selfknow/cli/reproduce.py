"""``selfknow reproduce``: a paper's table or figure, or an experiment of one's own, from a plan."""

import json
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfknow.cli.output import Format, print_rows
from selfknow.errors import UserError
from selfknow.files import user_path

if TYPE_CHECKING:
    from selfknow.reproduce.cells import Cell
    from selfknow.reproduce.changes import Changes
    from selfknow.reproduce.conclude import Conclusion
    from selfknow.reproduce.four_questions import Fit
    from selfknow.reproduce.launch import Launch
    from selfknow.reproduce.plan import Plan
    from selfknow.reproduce.states import States

Repeated = list[str] | None


def reproduce(
    plan: Annotated[
        str | None,
        typer.Argument(metavar="PAPER/NAME|FILE.yaml", help="The plan; none: list them.", show_default=False),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where everything goes; give the same command again to resume.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would run, and what it takes.")] = False,
    shard: Annotated[
        str | None, typer.Option(metavar="I/N", help="Run only every Nth cell, from the Ith on: for array jobs.")
    ] = None,
    models: Annotated[
        Repeated, typer.Option("--models", "--model", metavar="NAME,…", help="Only these models, or others instead.")
    ] = None,
    sizes: Annotated[
        Repeated, typer.Option(metavar="1k,…", help="Only these sizes of corpora, or others instead.")
    ] = None,
    max_steps: Annotated[int | None, typer.Option(min=1, help="End every training here.", show_default=False)] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Ask at most this many questions.", show_default=False)
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
        Repeated, typer.Option(metavar="NAME=VALUE", help="An option of every training; repeatable.")
    ] = None,
    evaluate: Annotated[
        Repeated, typer.Option(metavar="NAME=VALUE", help="An option of every evaluation; repeatable.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1, help="Cells side by side. Default: one a core; with a GPU or an endpoint one.", show_default=False
        ),
    ] = None,
    launcher: Annotated[
        str | None, typer.Option(metavar="COMMAND", help="What starts trainings: `torchrun --nproc-per-node 4 -m`.")
    ] = None,
    throughput: Annotated[
        float | None, typer.Option(metavar="NUMBER", help="With --dry-run: operations per second. Default: measured.")
    ] = None,
    portrait: Annotated[
        str | None,
        typer.Option(metavar="FOLDER|ORG/NAME", help="With four-questions: the portrait of the model's corpus."),
    ] = None,
    questions: Annotated[
        str, typer.Option(metavar="SET|FILE", help="With four-questions: the questions for quoting.")
    ] = "nq",
    card: Annotated[bool, typer.Option("--card", help="With four-questions: print a model card's section.")] = False,
    output_format: Annotated[Format, typer.Option("--format", help="How tables are printed on stdout.")] = Format.table,
) -> None:
    """Run a plan: train and ask its models, and print its tables beside the paper's.

    Without a plan, list the papers' plans. Exit code 1: a cell failed; run the same command again.

    **Examples:**

    `selfknow reproduce how-much-they-know/table-1 --out table-1 --dry-run`

    `selfknow reproduce how-much-they-know/figure-2 --out figure-2 --shard 3/16`

    `selfknow reproduce my-plan.yaml --out mine --models opt-7m --sizes 1k,2k`

    `selfknow reproduce four-questions --model MODEL --out model --card`
    """
    from selfknow.cli import demo_inputs
    from selfknow.cli.reproduce_commands import plan_commands
    from selfknow.reproduce import four_questions
    from selfknow.reproduce.cells import expand, read_shard
    from selfknow.reproduce.listing import plan_rows
    from selfknow.reproduce.plan import find_plan, read_plan

    if plan is None:
        print_rows(plan_rows(), output_format)
        return
    if out is None:
        if plan != four_questions.NAME:
            find_plan(plan)
        raise UserError(f"say where everything goes: selfknow reproduce {plan} --out FOLDER")
    fit = None
    if plan == four_questions.NAME:
        fit = four_questions.fit_of(models, evaluate, portrait, questions)
        chosen_plan = read_plan(four_questions.write_plan(fit, out))
    elif card:
        raise UserError(f"--card is for {four_questions.NAME}: other plans have no section for a model card")
    else:
        chosen_plan = find_plan(plan)
        if plan == demo_inputs.NAME:
            demo_inputs.fetch_inputs(out.resolve())
            demo_inputs.build_inputs(out.resolve())
    changes = _changes(models, sizes, data, checkpoint, {"max-steps": max_steps}, train, {"limit": limit}, evaluate)
    if output_format is Format.csv and not dry_run:
        raise UserError("a plan ends with several tables, which do not fit into one CSV: use --format json")
    folder = out.resolve()
    commands = plan_commands()
    cells = expand(chosen_plan, commands, folder, changes)
    mine = cells if shard is None else read_shard(cells, shard)
    if dry_run:
        _print_costs(mine, folder, throughput, output_format)
    else:
        with workers(mine, jobs, shlex.split(launcher or "")) as launches:
            _run(chosen_plan, cells, mine, folder, launches, output_format, fit=fit, card=card)


def _changes(
    models: Repeated,
    sizes: Repeated,
    data: str | None,
    checkpoint: Repeated,
    of_trainings: Mapping[str, int | None],
    train: Repeated,
    of_evaluations: Mapping[str, int | None],
    evaluate: Repeated,
) -> "Changes":
    from selfknow.reproduce.changes import Changes, read_checkpoints, read_options, split_commas

    def as_options(values: Mapping[str, int | None]) -> list[str]:
        return [f"{name}={value}" for name, value in values.items() if value is not None]

    return Changes(
        models=split_commas(models or []),
        sizes=split_commas(sizes or []),
        data=data if data is None or not user_path(data).is_dir() else str(user_path(data).resolve()),
        checkpoints=read_checkpoints(checkpoint or []),
        train=read_options("--train", [*(train or []), *as_options(of_trainings)]),
        evaluate=read_options("--evaluate", [*(evaluate or []), *as_options(of_evaluations)]),
    )


@contextmanager
def workers(
    cells: "Sequence[Cell]", jobs: int | None = None, launcher: Sequence[str] = ()
) -> "Iterator[Sequence[Launch]]":
    """Give what runs these cells side by side, and share the cores out.

    Args:
        cells: The cells of this job.
        jobs: How many cells at a time; null: as many as fit this machine.
        launcher: What starts trainings.
    """
    from selfknow.reproduce.launch import Worker
    from selfknow.reproduce.run import num_cores, num_jobs

    jobs = jobs or num_jobs(cells, launcher)
    num_threads = max(1, num_cores() // jobs) if jobs > 1 else None
    with ExitStack() as stack:
        yield [stack.enter_context(Worker(launcher, num_threads)) for _ in range(jobs)]


def _print_costs(cells: "Sequence[Cell]", folder: Path, throughput: float | None, output_format: Format) -> None:
    from selfknow.reproduce.corpora import corpora_in
    from selfknow.reproduce.estimate import ASSUMPTIONS, cost_rows
    from selfknow.reproduce.states import States

    with corpora_in(folder):
        rows, assumed = cost_rows(cells, States(folder), throughput)
    around = Path.cwd()
    print_rows([{**row, "command": cell.shown(around)} for row, cell in zip(rows, cells, strict=True)], output_format)
    typer.echo(f"{assumed} {ASSUMPTIONS}", err=output_format is not Format.table)


def _run(
    plan: "Plan",
    cells: "Sequence[Cell]",
    mine: "Sequence[Cell]",
    folder: Path,
    launches: "Sequence[Launch]",
    output_format: Format,
    *,
    fit: "Fit | None" = None,
    card: bool = False,
) -> None:
    """Run this job's cells; whoever finds all of the plan's ended says what came of it."""
    from selfknow.reproduce.conclude import cell_rows, conclude, runs_of, trainings_asked
    from selfknow.reproduce.corpora import corpora_in, corpus_folders
    from selfknow.reproduce.run import run_cells
    from selfknow.reproduce.states import State, States

    states = States(folder)
    with corpora_in(folder):
        corpus_folders(mine)
        run_cells(mine, folder, *launches)
        left = [cell for cell in cells if states.read(cell).state in (State.missing, State.running)]
        if left:
            _say_missing(left, mine, states)
        else:
            corpora = corpus_folders(trainings_asked(cells, states))
            runs = runs_of(cells, states)
            if not card:
                conclusion = conclude(plan, runs, corpora, folder)
                _print_conclusion(cell_rows(cells, states), conclusion, output_format)
            if fit is not None:
                _four_questions(fit, runs, corpora, folder, card=card)
    if any(states.read(cell).state is not State.finished for cell in mine):
        raise typer.Exit(1)


def _four_questions(fit: "Fit", runs: Sequence[Path], corpora: Sequence[Path], folder: Path, *, card: bool) -> None:
    """Write the page and the plot of all questions, and print a card's section if it is wanted."""
    from selfknow.models.address import without_credentials
    from selfknow.reproduce.four_questions import write_page

    command = shlex.join(["selfknow", *map(without_credentials, sys.argv[1:])])
    page, section = write_page(fit, runs, corpora, folder, command=command)
    for line in fit.not_asked:
        typer.echo(f"not asked: {line}", err=True)
    typer.echo(f"the page: {page}", err=True)
    if card:
        typer.echo(section, nl=False)


def _say_missing(left: "Sequence[Cell]", mine: "Sequence[Cell]", states: "States") -> None:
    own = sum(cell in mine for cell in left)
    of_whom = "of this job" if own == len(left) else "of other jobs" if not own else f"({own} of this job)"
    typer.echo(f"{len(left)} cells {of_whom} are still to be run:", err=True)
    for cell in left:
        typer.echo(f"  {cell.name}: {states.read(cell).state}", err=True)
    typer.echo("whoever runs the last one prints the tables, or the same command without --shard", err=True)


def _print_conclusion(rows: Sequence[Mapping[str, object]], conclusion: "Conclusion", output_format: Format) -> None:
    from selfknow.cli.query import for_json, for_table

    if output_format is not Format.table:
        queries = {
            name: answer if isinstance(answer, str) else [_each(for_json, row) for row in answer]
            for name, answer in conclusion.queries.items()
        }
        figures = {name: str(path) for name, path in conclusion.figures.items()}
        whole = {"cells": rows, "queries": queries, "published": conclusion.published, "figures": figures}
        typer.echo(json.dumps(whole, indent=2, ensure_ascii=False))
        return
    print_rows(rows)
    for name, answer in conclusion.queries.items():
        typer.echo(f"\n{name}: {answer if isinstance(answer, str) else ''}".rstrip())
        if not isinstance(answer, str):
            print_rows([_each(for_table, row) for row in answer])
    for name, published in conclusion.published.items():
        typer.echo(f"\nthe paper's own numbers ({name}):")
        print_rows(published)
    for name, path in conclusion.figures.items():
        typer.echo(f"\n{name}: {path}")


def _each(shown: Callable[[object], object], row: Mapping[str, object]) -> dict[str, object]:
    return {name: shown(value) for name, value in row.items()}
