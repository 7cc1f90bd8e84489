"""Ledgers: files of counts, one for each kind of input or work, so that a stopped count can be resumed."""

import argparse
import json
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


def options(name: str, text: str | None, kinds: tuple[str, ...], count: int, counted: str) -> argparse.Namespace:
    """Read the command line of a benchmark that counts, and make the folder of its ledgers.

    Args:
        name: The benchmark's module.
        text: Its docstring.
        kinds: The kinds of input or work.
        count: The default of ``--count``.
        counted: The help of ``--count``.
    """
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=text)
    parser.add_argument("--count", type=int, default=count, help=counted)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=kinds, help="count only this kind")
    parser.add_argument("--ledger", type=Path, default=Path("build") / name, help="the folder for the counts")
    arguments = parser.parse_args()
    arguments.ledger.mkdir(parents=True, exist_ok=True)
    return arguments


def path_of(folder: Path, kind: str) -> Path:
    """Return the ledger of a kind."""
    return folder / f"{kind.replace(' ', '-')}.json"


def read(path: Path, tally: type[T]) -> T:
    """Read a tally, which is a dataclass of numbers, counters and lists; return an empty one if there is no ledger."""
    empty = tally()
    stored: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return tally(**{name: type(getattr(empty, name))(value) for name, value in stored.items()})


def save(path: Path, tally: object) -> None:
    """Write a tally so that a kill leaves either the old file or the new one."""
    temporary = path.with_suffix(".new")
    temporary.write_text(json.dumps(vars(tally), indent=1))
    temporary.replace(path)
