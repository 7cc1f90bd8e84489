"""Values of options as the command lines of other tools read them: YAML or Python literals, and lists at commas.

Inspect reads ``-T prompts=null,without`` as a list and ``-T prompts=null`` as nothing. The names in our options are
texts, so they become texts again.
"""

from collections.abc import Sequence
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin

from selfknow.errors import UserError


def as_declared(name: str, value: Any, declared: Any) -> Any:
    """Return the value of an option as its field declares it.

    Args:
        name: The option.
        value: The value that another tool read.
        declared: The type of the option's field, such as ``str`` or ``int | None``.

    Raises:
        UserError: It is not such a value.

    Example:
        >>> as_declared("prompts", ["attributed", "without"], str)
        'attributed,without'
        >>> as_declared("prompts", None, str), as_declared("limit", None, int | None)
        ('null', None)
        >>> as_declared("style", "plain", tuple[str, ...])
        ('plain',)
    """
    types = get_args(declared) if get_origin(declared) is not tuple else (tuple,)
    types = types or (declared,)
    if value is None and NoneType in types:
        return None
    if tuple in types:
        return tuple(as_text(name, each) for each in (value if isinstance(value, list | tuple) else [value]))
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
    """Return the text that a tool's command line read as a list, a whole number or nothing.

    Args:
        name: The option.
        value: The value.

    Raises:
        UserError: The text is lost: ``yes`` was read as true, ``1.10`` as 1.1, ``{a: 1}`` as a mapping.

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
