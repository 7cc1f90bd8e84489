"""What becomes of a cell's process: whatever ends it is said in one line."""

import os
import signal
import sys
from pathlib import Path

import pytest

from selfknow.reproduce.launch import Worker, in_a_process
from selfknow.runs.schema import read_generations
from tests.tiny_models import save, tiny_model, tiny_tokenizer

PYTHON = (sys.executable, "-c")


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("pass", None),
        ("import os; os.kill(os.getpid(), 9)", "ended by SIGKILL (too little memory?)"),
        ("raise RuntimeError('CUDA error: no card')", "RuntimeError: CUDA error: no card"),
        ("import sys; sys.exit(1)", "some requests failed: run the same command again to ask them again"),
        (
            "import sys; print('3/9\\rselfknow: opt-7m does not fit\\nbye', file=sys.stderr); sys.exit(2)",
            "opt-7m does not fit",
        ),
    ],
)
def test_how_a_process_ended_is_said_in_one_line(program: str, error: str | None) -> None:
    assert in_a_process(["evaluate"], [*PYTHON, program]).error == error


def test_a_launcher_that_is_not_there_is_named() -> None:
    ending = in_a_process(["train"], ["no-such-launcher"])
    assert ending.error == "no-such-launcher cannot be started: No such file or directory"


def test_a_launcher_gets_the_module_and_its_words() -> None:
    program = "import sys; sys.exit('|'.join(sys.argv[1:]))"
    assert in_a_process(["train", "opt-7m"], [*PYTHON, program, "-m"]).error == "-m|selfknow|train|opt-7m"


def test_a_worker_runs_one_command_after_the_other_and_outlives_their_mistakes(tmp_path: Path) -> None:
    with Worker() as worker:
        assert "there is no task 'nonsense'" in str(
            worker(["evaluate", "nonsense", "--model", "m", "--out", "r"]).error
        )
        assert worker(["--version"]).error is None
        process = worker._process
        assert "gone/run.json does not exist" in str(worker(["score", str(tmp_path / "gone")]).error)
        assert worker._process is process, "all of them in one process"
    assert process is not None
    assert process.returncode is not None, "which ends with the block"


def test_a_worker_that_was_killed_is_said_and_the_next_command_has_another() -> None:
    with Worker() as worker:
        assert worker(["--version"]).error is None
        assert worker._process is not None
        os.kill(worker._process.pid, signal.SIGKILL)
        assert worker(["--version"]).error == "ended by SIGKILL (too little memory?)"
        assert worker(["--version"]).error is None


@pytest.mark.full
def test_a_worker_opens_a_model_once_for_all_that_is_asked_of_it(tmp_path: Path) -> None:
    """The second run is asked of a folder that is no more."""
    folder = small_model(tmp_path / "model")
    common = ["self-knowledge:fact", "--limit", "1", "--max-new-tokens", "4", "--no-examples", "--model", str(folder)]
    with Worker() as worker:
        assert worker(["evaluate", *common, "--out", str(tmp_path / "one")]).error is None
        (folder / "model.safetensors").rename(tmp_path / "weights")
        assert worker(["evaluate", *common, "--protocol", "dual", "--out", str(tmp_path / "other")]).error is None
        assert read_generations(tmp_path / "other").num_rows >= 1
        other = [*common, "--batch-size", "2", "--out", str(tmp_path / "third")]
        assert "model" in str(worker(["evaluate", *other]).error), "opened in another way it is another model"


def small_model(folder: Path) -> Path:
    tokenizer = tiny_tokenizer(["How many words?"])
    save(tiny_model("opt", tokenizer), tokenizer, folder)
    return folder
