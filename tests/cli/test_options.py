"""Options of ``selfknow evaluate`` and ``selfknow score``: the fields of the task's own options, and no others."""

import json
import os
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from selfknow.cli.app import app
from selfknow.errors import UserError
from selfknow.evaluate.catalogue import TASKS, find_task
from selfknow.evaluate.task import Task
from tests.conftest import Run

LINES_OF_A_SCREEN = 48
SETS = [usage.split()[0] for task in TASKS for usage in task.usage]


def output(*arguments: object) -> str:
    """Return what ``selfknow`` prints, its lines unwrapped, and the one line that it fails with."""
    result = CliRunner().invoke(app, list(map(str, arguments)))
    return " ".join((result.output + str(result.exception or "")).split())


@pytest.mark.parametrize("name", dict.fromkeys(["", *SETS]))
def test_help_fits_a_screen(selfknow: Run, name: str) -> None:
    result = selfknow("evaluate", *name.split(), "--help", env={**os.environ, "COLUMNS": "100"})
    lines = result.stdout.splitlines()
    assert result.returncode == 0
    assert len(lines) <= LINES_OF_A_SCREEN
    assert max(map(len, lines)) <= 100
    assert "Examples:" in lines


def test_help_without_a_task_lists_every_task_with_its_question() -> None:
    text = output("evaluate", "--help")
    for task in TASKS:
        assert f"{task.usage[0].split()[0]} {task.question}" in text
    assert "--temperature" in text
    assert "--form " not in text.replace("--format", "")
    assert "selfknow evaluate TASK --help" in text


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_every_field_of_a_tasks_options_is_offered_and_explained(task: Task[Any, Any]) -> None:
    for usage in task.usage:
        name = usage.split()[0]
        text = output("evaluate", name, "--help")
        assert usage.split("'")[0].strip() in text
        for field in fields(find_task(name).options):
            assert f"--{field.name.replace('_', '-')} " in text
            assert " ".join(field.metadata["help"].split()) in text
        for part in usage.split()[1:]:
            if part.startswith("--"):
                assert f"{part} " in text


def test_the_task_may_stand_anywhere(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(json.dumps({"question": "1 + 1?", "answer": "#### 2"}) + "\n")
    task = f"gsm8k:{tmp_path / 'rows.jsonl'}"
    options = ["--out", tmp_path / "run", "--endpoint", "no-address", "--samples=2"]
    for words in ([task, *options], [*options, task], [*options[:2], task, *options[2:]]):
        assert "'no-address' is not the address" in output("evaluate", *words)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "run"], "Missing argument 'TASK'"),
        (["--form", "icl"], "Missing argument 'TASK'"),
        (["self-aware"], "Missing option '--out'"),
        (["self-aware", "--fom", "icl", "--out", "run"], "No such option: --fom"),
        (["self-aware", "--fom", "icl", "--out", "run"], "--form"),
        (["self-aware", "more", "--out", "run"], "Got unexpected extra argument(s) (more)"),
        (["self-aware", "--limit", "0", "--out", "run"], "should be greater than or equal to 1"),
        (["self-aware", "--limit", "few", "--out", "run"], "'--limit'"),
        (["self-awre", "--out", "run"], "did you mean 'self-aware'?"),
        (["self-awre", "--help"], "did you mean 'self-aware'?"),
        (["self-aware", "--out"], "Option '--out' requires an argument"),
        (["self-aware", "--image-size", "8x8"], "--image-size is for self-knowledge:image-…, not for self-aware"),
    ],
)
def test_a_mistake_is_told_by_name(arguments: list[str], message: str) -> None:
    assert message in output("evaluate", *arguments)


def test_score_without_a_run_shows_the_options_of_all_tasks_and_with_one_its_own(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"task": "according-to"}')
    everything = output("score", "--help")
    assert "Runs of self-aware: --scorer" in everything
    assert "--portrait" in everything
    own = output("score", tmp_path, "--help")
    assert "according-to: --portrait" in own
    assert "--scorer" not in own
    refused = CliRunner().invoke(app, ["score", str(tmp_path), "--encoder", "packaged"]).exception
    assert isinstance(refused, UserError)
    assert str(refused) == f"--encoder is for runs of self-aware, and {tmp_path} is a run of according-to"
    assert "Missing argument 'RUN'" in output("score", "--encoder", "packaged")
