"""The commands that run models: a mistake is one line and exit code 2, a failed request exit code 1."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from selfknow.cli.app import app
from tests.conftest import Run
from tests.evaluate.faulty_server import Behaviour, serve


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["evaluate", "diary-recall:1k", "--out", "run"], "name a --model, an --endpoint, or both"),
        (["evaluate", "diary-recall:1k", "--model", "./gone", "--out", "run"], "./gone does not exist"),
        (
            ["evaluate", "diary-recall:1k", "--endpoint", "localhost:1", "--out", "run"],
            "'localhost:1' is not the address",
        ),
        (["train", "gpt2", "--data", "diary-recall:1k", "--out", "run"], "pass --learning-rate"),
        (
            ["train", "opt-7m", "--data", "diary-recall:1k", "--out", "run"],
            "train it with --scratch, or from --checkpoint",
        ),
        (
            ["train", "opt-7m", "--scratch", "--data", "diary-recall:1k", "--precision", "fp8", "--out", "run"],
            "float32",
        ),
        (["score", "."], "run.json does not exist"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(selfknow: Run, arguments: list[str], line: str, tmp_path: Path) -> None:
    result = selfknow(*arguments, env=None)
    assert result.returncode == 2
    assert line in result.stderr
    assert result.stderr.startswith("selfknow: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_failed_requests_are_exit_code_1_and_the_same_command_tries_them_again(
    small_corpora: Path, tmp_path: Path
) -> None:
    with serve(Behaviour([503])) as url:
        command = ["evaluate", f"{small_corpora}:1k", "--endpoint", url, "--tries", "1", "--limit", "3"]
        command += ["--out", str(tmp_path / "run"), "--format", "json"]
        first = CliRunner().invoke(app, command)
        second = CliRunner().invoke(app, command)
    assert [first.exit_code, second.exit_code] == [1, 0]
    [row] = json.loads(second.stdout)
    assert {name: row[name] for name in ("requested", "answered_before", "answered", "failed")} == {
        "requested": 3,
        "answered_before": 0,
        "answered": 3,
        "failed": 0,
    }


def test_other_decoding_settings_are_not_mixed_into_a_run(
    small_corpora: Path, tmp_path: Path, selfknow_process: Run
) -> None:
    with serve(Behaviour()) as url:
        command = ["evaluate", f"{small_corpora}:1k", "--endpoint", url, "--limit", "3", "--out", tmp_path / "run"]
        assert selfknow_process(*command).returncode == 0
        refused = selfknow_process(*command, "--temperature", 0.7)
    assert refused.returncode == 2
    assert "its decoding.temperature is 0.0, not 0.7" in refused.stderr
