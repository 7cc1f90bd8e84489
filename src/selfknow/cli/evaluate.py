"""``selfknow evaluate``: the questions of a task, put to a model, and its replies in a run folder."""

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from selfknow.cli.compact_help import CompactCommand
from selfknow.cli.options import command, own_parameters, parameters, read_line, unchecked_options
from selfknow.cli.output import Format, print_rows
from selfknow.errors import UserError

STOPPED = 3
"""The exit code of a run that stopped at a limit, such as ``--max-requests``, and can be resumed."""


def evaluate(
    task: Annotated[
        str,
        typer.Argument(
            metavar="TASK", help="The task and its question set, or a dataset as FOLDER:CONFIG or ORG/NAME:CONFIG."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(help="The run folder; give the same command again to resume.", metavar="FOLDER"),
    ],
    output_format: Annotated[
        Format, typer.Option("--format", help="The format of the result on stdout.")
    ] = Format.table,
    **options: Any,
) -> None:
    """Ask a model, and record its replies. Exit code 1: requests failed; 3: a limit stopped the run.

    **Example:** `selfknow evaluate TASK --model MODEL --out runs/model`
    """
    from selfknow.evaluate.run import ask

    run = ask(task, out=out, **options)
    if run.cost is not None:
        print_rows(run.cost, output_format)
        for note in run.cost.notes:
            typer.echo(note, err=True)
        return
    rows = [
        {
            "run": str(run.folder),
            "stage": progress.stage,
            "model": progress.model,
            "requested": progress.requested,
            "answered_before": progress.answered_before,
            "answered": progress.answered,
            "failed": progress.failed,
        }
        for progress in run.progress
    ]
    print_rows(rows, output_format)
    if run.stopped:
        raise typer.Exit(STOPPED)
    if any(progress.failed for progress in run.progress):
        raise typer.Exit(1)


class EvaluateCommand(CompactCommand):
    """``selfknow evaluate``, which takes the options of the task named on its command line."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Find the task in the arguments, and let the command of that task parse them."""
        return command_for(args).make_context(info_name, args, parent=parent, **extra)


def command_for(arguments: Sequence[str]) -> CompactCommand:
    """Return the command of the task that the arguments name; if they name none, a command that lists the tasks.

    Raises:
        UserError: There is no such task, or an option belongs to another task.
    """
    from selfknow.evaluate.catalogue import TASKS, find_task, set_patterns

    all_task_parameters = [
        parameter for task in TASKS for options in task.options.values() for parameter in parameters(options)
    ]
    line = read_line([*own_parameters(evaluate), *_common_parameters(), *all_task_parameters], arguments)
    if line.argument is None:
        return command(
            evaluate,
            [*_common_parameters(), *unchecked_options(all_task_parameters)],
            sections={"Tasks": _tasks()},
            examples=_EXAMPLES,
        )
    task, options = find_task(line.argument)
    known = {parameter.name for parameter in [*own_parameters(evaluate), *_common_parameters(), *parameters(options)]}
    for name in line.options:
        if name not in known:
            flag = f"--{name.replace('_', '-')}"
            raise UserError(f"{flag} is for {', '.join(set_patterns(name))}, not for {line.argument}")
    usages = [usage for usage in task.usage if find_task(usage.split()[0]).options is options]
    examples = [f"selfknow evaluate {usage} --model MODEL --out RUN" for usage in usages]
    task_parameters = parameters(options, task.name)
    return command(evaluate, [*task_parameters, *_common_parameters()], examples=examples, explains_arguments=False)


def _common_parameters() -> list[inspect.Parameter]:
    """Return the options that every task takes."""
    from selfknow.evaluate.cost import CostOptions
    from selfknow.models.interface import ReplyOptions
    from selfknow.models.opening import ModelOptions

    return [*parameters(ReplyOptions), *parameters(CostOptions), *parameters(ModelOptions, "Models")]


_EXAMPLES = (
    "selfknow evaluate TASK --help      the options of this task",
    "selfknow evaluate TASK --model MODEL --out runs/model",
    "selfknow evaluate TASK --endpoint http://localhost:8000 --model NAME --out runs/served",
    "selfknow evaluate FOLDER:CONFIG --model MODEL --out runs/model",
)


def _tasks() -> list[tuple[str, str]]:
    from selfknow.evaluate.catalogue import TASKS

    return [(task.usage[0].split()[0], task.question) for task in TASKS]
