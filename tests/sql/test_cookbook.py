"""The cookbook's commands are run again and print what stands there."""

import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from selfknow.cli.app import app
from tests.conftest import REPOSITORY
from tests.sql.example_runs import write_examples
from tests.test_documents import console_blocks, python_blocks

COOKBOOK = REPOSITORY / "docs" / "sql.md"


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cookbook")
    write_examples(folder)
    return folder


def printed(command: str) -> str:
    program, *arguments = shlex.split(command)
    assert program == "selfknow"
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("command", [command for command, _ in console_blocks(COOKBOOK.read_text())])
def test_a_command_prints_what_the_cookbook_shows(
    examples: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(examples)
    assert printed(command) == dict(console_blocks(COOKBOOK.read_text()))[command]


def test_python_in_the_cookbook_runs(examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(examples)
    blocks = python_blocks(COOKBOOK.read_text())
    assert blocks
    for block in blocks:
        exec(compile(block, str(COOKBOOK), "exec"), {})
