"""YAML with line numbers: mappings and lists of plain values. Every error names the file and the line."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import yaml

from selfknow.errors import UserError, nearest

Scalar = str | int | float | bool
Value = Scalar | tuple[Scalar, ...]
"""The value of an option, or several values of an option that may be repeated."""


@dataclass(frozen=True)
class Located:
    """A place in a YAML file or on the command line, with the YAML that stands there.

    Attributes:
        source: The file, or the option with its value, for error messages.
        node: The parsed YAML.
        is_in_file: True if the place is in a file; then error messages name the line.
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
            known: The allowed keys; null allows any key.

        Raises:
            UserError: There is no mapping, or a key is not a string, is unknown or is repeated.
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
        """Return the items of a list that is not empty; a single value counts as a list of one item."""
        if not isinstance(self.node, yaml.SequenceNode):
            return [self]
        if not self.node.value:
            self.refuse(f"{kind} is an empty list: leave it out")
        return [Located(self.source, node, self.is_in_file) for node in self.node.value]

    def text(self, kind: str) -> str:
        """Return a text of one line, or raise a UserError."""
        value = self._plain()
        if not isinstance(value, str) or not value.strip() or "\n" in value.strip():
            self.refuse(f"{kind} must be a text in one line" + ("" if value is None else f", not {value!r}"))
        return value.strip()

    def value(self, kind: str) -> Value:
        """Return a text, a number, true or false, or a tuple of them for a list; otherwise raise a UserError."""
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
        except (yaml.YAMLError, ValueError, OverflowError) as error:  # such as 2024-05-45, which YAML takes for a date
            self.refuse(str(error).splitlines()[0])


def read_option(option: str, text: str) -> tuple[str, Located]:
    """Return the name and the value of ``NAME=VALUE`` on the command line.

    Args:
        option: The option, such as ``--train``.
        text: Its value, such as ``max-steps=20``.

    Raises:
        UserError: The text is not of the form NAME=VALUE, or the value is not YAML.

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
    """Read a YAML file with one document; error messages call the file ``source``.

    Raises:
        UserError: The file cannot be read, is not YAML, or is empty.
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
