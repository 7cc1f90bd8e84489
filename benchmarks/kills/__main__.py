"""Commands ended with ``kill -9``, counted and resumable: ``python -m benchmarks.kills --count 60``."""

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks import ledger
from benchmarks.kills.activity import Activity
from benchmarks.kills.killing import Tally, count, print_tables

NAMES = ("data publish", "evaluate", "data build", "portrait build", "train")


def main() -> None:
    """Count the kills, and print the tables."""
    options = ledger.options("kills", __doc__, NAMES, 60, "kills of each kind of work")
    tallies: dict[str, Tally] = {}
    with tempfile.TemporaryDirectory(prefix="kills-") as place:
        for name in NAMES:
            path = ledger.path_of(options.ledger, name)
            if options.only in (None, name):
                tallies[name] = _count(name, Path(place) / name.replace(" ", "-"), options, path)
            elif path.exists():
                tallies[name] = ledger.read(path, Tally)
    print_tables(tallies)


def _count(name: str, folder: Path, options: argparse.Namespace, path: Path) -> Tally:
    folder.mkdir()

    def counted(activity: Activity) -> Tally:
        return count(activity, options.count, options.seed, folder, path, lambda line: sys.stderr.write(f"{line}\n"))

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
    """Return an activity, imported only now: these imports must follow that of the Hub's client."""
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
