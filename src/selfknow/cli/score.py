"""``selfknow score``: every score of a run that a program can compute."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from selfknow.cli.compact_help import CompactCommand
from selfknow.cli.options import command, help_rows, own_parameters, parameters, read_line, unchecked_options
from selfknow.cli.output import Format, print_rows
from selfknow.errors import UserError


def score(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.", show_default=False)],
    output_format: Annotated[
        Format, typer.Option("--format", help="The format of the result on stdout.")
    ] = Format.table,
    **options: Any,
) -> None:
    """Score a run folder, and print the mean of every metric.

    `n` counts the scores of a metric, `n_graded` those with a value. Scores go to RUN/scores, parsed replies to
    RUN/parsed.

    **Example:** `selfknow score runs/tiny`
    """
    from selfknow.evaluate.run import Run

    print_rows(Run(run).score(**options), output_format)


class ScoreCommand(CompactCommand):
    """``selfknow score``, which takes the options of the run's task."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Find the run in the arguments, and let the command for its task parse them."""
        return _command_for(args).make_context(info_name, args, parent=parent, **extra)


def _command_for(arguments: Sequence[str]) -> CompactCommand:
    """Return the command with the options of the named run's task, or of all tasks if the arguments name no run.

    Raises:
        UserError: The named path is not a run folder, or an option belongs to another task.
    """
    from selfknow.evaluate.catalogue import TASKS, task_of_run

    options_by_task = {task.name: parameters(task.score_options, task.name) for task in TASKS}
    all_options = [option for options in options_by_task.values() for option in options]
    line = read_line([*own_parameters(score), *all_options], arguments)
    if line.argument is None:
        sections = {f"Runs of {name}": help_rows(options) for name, options in options_by_task.items() if options}
        return command(score, unchecked_options(all_options), sections=sections, examples=["selfknow score runs/model"])
    from selfknow.files import read_json

    task = task_of_run(line.argument, read_json(Path(line.argument) / "run.json"))
    options = options_by_task[task.name]
    known = {parameter.name for parameter in [*own_parameters(score), *options]}
    for name in line.options:
        if name not in known:
            names_by_task = {owner: {option.name for option in options} for owner, options in options_by_task.items()}
            owners = [owner for owner, names in names_by_task.items() if name in names]
            flag = f"--{name.replace('_', '-')}"
            raise UserError(f"{flag} is for runs of {', '.join(owners)}, and {line.argument} is a run of {task.name}")
    return command(score, options, examples=[f"selfknow score {line.argument}"], explains_arguments=False)
