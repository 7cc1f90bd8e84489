"""Every command has a help text with an example, in one style, and stands in the README or the docs."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from selfknow.cli.app import app
from tests.conftest import REPOSITORY
from tests.in_process import run


def commands(group: Any, path: str = "selfknow") -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


def groups(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, group
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from groups(command, (*path, name))


def help_of(*words: str) -> str:
    """Return the help in a terminal of 100 columns."""
    return str(run(*words, "--help", cwd=REPOSITORY, env={"COLUMNS": "100"}).stdout)


COMMANDS = dict(commands(typer.main.get_command(app)))
GROUPS = dict(groups(typer.main.get_command(app)))
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


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_every_command_has_one_style(name: str) -> None:
    text = help_of(*name.split()[1:])
    before, _, examples = text.partition("\nExamples:\n")
    assert before.startswith(f"Usage: {name} [OPTIONS]")
    assert "\nOptions:\n" in before
    assert max(map(len, before.splitlines())) <= 100
    assert name in examples
    assert not re.search(r"[│╭╰]|\*\*", text)


@pytest.mark.parametrize("path", GROUPS)
def test_a_group_says_in_a_sentence_what_each_of_its_commands_does(path: tuple[str, ...]) -> None:
    text = help_of(*path)
    assert max(map(len, text.splitlines())) <= 100
    _, commands = text.split("\n", maxsplit=1)
    assert not re.search(r"[│╭╰]|\*\*|\.\.\.$", commands, flags=re.MULTILINE)
    lines = " ".join(commands.split())
    for name, command in GROUPS[path].commands.items():
        sentence = " ".join(command.help.split()).partition(".")[0].partition(":")[0]
        assert f" {name} {sentence}" in lines


@pytest.mark.parametrize("path", [path for path in GROUPS if path])
def test_a_group_without_a_command_shows_its_help_and_is_a_mistake(path: tuple[str, ...]) -> None:
    result = run(*path, cwd=REPOSITORY, env={"COLUMNS": "100"})
    assert (result.returncode, result.stderr) == (2, "")
    assert result.stdout == help_of(*path)


def test_bounds_are_said_in_words_and_arguments_in_capitals() -> None:
    text = " ".join(help_of("evaluate", "self-aware").split() + help_of("train").split() + help_of("report").split())
    for words in (
        "[at least 1]",
        "[0 to 1]",
        "train [OPTIONS] MODEL",
        "MODEL One of the paper's",
        "report [OPTIONS] [RUN]...",
    ):
        assert words in text
    assert not re.search(r"x>=|<=x|<(str|path|int)", text)


def test_train_shows_ten_options_first_and_the_others_in_two_groups() -> None:
    text = help_of("train").partition("\nExamples:")[0]
    panels = {title: re.findall(r"^  --([a-z-]+)", rows, flags=re.MULTILINE) for title, rows in _panels(text)}
    assert list(panels) == ["Options", "Recipe", "Tokenizer, speed and memory"]
    first = [option for option in panels["Options"] if option != "help"]
    assert len(first) == 10
    assert {"data", "out", "scratch", "learning-rate", "max-steps", "seed"} <= set(first)


def _panels(text: str) -> Iterator[tuple[str, str]]:
    _, *parts = re.split(r"^(\S.*):\n", text, flags=re.MULTILINE)
    for title, rows in zip(parts[::2], parts[1::2], strict=True):
        if title != "Arguments":
            yield title, rows
