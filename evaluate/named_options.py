"""Options by name: which options class a name is of, and a class filled with those that are its own."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin

from selfknow.errors import UserError, argument, nearest
from selfknow.evaluate.catalogue import set_patterns
from selfknow.options import check_options

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

OptionsClass = TypeVar("OptionsClass", bound="DataclassInstance")


def check_names(values: Mapping[str, Any], options: Sequence[type[Any]], name: str) -> None:
    """Refuse an option that nobody here knows, with whose it is or which one is near.

    Raises:
        UserError: There is one.
    """
    known = [field_.name for of in options for field_ in fields(of)]
    for value in values:
        if value not in known:
            if others := set_patterns(value):
                raise UserError(f"the option {value} is for {', '.join(others)}, not for {name}")
            raise UserError(f"{name} has no option {value!r}{nearest(value, known)}")


def filled(options: type[OptionsClass], values: Mapping[str, Any]) -> OptionsClass:
    """Return an options class with those of these values that are its own.

    Raises:
        UserError: A value is out of its range.
    """
    own = {field_.name: _typed(values[field_.name], field_.type) for field_ in fields(options) if field_.name in values}
    chosen = options(**own)
    check_options(chosen, options)
    return chosen


def with_values(options: OptionsClass | None, known: type[OptionsClass], values: Mapping[str, Any]) -> OptionsClass:
    """Return options, or a task's defaults where there are none, with those of these values that are their own.

    Raises:
        UserError: They are the options of another task, or a value is out of its range.
    """
    if options is None:
        return filled(known, values)
    if type(options) is not known:
        raise UserError(f"{argument('options')} are {type(options).__name__}, and what is asked takes {known.__name__}")
    return filled(known, {**{field_.name: getattr(options, field_.name) for field_ in fields(known)}, **values})


def _typed(value: Any, declared: Any) -> Any:
    """Return a value as its field declares it: a single text becomes a tuple or a path where the field holds one."""
    if get_origin(declared) is tuple and not isinstance(value, tuple):
        return (value,) if isinstance(value, str) else tuple(value)
    return Path(value) if isinstance(value, str) and Path in get_args(declared) else value
