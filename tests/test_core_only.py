"""The package without extras: the README's lines run with only the core's own dependencies installed."""

import json
import os
import subprocess
import venv
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import selfknow
from tests.conftest import REPOSITORY
from tests.test_documents import console_blocks, printing_blocks

Result = tuple[int, str, str]
"""An exit code, the output and the error of a line."""

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
EXTRAS = ("torch", "transformers", "great_expectations", "scipy", "altair", "ray", "PIL", "ahocorasick_rs")
# One process for all lines: it reads commands and programs, and prints what each of them printed.
RUN_ALL = """
import contextlib, glob, io, json, shlex, sys
from importlib.util import find_spec
from typer.testing import CliRunner
from selfknow.cli.app import app
results = [[name, find_spec(name) is not None] for name in json.loads(sys.argv[1])]
for kind, text in json.loads(sys.stdin.read()):
    if kind == "command":
        words = [p for w in shlex.split(text)[1:] for p in (sorted(glob.glob(w)) if "*" in w and " " not in w else [w])]
        done = CliRunner().invoke(app, words)
        results.append([done.exit_code, done.stdout, str(done.exception or "")])
    else:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(text, "README.md", "exec"), {})
        results.append([0, printed.getvalue(), ""])
print(json.dumps(results))
"""


def core_distributions() -> Iterator[str]:
    """Yield the names of the packages that ``pip install selfknow`` installs: all requirements without extras."""
    todo, seen = [("selfknow", frozenset[str]())], set()
    while todo:
        name, extras = todo.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            requirements = distribution(name).requires or []
        except PackageNotFoundError:
            continue  # not for this platform
        yield name
        todo += [
            (canonicalize_name(requirement.name), frozenset(requirement.extras))
            for requirement in map(Requirement, requirements)
            if requirement.marker is None
            or any(requirement.marker.evaluate({"extra": extra}) for extra in (extras or {""}))
        ]


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a virtual environment with links to the core's distributions alone."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    for name in sorted(set(core_distributions()) - {"selfknow"}):
        for file in distribution(name).files or []:
            top = Path(file.parts[0])
            if top.name not in ("..", "__pycache__") and not (site / top).exists():
                (site / top).symlink_to(Path(str(distribution(name).locate_file(top))).resolve())
    (site / "selfknow").symlink_to(Path(selfknow.__file__).parent.resolve())
    return folder


def run(bare: Path, folder: Path, lines: list[tuple[str, str]]) -> list[Result]:
    """Return the output, exit code and error of each line, after a check that no extra can be imported."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    process = subprocess.run(
        [bare / "bin" / "python", "-P", "-c", RUN_ALL, json.dumps(EXTRAS)],
        input=json.dumps(lines),
        cwd=folder,
        env=environment | {"HF_HOME": str(folder / "home"), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    results = json.loads(process.stdout.splitlines()[-1])
    assert results[: len(EXTRAS)] == [[name, False] for name in EXTRAS]
    return [(code, printed, error) for code, printed, error in results[len(EXTRAS) :]]


HELP = {
    "selfknow": "",
    "selfknow --help": "",
    "selfknow data list": "",
    "selfknow portrait build text.txt --out portrait": "",
    "selfknow data build according-to --out prompts": "",
    "selfknow data check prompts": "selfknow[validate]",
    "selfknow evaluate self-aware --limit 1 --model org/model --out run": "selfknow[models]",
    "selfknow train opt-7m --data diary-recall:1k --out model": "selfknow[models]",
    "selfknow report run": "selfknow[report]",
    "selfknow demo --quick --out demo": "selfknow[validate]",
    "selfknow data count questions.jsonl --corpus text.txt --out counts.csv": "selfknow[entities]",
}
"""Commands, and the extra that each needs; empty if it needs none."""


@pytest.fixture(scope="module")
def results(bare: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    """Return what became of every line, of the README and above; one process runs all, for its imports take long."""
    folder = tmp_path_factory.mktemp("folder")
    (folder / "text.txt").write_text("All work and no play makes Jack a dull boy.\n" * 3)
    (folder / "questions.jsonl").write_text(json.dumps({"id": "1", "question": "Who is Jack?", "answer": "A boy"}))
    lines = [("command", command) for command, _ in console_blocks(README)]
    lines += [("program", program) for program, _ in printing_blocks(README)]
    lines += [("command", command) for command in HELP]
    return dict(zip([line for _, line in lines], run(bare, folder, lines), strict=True))


def test_the_readmes_lines_need_no_extra(results: dict[str, Result]) -> None:
    commands = console_blocks(README)
    programs = printing_blocks(README)
    assert len(commands) >= 4
    assert len(programs) == 3
    for line, expected in [*commands, *programs]:
        code, printed, error = results[line]
        assert (code, error) == (0, ""), line
        assert printed == expected, line


def test_help_needs_no_extra_and_a_command_names_the_one_that_it_needs(results: dict[str, Result]) -> None:
    for line, extra in HELP.items():
        code, printed, error = results[line]
        assert (code == 0) == (not extra), (line, printed, error)
        assert extra in error, line
        assert "\n" not in error, line
