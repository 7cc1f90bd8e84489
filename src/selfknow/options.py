"""Fields of options: a frozen dataclass declares them, and the command line offers each as an option."""

import operator
from dataclasses import field, fields
from enum import StrEnum
from typing import Any

from selfknow.errors import UserError, nearest

_LIMITS = {
    "minimum": ("at least", operator.ge),
    "above": ("above", operator.gt),
    "maximum": ("at most", operator.le),
    "below": ("below", operator.lt),
}


def option(
    default: Any,
    help: str,  # noqa: A002
    *,
    panel: str | None = None,
    switch: str | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
    above: float | None = None,
    below: float | None = None,
    metavar: str | None = None,
    type: type | None = None,  # noqa: A002
) -> Any:
    """Declare a field of an options class that the command line offers as ``--field-name``.

    A field of type ``bool`` is a switch without a value; one of type ``tuple[str, ...]`` may be repeated.

    Args:
        default: Default value.
        help: One line of ``--help``.
        panel: Panel of ``--help``; by default, the class's own.
        switch: The two words of a switch that may also be left out, such as ``chat/no-chat``.
        minimum: Smallest number allowed.
        maximum: Largest number allowed.
        above: Bound that a number must exceed. :func:`check_options` checks it, since the command line cannot.
        below: Bound that a number must stay below, checked in the same way.
        metavar: Placeholder of the value in ``--help``.
        type: Type on the command line, if Python allows more than text can express.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Options:
        ...     limit: int | None = option(None, "Ask only so many questions.", minimum=1)
        >>> Options(limit=3).limit
        3
    """
    metadata = {
        "help": help,
        "panel": panel,
        "switch": switch,
        "minimum": minimum,
        "maximum": maximum,
        "above": above,
        "below": below,
        "metavar": metavar,
        "type": type,
    }
    return field(default=default, metadata=metadata)


def check_options(values: Any, declared: Any) -> None:
    """Check the values of options, since those from Python and from files come unchecked.

    Args:
        values: An object with the fields of ``declared``; a null is always allowed.
        declared: The options class that declares the fields and their bounds.

    Raises:
        UserError: A number is out of its range or no number, or a word is not in its enumeration.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Options:
        ...     dropout: float = option(0.1, "The dropout rate.", minimum=0, below=1)
        >>> check_options(Options(1.0), Options)
        Traceback (most recent call last):
        selfknow.errors.UserError: dropout must be at least 0 and below 1, not 1.0
    """
    for each in fields(declared):
        value, bounds = getattr(values, each.name), each.metadata
        if isinstance(each.default, StrEnum) and value not in (words := [str(word) for word in type(each.default)]):
            raise UserError(f"unknown {each.name.replace('_', ' ')} {value!r}{nearest(str(value), words)}")
        if value is None:
            continue
        limits = {name: bounds[name] for name in _LIMITS if bounds[name] is not None}
        if limits and not isinstance(value, int | float):
            raise UserError(f"{each.name} must be a number, not {value!r}")
        if not all(_LIMITS[name][1](value, limit) for name, limit in limits.items()):
            rule = " and ".join(f"{_LIMITS[name][0]} {limit:g}" for name, limit in limits.items())
            raise UserError(f"{each.name} must be {rule}, not {value}")
