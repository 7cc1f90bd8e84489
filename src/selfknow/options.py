"""Options that a frozen dataclass declares as fields; the command line offers each field as an option."""

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

    A field of type ``bool`` becomes a switch without a value. A field of type ``tuple[str, ...]`` may be repeated.

    Args:
        default: Default value.
        help: One line of ``--help``.
        panel: Panel of ``--help``; null uses the panel of the class.
        switch: The two flags of a switch that may also be left out, such as ``chat/no-chat``.
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
    """Check the values of options; nothing else checks values from Python or from files.

    Args:
        values: An object with the fields of ``declared``; null is always allowed.
        declared: The options class that declares the fields and their bounds.

    Raises:
        UserError: A number is out of range, a value is not a number, or a word is unknown.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Options:
        ...     dropout: float = option(0.1, "The dropout rate.", minimum=0, below=1)
        >>> check_options(Options(1.0), Options)
        Traceback (most recent call last):
        selfknow.errors.UserError: dropout must be at least 0 and below 1, not 1.0
    """
    for declaration in fields(declared):
        name, default = declaration.name, declaration.default
        value = getattr(values, name)
        words = [str(word) for word in type(default)] if isinstance(default, StrEnum) else None
        if words is not None and value not in words:
            raise UserError(f"unknown {name.replace('_', ' ')} {value!r}{nearest(str(value), words)}")
        if value is None:
            continue
        limits = {key: declaration.metadata[key] for key in _LIMITS if declaration.metadata[key] is not None}
        if limits and not isinstance(value, int | float):
            raise UserError(f"{name} must be a number, not {value!r}")
        if not all(_LIMITS[key][1](value, limit) for key, limit in limits.items()):
            rule = " and ".join(f"{_LIMITS[key][0]} {limit:g}" for key, limit in limits.items())
            raise UserError(f"{name} must be {rule}, not {value}")
