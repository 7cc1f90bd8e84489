"""The interface of all kinds of work that are killed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Activity:
    """A kind of work.

    Attributes:
        name: The command that does it.
        prepare: Prepare the folder of a trial.
        work: Start or resume the work in the folder; the call is the same every time.
        phase: Return the phase of the work, read from the folder.
        faults: Yield the faults in the folder: lost data, doubled data, or unfinished data that looks complete. The
            second folder is that of an undisturbed run. If the third argument is true, the work has ended, and both
            folders must be the same.
    """

    name: str
    prepare: Callable[[Path], None]
    work: Callable[[Path], None]
    phase: Callable[[Path], str]
    faults: Callable[[Path, Path, bool], Iterable[str]]


def bytes_below(folder: Path) -> dict[str, bytes]:
    """Read every file of a folder, by its name in it."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
