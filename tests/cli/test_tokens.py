"""A token is sent to the server that it is for, and stands nowhere else: no file of a run, no line that is printed."""

import json
import os
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.evaluate.faulty_server import Behaviour, serve

PLANTED = "planted-token-8f3a1c"
TOKENS = dict.fromkeys(("SELFKNOW_TOKEN", "SELFKNOW_IMAGE_TOKEN", "HF_TOKEN"), PLANTED)


def holding_it(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and PLANTED.encode() in path.read_bytes()]


@pytest.mark.parametrize(("faults", "returncode"), [([], 0), ([500], 1), (["garbage"], 1), ([401], 2)])
def test_a_planted_token_is_sent_and_kept_nowhere(
    faults: list[int | str], returncode: int, selfknow: Run, tmp_path: Path
) -> None:
    row = {"id": "1", "question": "What is 3 + 4?", "answer": "3 + 4 = 7\n#### 7"}
    (tmp_path / "questions.jsonl").write_text(json.dumps(row))
    behaviour = Behaviour(faults=faults)
    with serve(behaviour) as url:
        command = ("evaluate", "gsm8k:questions.jsonl", "--model", "m", "--endpoint", url, "--tries", "1")
        done = selfknow(*command, "--out", "run", env=os.environ | TOKENS)
    assert {body["authorization"] for body in behaviour.bodies} == {f"Bearer {PLANTED}"}
    assert done.returncode == returncode, done.stderr
    assert PLANTED not in done.stdout + done.stderr
    assert (tmp_path / "run" / "run.json").is_file()
    assert holding_it(tmp_path) == []


def test_a_server_that_is_not_there_tells_nobody_the_token(selfknow: Run, tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_text('{"id": "1", "question": "3 + 4?", "answer": "#### 7"}')
    command = ("evaluate", "gsm8k:questions.jsonl", "--model", "m", "--endpoint", "http://127.0.0.1:9", "--tries", "1")
    done = selfknow(*command, "--out", "run", env=os.environ | TOKENS)
    assert done.returncode in {1, 2}
    assert PLANTED not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert holding_it(tmp_path) == []
