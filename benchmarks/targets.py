"""A target of the Makefile in a fresh clone, step by step: wall and CPU seconds (only on Linux).

    python -m benchmarks.targets test           # sets up and tests the last commit
    python -m benchmarks.targets demo --busy    # beside a busy process on every core

The CPU seconds of a step are those of its command and of all child processes that it waited for. Processes that outlive
their parent, such as the servers of the tests, count towards the tests or the demo.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.tables import print_table
from benchmarks.timing import adopt_orphans

ROOT = Path(__file__).resolve().parents[1]
STEP = re.compile(r"^  done: (?P<name>.+), (?P<seconds>\d+) s \((?P<cpu_seconds>\d+) CPU s\)$")


class Step(NamedTuple):
    """The wall and CPU seconds of a step."""

    name: str
    seconds: float
    cpu_seconds: float


def run_target(target: str, folder: Path) -> list[Step]:
    """Make a target in a folder, and return its steps; the last row is the whole target.

    Raises:
        subprocess.CalledProcessError: The target failed.
    """
    adopt_orphans()
    start, steps = time.monotonic(), []
    process = subprocess.Popen(
        ["make", target], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout
    for line in process.stdout:
        sys.stderr.write(line)
        if match := STEP.match(line):
            steps.append(Step(match["name"], float(match["seconds"]), float(match["cpu_seconds"])))
    code, seconds = process.wait(), time.monotonic() - start
    _wait_for_orphans()
    if code:
        raise subprocess.CalledProcessError(code, ["make", target])
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return [*steps, Step("in all", seconds, usage.ru_utime + usage.ru_stime)]


def _wait_for_orphans(patience_in_seconds: float = 20.0) -> None:
    """Wait for processes that outlived their parents, so that their time is counted."""
    end = time.monotonic() + patience_in_seconds
    while time.monotonic() < end:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.2)
        except ChildProcessError:
            return


def with_tests_in_full(steps: list[Step]) -> list[Step]:
    """Assign all CPU time that no other step used to the tests, because no step waits for their servers."""
    total = steps[-1].cpu_seconds
    others = sum(step.cpu_seconds for step in steps[:-1] if step.name != "Testing")
    return [step._replace(cpu_seconds=total - others) if step.name == "Testing" else step for step in steps]


@contextmanager
def busy_cores(busy: bool) -> Iterator[None]:
    """Keep every core busy with a process; nothing waits for it, so its time is not counted."""
    spinning = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(busy * (os.cpu_count() or 1))
    ]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", nargs="?", default="test")
    parser.add_argument("--busy", action="store_true", help="keep every core busy with another process")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "selfknow"
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        with busy_cores(arguments.busy):
            steps = with_tests_in_full(run_target(arguments.target, clone))
    rows = ([step.name, f"{step.seconds:,.0f}", f"{step.cpu_seconds:,.0f}"] for step in steps)
    print_table(["step", "wall (s)", "CPU (s)"], rows)


if __name__ == "__main__":
    main()
