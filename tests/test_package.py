"""The package as a whole: its imports, when they happen, and the places of its rooms."""

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

import selfknow
from tests.benchmark_modules import import_benchmark
from tests.conftest import REPOSITORY, Run
from tests.warm_python import WarmPython

PACKAGE = Path(selfknow.__file__).parent
HEAVY = {
    "datasets",
    "duckdb",
    "great_expectations",
    "numba",
    "numpy",
    "pandas",
    "pyarrow",
    "ray",
    "torch",
    "transformers",
}


def loaded_by(*arguments: str) -> set[str]:
    """Return the top-level modules that a fresh Python has loaded after running this code."""
    code = (
        "import sys, atexit; atexit.register(lambda: print(*{m.split('.')[0] for m in sys.modules}, file=sys.stderr))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code + arguments[0], *arguments[1:]], capture_output=True, text=True, check=True
    )
    return set(result.stderr.split())


def test_import_selfknow_loads_nothing_heavy() -> None:
    assert not loaded_by("import selfknow; selfknow.__version__; dir(selfknow)") & HEAVY


# One fresh process for all: after each command it prints which of the heavy modules it has loaded by then.
ASK_FOR_HELP = """
import contextlib, io, json, sys
from selfknow.cli import main
commands, heavy = map(json.loads, sys.argv[1:])
loaded = {}
for command in commands:
    sys.argv = ["selfknow", *command.split()]
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()) as printed:
        main()
    assert printed.getvalue(), command
    loaded[command] = sorted({name.partition(".")[0] for name in sys.modules} & set(heavy))
print(json.dumps(loaded))
"""


def test_asking_for_help_loads_nothing_heavy() -> None:
    commands = [
        "--help",
        "--version",
        "data --help",
        "data build --help",
        "evaluate --help",
        "evaluate self-aware --help",
        "evaluate self-knowledge:image-color --help",
        "score --help",
        "query --help",
        "report --help",
    ]
    process = subprocess.run(
        [sys.executable, "-c", ASK_FOR_HELP, json.dumps(commands), json.dumps(sorted(HEAVY))],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(process.stdout) == {command: [] for command in commands}


def test_public_names_are_found_and_others_are_refused() -> None:
    for name in selfknow.__all__:
        assert getattr(selfknow, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        selfknow.nothing  # noqa: B018


def test_people_choose_among_four_extras_and_meet_each_other_one_where_it_is_needed() -> None:
    extras = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    pages = {path.name: path.read_text() for path in (REPOSITORY / "docs").glob("*.md") if path.stem != "dependencies"}
    table = pages["index.md"].partition("| extra | for |\n| --- | --- |\n")[2].partition("\n\n")[0]
    chosen = re.findall(r"^\| `(\w+)` \|", table, flags=re.MULTILINE)
    assert chosen == list(extras)[:4] == ["models", "report", "validate", "all"]
    for extra in extras.keys() - set(chosen):
        named = rf"\[(?:\w+,)*{extra}(?:,\w+)*\]`|extra `{extra}`"
        assert len([name for name, text in pages.items() if re.search(named, text)]) == 1, extra
    assert set(re.findall(r"'\.\[(\w+)\]'", (REPOSITORY / "README.md").read_text())) <= set(chosen)


def test_hugging_faces_evaluate_is_untouched_even_in_this_repository(python: WarmPython) -> None:
    code = "import evaluate, selfknow.builders; print(evaluate.__version__, evaluate.__file__)"
    result = python.run("-c", code, cwd=REPOSITORY)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split()[0] == version("evaluate")
    assert str(REPOSITORY / "evaluate") not in result.stdout


def test_the_sources_of_the_corpora_lie_in_the_package() -> None:
    assert (PACKAGE / "datasets_src" / "diary_recall" / "attributes.json").is_file()
    assert (PACKAGE / "py.typed").is_file()


@pytest.mark.parametrize("room", ["builders", "datasets_src", "evaluate", "portraits", "train", "validation"])
def test_everything_beside_the_python_files_lies_in_the_package(room: str) -> None:
    def data_files(folder: Path) -> set[str]:
        files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        return {str(path.relative_to(folder)) for path in files if path.suffix != ".py" and path.name[0] != "."}

    assert data_files(PACKAGE / room) >= data_files(REPOSITORY / room)


def test_a_query_of_every_task_runs_where_the_package_is_installed(tmp_path: Path) -> None:
    import pyarrow as pa

    from selfknow.evaluate.catalogue import TASKS
    from selfknow.evaluate.connection import connect, queries
    from selfknow.models.interface import GREEDY, Reply, Request
    from selfknow.runs.description import DatasetReference, RunDescription
    from selfknow.runs.writer import RunWriter

    for task in TASKS:
        description = RunDescription(task.name, DatasetReference("made-up"), GREEDY)
        with RunWriter.open(tmp_path / task.name, description, pa.table({"id": ["1"]})) as run:
            run.append("model", None, Request("1", "?"), Reply("!", "stop"))
    with connect([tmp_path / task.name for task in TASKS]) as connection:
        without_portrait = [query for query in queries().values() if "portrait" not in " ".join(query.needs)]
        firsts = {query.task: query for query in reversed(without_portrait)}
        assert set(firsts) == {None, *(task.name for task in TASKS if any(task.sql.folder.glob("*.sql")))}
        for query in firsts.values():
            connection.rows(query.sql)
        tasks = {row["task"] for row in connection.rows(queries()["overview"].sql)}
    assert tasks == {task.name for task in TASKS}


def test_the_installed_package_is_what_is_tested_when_asked_for() -> None:
    if os.environ.get("SELFKNOW_TEST_INSTALLED"):
        assert REPOSITORY not in PACKAGE.parents or any(part.startswith(".venv-") for part in PACKAGE.parts)
        assert version("selfknow") == selfknow.__version__
    else:
        assert PACKAGE.resolve() == REPOSITORY / "src" / "selfknow"


def test_the_version_is_printed(selfknow_process: Run) -> None:
    assert selfknow_process("--version").stdout == f"selfknow {version_of_package()}\n"


def test_the_citation_names_this_version() -> None:
    citation = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text())
    assert citation["version"] == version_of_package()
    assert citation["license"] == "Apache-2.0"
    assert [reference["url"].rpartition("/")[2] for reference in citation["references"]] == [
        "2502.19573",
        "2305.18153",
        "2406.06140",
        "2305.13252",
    ]
    assert f"## {version_of_package()}" in (REPOSITORY / "CHANGELOG.md").read_text()


def version_of_package() -> str:
    return selfknow.__version__


def test_every_benchmark_stands_on_a_page_and_pages_name_no_other() -> None:
    pages = [REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md", "Makefile")]
    for folder, pattern in (("docs", "*.md"), ("datasets_src", "card.md"), ("datasets_src", "sources.yaml")):
        pages += (REPOSITORY / folder).rglob(pattern)
    text = "\n".join(path.read_text(encoding="utf-8") for path in pages)
    named = set(re.findall(r"python -m benchmarks\.([a-z_.]*[a-z])", text))
    listing = import_benchmark("__main__")
    assert named == set(listing.commands())
    assert {command.split()[0] for command in (*listing.RUNS, *listing.FULL_RUNS)} <= named


def test_every_benchmark_finds_what_it_measures(python: WarmPython) -> None:
    names = sorted(path.stem for path in (REPOSITORY / "benchmarks").glob("*.py") if path.stem != "__main__")
    assert len(names) > 10
    code = "".join(f"import benchmarks.{name}\n" for name in names if name != "__init__")
    process = python.run("-c", f"import sys\nsys.path.append({str(REPOSITORY)!r})\n{code}")
    assert process.returncode == 0, process.stderr
