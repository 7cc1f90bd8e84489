"""What becomes of a cell's process: whatever ends it is said in one line."""

import sys

import pytest

from selfknow.reproduce.launch import in_a_process

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
