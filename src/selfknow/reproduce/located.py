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
    """A place in a YAML file.

    Attributes:
        path: The file, for messages; or the option of the command line that says it.
        node: What stands there.
        is_in_file: Whether lines of it can be counted.
    """

    path: Path
    node: yaml.Node
    is_in_file: bool = True

    @property
    def line(self) -> int:
        """The line that it begins in, from 1."""
        return int(self.node.start_mark.line) + 1

    def refuse(self, message: str) -> NoReturn:
        """Raise the one clear line for what is wrong here.

        Raises:
            UserError: Always.
        """
        line = f", line {self.line}" if self.is_in_file else ""
        raise UserError(f"{self.path}{line}: {message}")

    def mapping(self, kind: str, known: Iterable[str] | None = None) -> "dict[str, Located]":
        """Return the values of a mapping by their keys.

        Args:
            kind: What it should be, for the message.
            known: The keys that there may be; null: any.

        Raises:
            UserError: It is no mapping, or a key is no text, unknown, or stands twice.
        """
        if not isinstance(self.node, yaml.MappingNode):
            self.refuse(f"expected {kind}, as `key: value`")
        by_name: dict[str, Located] = {}
        for key_node, node in self.node.value:
            key = Located(self.path, key_node, self.is_in_file)
            name = key.text("a key")
            if name in by_name:
                key.refuse(f"{name!r} is there twice")
            if known is not None and name not in known:
                key.refuse(f"unknown key {name!r}{nearest(name, known)}")
            by_name[name] = Located(self.path, node, self.is_in_file)
        return by_name

    def items(self, kind: str) -> "list[Located]":
        """Return the items of a list; a single value is a list of one.

        Raises:
            UserError: The list is empty.
        """
        if not isinstance(self.node, yaml.SequenceNode):
            return [self]
        if not self.node.value:
            self.refuse(f"{kind} is an empty list: leave it out")
        return [Located(self.path, node, self.is_in_file) for node in self.node.value]

    def text(self, kind: str) -> str:
        """Return a text of one line.

        Raises:
            UserError: It is something else, or empty.
        """
        value = self._plain() if isinstance(self.node, yaml.ScalarNode) else None
        if not isinstance(value, str) or not value.strip() or "\n" in value.strip():
            self.refuse(f"{kind} must be a text in one line" + ("" if value is None else f", not {value!r}"))
        return value.strip()

    def value(self, kind: str) -> Value:
        """Return a text, a number or a truth value; a list is the values of a repeated option.

        Raises:
            UserError: It is something else.
        """
        if isinstance(self.node, yaml.SequenceNode):
            return tuple(item._scalar(kind) for item in self.items(kind))
        return self._scalar(kind)

    def _scalar(self, kind: str) -> Scalar:
        value = self._plain() if isinstance(self.node, yaml.ScalarNode) else None
        if not isinstance(value, str | int | float | bool):
            self.refuse(f"{kind} must be a text, a number, true or false, or a list of them")
        return value

    def _plain(self) -> object:
        loader = yaml.SafeLoader("")
        try:
            return loader.construct_object(self.node, deep=True)
        except (yaml.YAMLError, ValueError, OverflowError) as error:  # the 45th of May is a date to YAML
            self.refuse(str(error).splitlines()[0])


def read_option(option: str, text: str) -> tuple[str, Located]:
    """Return the name and the value of a ``NAME=VALUE`` of the command line.

    Args:
        option: Whose value it is, such as ``--train``.
        text: ``max-steps=20``.

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
    return name.strip().replace("_", "-"), Located(Path(f"{option} {text}"), node, is_in_file=False)


def read_yaml(path: Path, shown: Path | None = None) -> Located:
    """Read a YAML file of one document.

    Args:
        path: The file.
        shown: What messages call it; null: its path.

    Raises:
        UserError: It cannot be read, is no YAML, or is empty.
    """
    try:
        text = path.read_text(encoding="utf-8")
        node: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = "" if error.problem_mark is None else f", line {error.problem_mark.line + 1}"
        raise UserError(f"{shown or path}{line}: this is not YAML: {error.problem}") from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:  # such as a control character
        raise UserError(f"{shown or path} cannot be read: {' '.join(str(error).split())}") from error
    except RecursionError as error:
        raise UserError(f"{shown or path} is nested too deeply") from error
    if node is None:
        raise UserError(f"{path} is empty")
    return Located(shown or path, node)
