"""The conversion of option values that other tools read from their command lines.

These tools parse values as YAML or Python literals, and split them at commas. For example, Inspect reads
``-T prompts=null,without`` as a list and ``-T prompts=null`` as null. Our options are texts, so the values become texts
again.
"""

from collections.abc import Sequence
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin

from selfknow.errors import UserError


def as_declared(name: str, value: Any, declared: Any) -> Any:
    """Return the value of an option as its field declares it.

    Args:
        name: Name of the option.
        value: The value that another tool read.
        declared: The type of the option's field, such as ``str`` or ``int | None``.

    Raises:
        UserError: The value is not of this type.

    Example:
        >>> as_declared("prompts", ["attributed", "without"], str)
        'attributed,without'
        >>> as_declared("prompts", None, str), as_declared("limit", None, int | None)
        ('null', None)
        >>> as_declared("style", "plain", tuple[str, ...])
        ('plain',)
    """
    types = (tuple,) if get_origin(declared) is tuple else (get_args(declared) or (declared,))
    if value is None and NoneType in types:
        return None
    if tuple in types:
        values = value if isinstance(value, list | tuple) else [value]
        return tuple(as_text(name, part) for part in values)
    if bool in types:
        if isinstance(value, bool):
            return value
        raise UserError(f"{name} must be true or false, not {value!r}")
    if int in types:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        raise UserError(f"{name} must be a whole number, not {value!r}")
    return value if isinstance(value, Path) else as_text(name, value)


def as_text(name: str, value: Any) -> str:
    """Return the text that a tool's command line read as a list, a whole number or null.

    Args:
        name: Name of the option.
        value: The value that the tool read.

    Raises:
        UserError: The text cannot be restored, such as ``yes`` read as true or ``1.10`` read as 1.1.

    Example:
        >>> as_text("corpus_name", ["Tom", " Dick"]), as_text("corpus_name", 1984)
        ('Tom, Dick', '1984')
    """
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, Sequence):
        return ",".join(as_text(name, part) for part in value)
    raise UserError(f"{name} must be a text, not {value!r}: write {name}='\"…\"'")
