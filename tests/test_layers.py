"""The contracts in pyproject.toml on imports between parts of the package, and that they catch what they forbid."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import selfknow
from tests.conftest import REPOSITORY

PACKAGE = Path(selfknow.__file__).parent


def lint(source: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter on the package in this folder."""
    linter = [Path(sys.executable).parent / "lint-imports", "--no-cache", "--config", REPOSITORY / "pyproject.toml"]
    environment = {**os.environ, "PYTHONPATH": str(source), "COLUMNS": "300"}
    return subprocess.run(linter, cwd=source, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Copy the package's Python files."""
    only_python = shutil.ignore_patterns("__pycache__", "*.[!p]*", "*.p[!y]*")
    shutil.copytree(PACKAGE, tmp_path / "selfknow", ignore=only_python)
    return tmp_path


def test_every_import_goes_down(copy: Path) -> None:
    result = lint(copy)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    ("file", "line", "message"),
    [
        (
            "models/function.py",
            "def f() -> None:\n    import selfknow.evaluate.catalogue",
            "selfknow.models is not allowed to import selfknow.evaluate",
        ),
        (
            "runs/importers/lm_eval.py",
            "from selfknow.evaluate.tasks.gsm8k import answers",
            "selfknow.runs is not allowed to import selfknow.evaluate",
        ),
        (
            "evaluate/tasks/gsm8k/score.py",
            "from selfknow.evaluate.tasks.self_aware import prompts",
            "selfknow.evaluate.tasks.gsm8k is not allowed to import selfknow.evaluate.tasks.self_aware",
        ),
        ("builders/dataset.py", "import selfknow.hub.plan", "selfknow.builders is not allowed to import selfknow.hub"),
        ("evaluate/ask.py", "import selfknow.hub.plan", "selfknow.evaluate is not allowed to import selfknow.hub"),
        ("evaluate/new.py", "", "new"),
        ("errors.py", "import selfknow.files", "selfknow.errors is not allowed to import selfknow.files"),
    ],
)
def test_an_import_that_goes_up_is_caught(copy: Path, file: str, line: str, message: str) -> None:
    with (copy / "selfknow" / file).open("a") as stream:
        stream.write(f"\n{line}\n")
    result = lint(copy)
    assert result.returncode == 1
    assert message in " ".join(result.stdout.split()), result.stdout
