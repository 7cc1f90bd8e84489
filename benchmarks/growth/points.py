"""One measured size: a line of a file that is appended when it is done, so that a killed benchmark goes on."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks import tables


@dataclass(frozen=True)
class Point:
    """What one piece of work of one size took, on one thread, in a process of its own.

    Attributes:
        work: Such as ``portraits``.
        series: What exactly was done.
        size: N-grams, generations or diarists.
        seconds: Of the clock.
        cpu_seconds: Of the processor; what other work on the machine takes is not in it, but it slows this down.
        memory_in_mb: The most that the process held.
        moved_in_mb: Bytes that must be read once and bytes that must be written once.
        copied_mb_per_second: What one core copied within memory at that time.
        written_mb_per_second: What the disk took at that time, until it said that it had it.
        needed_in_mb: What must be held at once: a process with the libraries, and a filter's information.
        load: Programs that ran or waited for a core when it began.
    """

    work: str
    series: str
    size: int
    seconds: float
    cpu_seconds: float
    memory_in_mb: float
    moved_in_mb: float
    copied_mb_per_second: float
    written_mb_per_second: float
    needed_in_mb: float
    load: float

    @property
    def copying_seconds(self) -> float:
        """The limit of memory: the bytes moved once."""
        return self.moved_in_mb / self.copied_mb_per_second

    @property
    def disk_seconds(self) -> float:
        """The limit of the disk: the bytes moved once."""
        return self.moved_in_mb / self.written_mb_per_second


def read_points(path: Path) -> list[Point]:
    """Read the points so far, in the order of work, series and size; a line that a kill cut off is no point."""
    if not path.exists():
        return []
    whole = [line for line in path.read_text("utf-8").splitlines(keepends=True) if line.endswith("\n")]
    points = [Point(**json.loads(line)) for line in whole]
    return sorted(points, key=lambda point: (point.work, point.series, point.size))


def append_point(path: Path, point: Point) -> None:
    """Add a point, and have it on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_half_a_line(path)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(point)) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _remove_half_a_line(path: Path) -> None:
    if path.exists() and not (content := path.read_bytes()).endswith(b"\n"):
        path.write_bytes(content[: content.rfind(b"\n") + 1])


def table(points: Sequence[Point]) -> str:
    """Return the points as the table of ``docs/scale.md``."""
    seconds = ("cpu_seconds", "copying_seconds", "disk_seconds")
    return tables.table(
        ["work", "size", "CPU (s)", "copying (s)", "disk (s)", "memory (MB)", "at least (MB)", "load"],
        (
            [
                *(point.series, f"{point.size:,}", *(_short(getattr(point, name)) for name in seconds)),
                *(f"{point.memory_in_mb:,.0f}", f"{point.needed_in_mb:,.0f}", f"{point.load:.1f}"),
            ]
            for point in points
        ),
    )


def _short(seconds: float) -> str:
    return f"{seconds:,.0f}" if seconds >= 100 else f"{seconds:.1f}" if seconds >= 10 else f"{seconds:.2g}"
