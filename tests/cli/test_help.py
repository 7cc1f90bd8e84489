"""Every command has a help text with an example, and stands in the README or the docs."""

from collections.abc import Iterator
from typing import Any

import pytest
import typer

from selfknow.cli.app import app
from tests.conftest import REPOSITORY


def commands(group: Any, path: str = "selfknow") -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


COMMANDS = dict(commands(typer.main.get_command(app)))
DOCUMENTS = "\n".join(path.read_text() for path in [REPOSITORY / "README.md", *(REPOSITORY / "docs").glob("*.md")])


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_explains_itself_with_an_example(name: str) -> None:
    command = COMMANDS[name]
    assert command.help
    assert f"`{name}" in command.help, "the help holds an example call"
    for parameter in command.params:
        assert parameter.help, f"{name} {parameter.name} has a help text"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_stands_in_the_documents(name: str) -> None:
    assert name in DOCUMENTS
