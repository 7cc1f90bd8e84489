"""The end of a cell's process: one line says what ended it."""

import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Thread

import pytest

from selfknow.reproduce.launch import Worker
from selfknow.runs.schema import read_generations
from tests.conftest import REPOSITORY
from tests.tiny_models import save, tiny_model, tiny_tokenizer
from tests.warm_python import WarmPython

PYTHON = (sys.executable, "-c")


def launched(words: Sequence[str], launcher: Sequence[str]) -> str | None:
    with Worker(launcher) as worker:
        return worker(words)


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("print('a table')", None),
        ("import os; os.kill(os.getpid(), 9)", "ended by SIGKILL (too little memory?)"),
        ("raise RuntimeError('CUDA error: no card')", "RuntimeError: CUDA error: no card"),
        (
            "import sys; print('3/9\\rselfknow: opt-7m does not fit\\nbye', file=sys.stderr); sys.exit(2)",
            "opt-7m does not fit",
        ),
    ],
)
def test_how_a_process_ended_is_said_in_one_line(program: str, error: str | None) -> None:
    assert launched(["train"], [*PYTHON, program]) == error


def test_a_launcher_that_is_not_there_is_named() -> None:
    assert launched(["train"], ["no-such-launcher"]) == "no-such-launcher cannot be started: No such file or directory"


def test_a_launcher_gets_the_module_and_its_words() -> None:
    program = "import sys; sys.exit('|'.join(sys.argv[1:]))"
    assert launched(["train", "opt-7m"], [*PYTHON, program, "-m"]) == "-m|selfknow|train|opt-7m"


def test_a_process_computes_on_its_threads_unless_the_user_says_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    program = "import os, sys; sys.exit(os.environ['OMP_NUM_THREADS'])"
    for variable, expected in (("7", "7"), (None, "3")):
        with Worker([*PYTHON, program], num_threads=3) as worker:
            monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
            if variable:
                monkeypatch.setenv("OMP_NUM_THREADS", variable)
            assert worker(["train"]) == expected, "what is said after the worker was made counts, too"


def test_what_a_process_prints_on_stderr_comes_line_by_line() -> None:
    lines: list[str] = []
    program = "import sys; sys.stderr.write('one\\rtwo\\n\\nthree'); print('a table')"
    with Worker([*PYTHON, program]) as worker:
        worker.say = lines.append
        assert worker(["train"]) is None
    assert lines == ["one", "two", "three"]


def test_a_worker_runs_one_command_after_the_other_and_outlives_their_mistakes(tmp_path: Path) -> None:
    with Worker() as worker:
        assert "there is no task 'nonsense'" in str(worker(["evaluate", "nonsense", "--model", "m", "--out", "r"]))
        process = worker._process
        assert process is not None
        assert "gone/run.json does not exist" in str(worker(["score", str(tmp_path / "gone")]))
        assert worker._process is process, "both of them in one process"
        assert "--data" in str(worker(["train", "opt-7m"]))
        assert process.returncode is not None
        assert worker._process is None, "a training has a process of its own"


def test_requests_that_failed_are_told_from_a_crash() -> None:
    from selfknow.reproduce.launch import _error

    assert _error(1, [], "evaluate") == "some requests failed: run the same command again to ask them again"
    assert _error(1, ["Traceback", "ValueError: no"], "evaluate") == "ValueError: no"


def test_a_worker_that_was_killed_is_said_and_the_next_command_has_another() -> None:
    with Worker() as worker:
        assert "gone" in str(worker(["score", "gone"]))
        assert worker._process is not None
        os.kill(worker._process.pid, signal.SIGKILL)
        assert worker(["score", "gone"]) == "ended by SIGKILL (too little memory?)"
        assert "gone" in str(worker(["score", "gone"]))


def test_a_worker_that_is_stopped_interrupts_its_command_and_runs_no_other(tmp_path: Path) -> None:
    mark = tmp_path / "begun"
    program = f"import pathlib, time; pathlib.Path({str(mark)!r}).touch(); time.sleep(600)"
    errors: list[str | None] = []
    with Worker([*PYTHON, program]) as worker:
        thread = Thread(target=lambda: errors.append(worker(["train"])))
        thread.start()
        while not mark.exists():
            time.sleep(0.01)
        worker.stop()
        thread.join(30)
        assert errors == ["KeyboardInterrupt"] or "SIGINT" in str(errors[0])
        assert worker(["train"]) == "stopped"


def test_a_worker_ends_with_the_process_that_started_it_even_a_killed_one(tmp_path: Path, python: WarmPython) -> None:
    mark = tmp_path / "worker"
    code = f"import sys\nsys.path.append({str(REPOSITORY)!r})\nfrom pathlib import Path\n"
    code += "from selfknow.reproduce.launch import Worker\nimport time\n"
    code += "worker = Worker()\nworker(['score', 'gone'])\n"
    code += f"Path({str(mark)!r}).write_text(str(worker._process.pid))\ntime.sleep(600)\n"
    process = python.start("-c", code)
    while not (mark.exists() and mark.read_text()):
        assert process.poll() is None
        time.sleep(0.01)
    worker = int(mark.read_text())
    os.kill(worker, 0)
    process.kill()
    deadline = time.monotonic() + 60
    status = Path(f"/proc/{worker}/status")
    while status.exists() and "zombie" not in status.read_text():
        assert time.monotonic() < deadline, "it outlives the one that started it"
        time.sleep(0.01)


@pytest.mark.full
def test_a_worker_opens_a_model_once_for_all_that_is_asked_of_it(tmp_path: Path) -> None:
    """The second run is asked of a folder that is no more."""
    folder = small_model(tmp_path / "model")
    common = ["self-knowledge:fact", "--limit", "1", "--max-new-tokens", "4", "--no-examples", "--model", str(folder)]
    with Worker() as worker:
        assert worker(["evaluate", *common, "--out", str(tmp_path / "one")]) is None
        (folder / "model.safetensors").rename(tmp_path / "weights")
        assert worker(["evaluate", *common, "--protocol", "dual", "--out", str(tmp_path / "other")]) is None
        assert read_generations(tmp_path / "other").num_rows >= 1
        other = [*common, "--batch-size", "2", "--out", str(tmp_path / "third")]
        assert "model" in str(worker(["evaluate", *other])), "opened in another way it is another model"


def small_model(folder: Path) -> Path:
    tokenizer = tiny_tokenizer(["How many words?"])
    save(tiny_model("opt", tokenizer), tokenizer, folder)
    return folder
