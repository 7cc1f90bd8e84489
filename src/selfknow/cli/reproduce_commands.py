"""The commands that plans are made of. They check a plan's settings as they check a command line."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from selfknow.errors import UserError
from selfknow.reproduce.commands import Command, Commands

# A plan cannot choose a cell's folder or how its result is printed.
_HIDDEN = {"--out", "--format", "--help"}
# These options are keys of a plan's blocks, `data` and `model`, and no settings.
_SUBJECTS = {"train": {"--data"}, "evaluate": {"--model"}, "tune": {"--model"}, "score": set[str]()}


def plan_commands() -> Commands:
    """Return the commands that plans are made of."""
    import typer

    from selfknow.cli import creations
    from selfknow.cli.options import command, parameters
    from selfknow.cli.train import train
    from selfknow.train.options import TrainingOptions

    group: Any = typer.main.get_command(creations.app)
    return Commands(
        train=_command("train", "train", command(train, parameters(TrainingOptions))),
        evaluate=cache(_evaluate_command),  # Typer takes long to make a command, and many cells share one
        score=cache(_score_command),
        tune=_command("tune", "advanced creations tune", group.commands["tune"]),
    )


def _evaluate_command(task: str) -> Command:
    from selfknow.cli.evaluate import command_for

    return _command("evaluate", f"evaluate {task}", command_for([task]))


def _score_command(task: str) -> Command:
    from selfknow.cli.options import command, parameters
    from selfknow.cli.score import score
    from selfknow.evaluate.catalogue import TASKS

    options = next(definition.score_options for definition in TASKS if definition.name == task)
    return _command("score", "score", command(score, parameters(options, task)))


def _command(verb: str, name: str, command: Any) -> Command:
    def read(words: Sequence[str]) -> Mapping[str, Any]:
        from typer.exceptions import TyperException

        try:
            return dict(command.make_context(verb, list(words)).params)
        except TyperException as error:
            raise UserError(error.format_message()) from error

    options = {
        flag.removeprefix("--"): parameter
        for parameter in command.params
        if parameter.param_type_name == "option"
        for flag in parameter.opts
        if flag.startswith("--") and flag not in _HIDDEN | _SUBJECTS[verb]
    }
    return Command(name, options, read)
