"""The commands that plans call. Their options come from the command line, so that there is no second list of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from selfknow.errors import nearest
from selfknow.reproduce.located import Located, Value


@dataclass(frozen=True)
class Command:
    """One command with its options.

    Attributes:
        name: The command's words after ``selfknow``, such as ``evaluate diary-recall``.
        options: Typer's options, by their names without leading dashes, such as ``max-steps``.
        read: Parses the words after the command's name as the command line does, and returns the values of all
            parameters by name. Raises UserError for words that the command line refuses.
    """

    name: str
    options: Mapping[str, Any]
    read: Callable[[Sequence[str]], Mapping[str, Any]]


@dataclass(frozen=True)
class Commands:
    """The commands that plans are made of.

    Attributes:
        train: ``selfknow train``.
        evaluate: Returns ``selfknow evaluate TASK`` for a task with its question set, such as ``according-to:nq``.
        score: Returns ``selfknow score`` for runs of a task, by the task's name.
        tune: ``selfknow advanced creations tune``.
    """

    train: Command
    evaluate: Callable[[str], Command]
    score: Callable[[str], Command]
    tune: Command


def option_words(command: Command, name: str, value: Value, place: Located) -> list[str]:
    """Return one setting as words of a command line: ``packing: false`` becomes ``--no-packing``.

    Args:
        command: The command.
        name: The option, such as ``max-steps``.
        value: True or false for a switch, several values for an option that may be repeated.
        place: The setting's place in the plan.

    Raises:
        UserError: The command has no such option, or the option does not take such a value.
    """
    option, flag = command.options.get(name), f"--{name}"
    if option is None:
        place.refuse(f"`selfknow {command.name}` has no option {name!r}{nearest(name, command.options)}")
    if option.is_flag != isinstance(value, bool):
        expected = f"true or false, not {value!r}" if option.is_flag else "a value, not true or false"
        place.refuse(f"{name!r} takes {expected}")
    if isinstance(value, bool):
        return [flag] if value else option.secondary_opts[:1]
    if isinstance(value, tuple) and not option.multiple:
        place.refuse(f"{name!r} takes one value: a list in a list is for options that may be repeated")
    values = value if isinstance(value, tuple) else (value,)
    return [word for item in values for word in (flag, str(item))]
