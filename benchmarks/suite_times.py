"""The CPU seconds of each test file, with its child processes, written to tests/slow_files.tsv (only on Linux).

    python -m benchmarks.suite_times                       # all files
    python -m benchmarks.suite_times tests/train           # only these; rows of other files stay
    python -m benchmarks.suite_times --tests tests/train   # prints the slowest tests instead of the slowest files

The table sets the order of the tests and the files that `make quick` leaves out. Tests of the full suite are not run.
"""

import argparse
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.timing import adopt_orphans

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "tests" / "slow_files.tsv"
SLOW_FROM_CPU_SECONDS = 1.5
_CHILD = "SELFKNOW_MEASURED_FROM"


def cpu_seconds(root: int) -> float:
    """Return the CPU seconds of a process and of all its descendants, ended or not."""
    processes = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        processes[int(path.parent.name)] = (int(fields[1]), sum(map(int, fields[11:15])))
    children: dict[int, list[int]] = {}
    for process, (parent, _) in processes.items():
        children.setdefault(parent, []).append(process)
    family, ticks = [root], 0
    for process in family:
        ticks += processes.get(process, (0, 0))[1]
        family += children.get(process, [])
    return ticks / os.sysconf("SC_CLK_TCK")


class Clock:
    """A pytest plugin that measures each test: the CPU seconds from the end of the test before it to its own end."""

    def __init__(self, root: int) -> None:
        self.root, self.last, self.of_tests = root, 0.0, Counter[str]()

    def pytest_collection_finish(self) -> None:
        """Start the clock before the first test."""
        self.last = cpu_seconds(self.root)
        self.of_tests["collecting"] = self.last

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Count the time of a test."""
        now = cpu_seconds(self.root)
        self.of_tests[nodeid], self.last = now - self.last, now


def measure(paths: list[str], *, show_tests: bool) -> int:
    """Run tests in this process, and return the exit code of pytest."""
    clock = Clock(int(os.environ[_CHILD]))
    code = pytest.main(["-q", "-p", "no:cacheprovider", "-m", "not full", *paths], [clock])
    of_files = Counter[str]()
    for name, seconds in clock.of_tests.items():
        of_files[name.partition("::")[0]] += seconds
    for name, seconds in (clock.of_tests if show_tests else of_files).most_common(60):
        print(f"{seconds:8.2f} {name}")
    print(f"{of_files.total():8.2f} in all")
    rows = dict(
        line.split("\t") for line in TABLE.read_text().splitlines() if (ROOT / line.partition("\t")[0]).exists()
    )
    rows |= {name: f"{seconds:.1f}" for name, seconds in of_files.items() if name != "collecting"}
    slow = sorted((-float(seconds), name) for name, seconds in rows.items() if float(seconds) > SLOW_FROM_CPU_SECONDS)
    TABLE.write_text("".join(f"{name}\t{-seconds}\n" for seconds, name in slow))
    return int(code)


def main() -> None:
    """Measure in a child process; all its descendants stay children of this one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--tests", action="store_true", help="print the slowest tests, not the slowest files")
    arguments = parser.parse_args()
    if _CHILD in os.environ:
        sys.exit(measure(arguments.paths, show_tests=arguments.tests))
    # Processes that outlive their parent become children of this process, so that their time is counted.
    adopt_orphans()
    environment = {**os.environ, _CHILD: str(os.getpid()), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "benchmarks.suite_times", *sys.argv[1:]]
    sys.exit(subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode)


if __name__ == "__main__":
    main()
