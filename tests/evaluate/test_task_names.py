"""Everything that serves all tasks is written without the name of any: only the catalogue knows them."""

import re
from pathlib import Path

import pytest

import selfknow
from selfknow.evaluate.catalogue import TASKS

PACKAGE = Path(selfknow.__file__).parent
WORDS = ["diary", "diaries", "diarist", "self.?aware", "self.?knowledge", "according.?to", "gsm8k"]
NAMES = re.compile("|".join(WORDS), re.IGNORECASE)
EVALUATE = ["ask.py", "score.py", "task.py", "outcome.py", "connection.py"]
ROOMS = ["sql", "report", "runs", "models"]
COMMAND_LINE = ["app", "compact_help", "evaluate", "imports", "options", "output", "query", "report", "score"]


def files() -> list[Path]:
    places = [*(PACKAGE / "evaluate" / name for name in EVALUATE)]
    places += [PACKAGE / name for name in ROOMS]
    places += [PACKAGE / "cli" / f"{name}.py" for name in COMMAND_LINE]
    inside = [path for place in places for path in ([place] if place.is_file() else sorted(place.rglob("*.*")))]
    return [path for path in inside if path.is_file() and path.suffix in (".py", ".sql", ".html", ".js", ".css")]


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_that_serves_all_tasks_names_none(path: Path) -> None:
    lines = enumerate(path.read_text().splitlines(), start=1)
    named = [f"line {number}: {line.strip()}" for number, line in lines if NAMES.search(line)]
    assert not named


def test_the_words_that_are_looked_for_are_those_of_every_task() -> None:
    for task in TASKS:
        assert NAMES.search(task.name)


def test_nothing_that_serves_all_tasks_is_left_out() -> None:
    assert len(files()) > 40
    names = {path.name for path in files()}
    assert names >= {"ask.py", "report.html", "overview.sql", "connection.py", "lm_eval.py", "local.py", "options.py"}
