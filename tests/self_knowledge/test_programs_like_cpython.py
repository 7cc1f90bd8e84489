"""Programs of the kind that models write, run by CPython and by us: the same output, or null with a reason."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.tasks.self_knowledge.programs import Programs
from selfknow.evaluate.tasks.self_knowledge.sandbox import Sandbox, World

SAMPLED = 8  # without the tests of the full suite
CPYTHON = """
import contextlib, io, json, sys
printed = []
for program in json.load(sys.stdin):
    output = io.StringIO()
    failed = False
    try:
        with contextlib.redirect_stdout(output):
            exec(compile(program, "program.py", "exec"), {"__name__": "__main__", "__doc__": None})
    except SystemExit as end:
        failed = end.code not in (None, 0)
    except BaseException:
        failed = True
    printed.append(None if failed else output.getvalue())
json.dump(printed, sys.stdout)
"""


def corpus() -> list[str]:
    files = sorted((Path(__file__).parent / "programs").glob("*.txt"))
    return [program for file in files for program in file.read_text(encoding="utf-8").split("# ---\n")]


def in_cpython(sources: list[str]) -> list[str | None]:
    command = [sys.executable, "-I", "-c", CPYTHON]
    result = subprocess.run(command, input=json.dumps(sources), capture_output=True, text=True, check=True, timeout=60)
    printed: list[str | None] = json.loads(result.stdout)
    return printed


@pytest.mark.parametrize("step", [SAMPLED, pytest.param(1, marks=pytest.mark.full)])
def test_no_program_prints_anything_else_than_in_cpython(cpython: None, step: int) -> None:
    assert len(corpus()) >= 300
    sources = corpus()[::step]
    expected = in_cpython(sources)
    programs = Programs()
    ours = [programs.run(source) for source in sources]

    differences = [
        (source, outcome.value, right)
        for source, outcome, right in zip(sources, ours, expected, strict=True)
        if outcome.value is not None and outcome.value != right
    ]
    assert not differences
    assert all(outcome.reason for outcome in ours if outcome.value is None)
    equal = sum(outcome.value is not None for outcome in ours)
    assert equal >= 0.9 * len(sources), f"{equal} of {len(sources)}"


def test_it_would_see_a_difference(cpython: None) -> None:
    """The near miss: one run alone differs from CPython on a machine of 64 bits."""
    sandbox, programs = Sandbox(), Programs()
    sources = ["import sys\nprint(sys.maxsize)", "print(hash((1, 2)))", "print({2**40, 2**33 + 1, 2**50 + 7})"]
    alone = [sandbox.run(["-c", source], World(0, 0.0, 0.0)).output for source in sources]
    assert None not in alone
    assert not any(ours == right for ours, right in zip(alone[:2], in_cpython(sources), strict=False))
    assert [programs.run(source) == Outcome(alone[0]) for source in sources] == [False] * 3
    assert all(programs.run(source).value is None for source in sources)
