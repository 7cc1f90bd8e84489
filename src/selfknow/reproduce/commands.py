"""The command line as plans need it: its options, and a check of a call.

The command line itself gives these (``selfknow.cli.reproduce``): a plan is checked against the very options that
`selfknow train` and `selfknow evaluate` take, and there is no second list of them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from selfknow.errors import nearest
from selfknow.reproduce.located import Located, Value


@dataclass(frozen=True)
class Option:
    """One option of a command.

    Attributes:
        flag: ``--max-steps``.
        is_switch: Whether it takes no value.
        off: What a switch is turned off with (``--no-packing``); null: by leaving it out.
        is_repeated: Whether it may be given several times.
    """

    flag: str
    is_switch: bool = False
    off: str | None = None
    is_repeated: bool = False


@dataclass(frozen=True)
class Command:
    """One command with its options.

    Attributes:
        name: ``train``, ``evaluate diary-recall``.
        options: By their long names without dashes before them: ``max-steps``.
        read: Reads the words after the command's name as the command line does: the values of all its parameters,
            by name. Raises UserError for what the command line would refuse.
    """

    name: str
    options: Mapping[str, Option]
    read: Callable[[Sequence[str]], Mapping[str, Any]]


@dataclass(frozen=True)
class Commands:
    """Return the commands that plans are made of.

    Attributes:
        train: ``selfknow train``.
        evaluate: ``selfknow evaluate TASK``, by what stands for TASK.
        score: ``selfknow score`` of a run of a task, by the task's name.
        tune: ``selfknow creations tune``.
    """

    train: Command
    evaluate: Callable[[str], Command]
    score: Callable[[str], Command]
    tune: Command


def words_of(command: Command, name: str, value: Value, place: Located) -> list[str]:
    """One setting as words of a command line.

    Args:
        command: Whose option it is.
        name: ``max-steps``.
        value: True and false for a switch, several values for an option that may be repeated.
        place: Where it stands in the plan.

    Raises:
        UserError: The command has no such option, or it takes no such value.

    Example:
        >>> command = Command("train", {"packing": Option("--packing", True, "--no-packing")}, lambda words: {})
        >>> words_of(command, "packing", False, place)  # doctest: +SKIP
        ['--no-packing']
    """
    option = command.options.get(name)
    if option is None:
        place.refuse(f"`selfknow {command.name}` has no option {name!r}{nearest(name, command.options)}")
    if option.is_switch != isinstance(value, bool):
        wanted = "true or false" if option.is_switch else "a value, not true or false"
        place.refuse(f"{name!r} takes {wanted}" + (f", not {value!r}" if option.is_switch else ""))
    if isinstance(value, bool):
        off = [] if option.off is None else [option.off]
        return [option.flag] if value else off
    if isinstance(value, tuple):
        if not option.is_repeated:
            place.refuse(f"{name!r} takes one value: a list in a list is for options that may be repeated")
        return [word for item in value for word in (option.flag, str(item))]
    return [option.flag, str(value)]
