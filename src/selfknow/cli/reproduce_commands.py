"""The options of `train`, `evaluate` and `score` as plans know them, from the very commands of this command line."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from selfknow.errors import UserError
from selfknow.reproduce.commands import Command, Commands, Option

_PLACES = {"--out", "--format", "--help"}
"""What a plan does not say: where a cell lies and how its result is printed is not its to choose."""
_SUBJECTS = {"train": {"--data"}, "evaluate": {"--model"}, "tune": {"--model"}, "score": set[str]()}


def plan_commands() -> Commands:
    """Return the commands that plans are made of."""
    import typer

    from selfknow.cli.app import app
    from selfknow.cli.options import command, parameters
    from selfknow.cli.train import train
    from selfknow.train.options import TrainingOptions

    trains = command(train, parameters(TrainingOptions))
    group: Any = typer.main.get_command(app)
    tunes: Any = group.commands["creations"].commands["tune"]
    return Commands(
        train=_described("train", "train", trains),
        evaluate=_evaluate_command,
        score=_score_command,
        tune=_described("tune", "creations tune", tunes),
    )


def _evaluate_command(task: str) -> Command:
    from selfknow.cli.evaluate import command_for

    return _described("evaluate", f"evaluate {task}", command_for([task]))


def _score_command(task: str) -> Command:
    from selfknow.cli.options import command, parameters
    from selfknow.cli.score import score
    from selfknow.evaluate.catalogue import TASKS

    task_definition = next(definition for definition in TASKS if definition.name == task)
    return _described("score", "score", command(score, parameters(task_definition.score_options, task)))


def _described(verb: str, name: str, command: Any) -> Command:
    hidden = _PLACES | _SUBJECTS[verb]
    options = {
        flag.removeprefix("--"): Option(
            flag,
            parameter.is_flag,
            parameter.secondary_opts[0] if parameter.secondary_opts else None,
            parameter.multiple,
        )
        for parameter in command.params
        if parameter.param_type_name == "option"
        for flag in parameter.opts
        if flag.startswith("--") and flag not in hidden
    }
    return Command(name, options, _reading(verb, command))


def _reading(verb: str, command: Any) -> Callable[[Sequence[str]], Mapping[str, Any]]:
    def read(words: Sequence[str]) -> Mapping[str, Any]:
        from typer.exceptions import TyperException

        try:
            return dict(command.make_context(verb, list(words)).params)
        except TyperException as error:
            raise UserError(error.format_message()) from error

    return read
