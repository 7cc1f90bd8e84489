"""``python -m benchmarks.kills --count 60``: ``kill -9``, counted; the same command goes on where it stopped."""

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.kills.activity import Activity
from benchmarks.kills.killing import Tally, count, print_table, read

NAMES = ("data publish", "evaluate", "data build", "portrait build", "train")


def main() -> None:
    """Kill, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kills", description=__doc__)
    parser.add_argument("--count", type=int, default=60, help="kills of each kind of work")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=NAMES, help="one kind of work")
    parser.add_argument("--ledger", type=Path, default=Path("build/kills"), help="the folder that keeps the counts")
    options = parser.parse_args()
    options.ledger.mkdir(parents=True, exist_ok=True)
    tallies: dict[str, Tally] = {}
    with tempfile.TemporaryDirectory(prefix="kills-") as place:
        for name in NAMES:
            ledger = options.ledger / f"{name.replace(' ', '-')}.json"
            if options.only in (None, name):
                tallies[name] = _count(name, Path(place) / name.replace(" ", "-"), options, ledger)
            elif ledger.exists():
                tallies[name] = read(ledger)
    print_table(tallies)


def _count(name: str, folder: Path, options: argparse.Namespace, ledger: Path) -> Tally:
    folder.mkdir()

    def counted(activity: Activity) -> Tally:
        return count(activity, options.count, options.seed, folder, ledger, lambda line: sys.stderr.write(f"{line}\n"))

    if name == "data publish":
        return _against_a_hub(folder, counted)
    return counted(_activity(name, folder))


def _against_a_hub(folder: Path, counted: Callable[[Activity], Tally]) -> Tally:
    from benchmarks.kills.publishing import activity, start_hub

    server = start_hub(folder / "hub")
    try:
        return counted(activity(folder / "hub"))
    finally:
        server.terminate()
        server.wait()


def _activity(name: str, folder: Path) -> Activity:
    """What is heavy is imported here: the client of the Hub, which comes first, must not be imported before it."""
    if name == "evaluate":
        from benchmarks.kills.asking import EVALUATE

        return EVALUATE
    if name == "train":
        from benchmarks.kills.training import activity

        return activity(folder)
    from benchmarks.kills.building import DATA_BUILD, PORTRAIT_BUILD

    return DATA_BUILD if name == "data build" else PORTRAIT_BUILD


if __name__ == "__main__":
    main()
