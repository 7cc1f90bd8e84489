"""Damaged input of every kind, counted and resumable: ``python -m benchmarks.mutations --count 100000``."""

import sys
import tempfile
from pathlib import Path

from benchmarks import ledger
from benchmarks.mutations.counting import Tally, count, print_tallies
from benchmarks.mutations.folders import DATASETS, RUNS
from benchmarks.mutations.portraits import DUMPS, PORTRAITS
from benchmarks.mutations.texts import LINES, PLANS

SHARES = ((PORTRAITS, 0.4), (DUMPS, 0.1), (LINES, 0.2), (PLANS, 0.1), (RUNS, 0.1), (DATASETS, 0.1))
_ROUND = 5_000  # inputs; all kinds take turns, so that a stopped count has some of each


def main() -> None:
    """Count, and print the table."""
    kinds = tuple(target.name for target, _ in SHARES)
    options = ledger.options("mutations", __doc__, kinds, 1_000, "damaged inputs of all kinds together")
    num_rounds = max(1, round(options.count / _ROUND))
    tallies: dict[str, Tally] = {}
    with tempfile.TemporaryDirectory(prefix="mutations-") as place:
        for part in range(1, 1 + num_rounds):
            for target, share in SHARES:
                path = ledger.path_of(options.ledger, target.name)
                if options.only in (None, target.name):
                    folder = Path(place) / str(part) / target.name.replace(" ", "-")
                    until = round(options.count * share * part / num_rounds)
                    tallies[target.name] = count(target, options.seed, until, folder, path, _tell)
                else:
                    tallies[target.name] = ledger.read(path, Tally)
    print_tallies(tallies)


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    main()
