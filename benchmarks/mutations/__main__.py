"""``python -m benchmarks.mutations --count 100000``: damaged input, counted; a second call goes on where it stopped."""

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.mutations.counting import Tally, count, print_table, read_ledger
from benchmarks.mutations.folders import DATASETS, RUNS
from benchmarks.mutations.portraits import DUMPS, PORTRAITS
from benchmarks.mutations.target import Target
from benchmarks.mutations.texts import LINES, PLANS

SHARES = ((PORTRAITS, 0.4), (DUMPS, 0.1), (LINES, 0.2), (PLANS, 0.1), (RUNS, 0.1), (DATASETS, 0.1))
_ROUND = 5_000  # of all kinds in turn, so that a count that is stopped has some of each


def main() -> None:
    """Count, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutations", description=__doc__)
    parser.add_argument("--count", type=int, default=1_000, help="damaged inputs of all kinds together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="one kind, such as portraits")
    parser.add_argument("--ledger", type=Path, default=Path("build/mutations"), help="the folder that keeps the counts")
    options = parser.parse_args()
    options.ledger.mkdir(parents=True, exist_ok=True)
    tallies: dict[str, Tally] = {}
    with tempfile.TemporaryDirectory(prefix="mutations-") as place:
        for part in range(1, 1 + max(1, round(options.count / _ROUND))):
            for target, share in SHARES:
                if options.only in (None, target.name):
                    folder = Path(place) / str(part) / target.name.replace(" ", "-")
                    until = round(options.count * share * part / max(1, round(options.count / _ROUND)))
                    tallies[target.name] = count(
                        target, options.seed, until, folder, _ledger(options.ledger, target), _tell
                    )
                else:
                    tallies[target.name] = read_ledger(_ledger(options.ledger, target))
    print_table(tallies)


def _ledger(folder: Path, target: Target) -> Path:
    return folder / f"{target.name.replace(' ', '-')}.json"


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    main()
