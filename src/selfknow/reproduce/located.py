"""YAML with line numbers: mappings and lists of plain values, of which every error names the file and the line."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import yaml

from selfknow.errors import UserError, nearest

Scalar = str | int | float | bool
Value = Scalar | tuple[Scalar, ...]
"""One value of an option; several for an option that may be repeated."""


@dataclass(frozen=True)
class Located:
    """A place in a YAML file, or a value of the command line.

    Attributes:
        source: The file, or the option with its value, for messages.
        node: The YAML there.
        is_in_file: True if it has a line.
    """

    source: str
    node: yaml.Node
    is_in_file: bool = True

    def refuse(self, message: str) -> NoReturn:
        """Raise a UserError with one clear line about this place."""
        line = f", line {self.node.start_mark.line + 1}" if self.is_in_file else ""
        raise UserError(f"{self.source}{line}: {message}")

    def mapping(self, kind: str, known: Iterable[str] | None = None) -> "dict[str, Located]":
        """Return the values of a mapping by their keys.

        Args:
            kind: The kind of value that it should be, for the message.
            known: The allowed keys; null: any.

        Raises:
            UserError: It is not a mapping, or a key is not a string, unknown, or stands twice.
        """
        if not isinstance(self.node, yaml.MappingNode):
            self.refuse(f"expected {kind}, as `key: value`")
        by_name: dict[str, Located] = {}
        for key_node, node in self.node.value:
            key = Located(self.source, key_node)
            name = key.text("a key")
            if name in by_name:
                key.refuse(f"{name!r} is there twice")
            if known is not None and name not in known:
                key.refuse(f"unknown key {name!r}{nearest(name, known)}")
            by_name[name] = Located(self.source, node)
        return by_name

    def items(self, kind: str) -> "list[Located]":
        """Return the items of a list that is not empty; a single value is a list of one."""
        if not isinstance(self.node, yaml.SequenceNode):
            return [self]
        if not self.node.value:
            self.refuse(f"{kind} is an empty list: leave it out")
        return [Located(self.source, node, self.is_in_file) for node in self.node.value]

    def text(self, kind: str) -> str:
        """Return a text of one line; anything else is a UserError."""
        value = self._plain()
        if not isinstance(value, str) or not value.strip() or "\n" in value.strip():
            self.refuse(f"{kind} must be a text in one line" + ("" if value is None else f", not {value!r}"))
        return value.strip()

    def value(self, kind: str) -> Value:
        """Return a text, a number or a truth value, or the values of a repeated option; else raise a UserError."""
        values: list[Scalar] = []
        for place in self.items(kind):
            value = place._plain()
            if not isinstance(value, str | int | float | bool):
                place.refuse(f"{kind} must be a text, a number, true or false, or a list of them")
            values.append(value)
        return tuple(values) if isinstance(self.node, yaml.SequenceNode) else values[0]

    def _plain(self) -> Any:
        """Return a plain value; null if it is null, a list or a mapping."""
        try:
            return yaml.SafeLoader("").construct_object(self.node) if isinstance(self.node, yaml.ScalarNode) else None
        except (yaml.YAMLError, ValueError, OverflowError) as error:  # the 45th of May is a date to YAML
            self.refuse(str(error).splitlines()[0])


def read_option(option: str, text: str) -> tuple[str, Located]:
    """Return the name and the value of a ``NAME=VALUE`` of the command line.

    Args:
        option: The option, such as ``--train``.
        text: Its value, such as ``max-steps=20``.

    Raises:
        UserError: It has another form.

    Example:
        >>> name, place = read_option("--train", "packing=false")
        >>> name, place.value("packing")
        ('packing', False)
    """
    name, equals, value = text.partition("=")
    try:
        node: Any = yaml.compose(value, Loader=yaml.SafeLoader) if equals and name and value else None
    except (yaml.YAMLError, RecursionError):
        node = None
    if node is None:
        raise UserError(f"{option} takes NAME=VALUE, such as {option} seed=1, not {text!r}")
    return name.strip().replace("_", "-"), Located(f"{option} {text}", node, is_in_file=False)


def read_yaml(path: Path, source: str) -> Located:
    """Read a YAML file of one document, which messages call ``source``.

    Raises:
        UserError: It cannot be read, is no YAML, or is empty.
    """
    try:
        node: Any = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = "" if error.problem_mark is None else f", line {error.problem_mark.line + 1}"
        raise UserError(f"{source}{line}: this is not YAML: {error.problem}") from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:  # such as a control character
        raise UserError(f"{source} cannot be read: {' '.join(str(error).split())}") from error
    except RecursionError as error:
        raise UserError(f"{source} is nested too deeply") from error
    if node is None:
        raise UserError(f"{path} is empty")
    return Located(source, node)
