"""Options by their names: checks of the names, and options made from the values."""

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
    """Check that every option belongs to one of these options classes.

    Raises:
        UserError: An option is unknown; the message names the sets that take it, or a similar option.
    """
    known = [field_.name for options_class in options for field_ in fields(options_class)]
    for value in values:
        if value not in known:
            if others := set_patterns(value):
                raise UserError(f"the option {value} is for {', '.join(others)}, not for {name}")
            raise UserError(f"{name} has no option {value!r}{nearest(value, known)}")


def options_from(options: type[OptionsClass], values: Mapping[str, Any]) -> OptionsClass:
    """Return the options of a class from the values of its fields; other values are ignored.

    Raises:
        UserError: A value is out of its range.
    """
    own_fields = [field_ for field_ in fields(options) if field_.name in values]
    result = options(**{field_.name: _typed(values[field_.name], field_.type) for field_ in own_fields})
    check_options(result, options)
    return result


def with_values(options: OptionsClass | None, known: type[OptionsClass], values: Mapping[str, Any]) -> OptionsClass:
    """Return options, or a task's defaults if there are none, with these values in place of their own.

    Raises:
        UserError: The options are those of another task, or a value is out of its range.
    """
    if options is None:
        return options_from(known, values)
    if type(options) is not known:
        raise UserError(f"{argument('options')} are {type(options).__name__}: use {known.__name__}")
    return options_from(known, {**{field_.name: getattr(options, field_.name) for field_ in fields(known)}, **values})


def _typed(value: Any, declared: Any) -> Any:
    """Return a value in its field's type: a text becomes a tuple or a path if the field is one."""
    if get_origin(declared) is tuple and not isinstance(value, tuple):
        return (value,) if isinstance(value, str) else tuple(value)
    return Path(value) if isinstance(value, str) and Path in get_args(declared) else value
