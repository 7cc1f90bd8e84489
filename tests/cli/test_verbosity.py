"""Lines of other libraries on stderr are not shown if nobody can act on them; ``-v`` shows them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from selfknow.portraits import Portrait
from tests.conftest import Run
from tests.warm_python import WarmPython

# A function that DuckDB's binding never lets go of, and a connection that nothing closes.
LEAKS = """
import sys, duckdb
def same(text: str) -> str: return text
kept = duckdb.connect()
kept.create_function("same", same)
circle = [kept]
circle.append(circle)
from selfknow.cli import program
program()
"""


def cold(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Return the command in a process that really takes itself apart at its end."""
    return subprocess.run([sys.executable, "-c", LEAKS, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("arguments", "code"), [(["--version"], 0), (["query", "nothing", "run"], 2)])
def test_the_binding_of_duckdb_lists_nothing_at_the_end(arguments: list[str], code: int) -> None:
    result = cold(*arguments)
    assert result.returncode == code
    assert "nanobind" not in result.stderr
    assert result.stderr.count("\n") == (1 if code else 0), "one line for a mistake of the user's, or none"
    assert bool(result.stdout) is not bool(code)


def test_verbose_shows_what_the_binding_lists() -> None:
    result = cold("-v", "query", "nothing", "run")
    assert result.returncode == 2
    assert "nanobind: leaked" in result.stderr


def test_a_full_disk_behind_stdout_is_one_line() -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        result = subprocess.run(
            [sys.executable, "-m", "selfknow", "--help"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert "No space left on device" in result.stderr


WARNS = """
import logging, warnings
from selfknow.cli import main
def late(*_):
    warnings.warn("of another library")
    logging.getLogger("huggingface_hub").warning("Retrying in 1s")
import selfknow.cli.data
selfknow.cli.data.print_rows = late
main()
"""


def test_warnings_of_others_are_shown_on_demand_alone(python: WarmPython) -> None:
    def printed(*options: str) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if not name.endswith("_VERBOSITY")}
        return python.run("-c", WARNS, *options, "data", "list", env=environment)

    quiet, loud = printed(), printed("--verbose")
    assert (quiet.returncode, quiet.stderr) == (0, "")
    assert "of another library" in loud.stderr
    assert "Retrying in 1s" in loud.stderr


def test_a_level_that_the_user_chose_stays(python: WarmPython) -> None:
    code = "import os; from selfknow.cli import main\ntry: main()\nfinally: print(os.environ['HF_HUB_VERBOSITY'])"
    result = python.run("-c", code, "data", "list", "--format", "csv", env=os.environ | {"HF_HUB_VERBOSITY": "info"})
    assert result.stdout.splitlines()[-1] == "info"


def test_our_own_warning_is_one_line_told_once(selfknow_process: Run, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="fuller than it was made for"):
        Portrait.build(["The cat sat on the mat, and the dog sat by the door."] * 3, capacity=2).save(tmp_path / "p")
    result = selfknow_process("portrait", "quip", "p", "-", "--per-text", input="The cat sat on the mat, and it left.")
    assert result.returncode == 0, result.stderr
    lines = result.stderr.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("selfknow: this portrait is fuller than it was made for")
