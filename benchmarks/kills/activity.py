"""What is killed: the shape that every kind of work has here."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Activity:
    """One kind of work.

    Attributes:
        name: The command that does it.
        prepare: Makes a new place for one trial.
        work: Does it there, or goes on with it: the same call every time.
        phase: How far it has come, by what stands there.
        faults: What is wrong with what stands there: something that was kept before is lost or doubled, or something
            half-made looks whole. The second place is that of an undisturbed run, the third says whether the work has
            ended: then everything must be as it is there.
    """

    name: str
    prepare: Callable[[Path], None]
    work: Callable[[Path], None]
    phase: Callable[[Path], str]
    faults: Callable[[Path, Path, bool], Iterable[str]]


def bytes_below(folder: Path) -> dict[str, bytes]:
    """Read every file of a folder, by its name in it."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
