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


WRONG = {
    "models/function.py": "def f() -> None:\n    import selfknow.evaluate.catalogue",
    "runs/importers/lm_eval.py": "from selfknow.evaluate.tasks.gsm8k import answers",
    "evaluate/tasks/gsm8k/score.py": "from selfknow.evaluate.tasks.self_aware import prompts",
    "builders/dataset.py": "import selfknow.hub.plan",
    "evaluate/ask.py": "import selfknow.hub.plan",
    "errors.py": "import selfknow.files",
}
CAUGHT = """\
selfknow.models is not allowed to import selfknow.evaluate: - selfknow.models.function -> selfknow.evaluate.catalogue
selfknow.runs is not allowed to import selfknow.evaluate: \
- selfknow.runs.importers.lm_eval -> selfknow.evaluate.tasks.gsm8k.answers
selfknow.evaluate.tasks.gsm8k is not allowed to import selfknow.evaluate.tasks.self_aware: \
- selfknow.evaluate.tasks.gsm8k.score -> selfknow.evaluate.tasks.self_aware.prompts
selfknow.builders is not allowed to import selfknow.hub: - selfknow.builders.dataset -> selfknow.hub.plan
selfknow.evaluate is not allowed to import selfknow.hub: - selfknow.evaluate.ask -> selfknow.hub.plan
selfknow.errors is not allowed to import selfknow.files: - selfknow.errors -> selfknow.files
"""


def test_every_import_that_goes_up_is_caught(copy: Path) -> None:
    for file, line in WRONG.items():
        with (copy / "selfknow" / file).open("a") as stream:
            stream.write(f"\n{line}\n")
    result = lint(copy)
    assert result.returncode == 1
    broken = {" ".join(part.split()) for part in result.stdout.split("\n\n\n")}
    for caught in CAUGHT.splitlines():
        refusal, _, link = caught.partition(": ")
        assert any(f"{refusal}: " in part and f"{link} (l." in part for part in broken), caught


def test_a_module_that_has_no_layer_is_caught(copy: Path) -> None:
    (copy / "selfknow" / "evaluate" / "new.py").touch()
    result = lint(copy)
    assert result.returncode == 1
    assert "new" in " ".join(result.stdout.split()), result.stdout
