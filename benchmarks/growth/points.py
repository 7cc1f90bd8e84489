"""The file of measured sizes: a line is appended after each, so that a killed benchmark can resume."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks import tables


@dataclass(frozen=True)
class Point:
    """The time and memory of a piece of work of one size, on one thread, in a process of its own.

    Attributes:
        work: The kind of work, such as ``portraits``.
        series: The variant of the work.
        size: N-grams, generations or diarists.
        seconds: The wall time in seconds.
        cpu_seconds: The CPU time in seconds. Other work on the machine is not counted, but slows this work down.
        memory_in_mb: The peak memory of the process.
        moved_in_mb: The megabytes that must be read once or written once.
        copied_mb_per_second: The speed of copying within memory at that time, on one core.
        written_mb_per_second: The speed of writing and syncing to the disk at that time.
        needed_in_mb: The least memory: a process with the libraries, and a filter's information.
        load: Programs that ran or waited for a core at the beginning.
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
        """The seconds to copy the moved bytes once within memory."""
        return self.moved_in_mb / self.copied_mb_per_second

    @property
    def disk_seconds(self) -> float:
        """The seconds to write the moved bytes once to the disk."""
        return self.moved_in_mb / self.written_mb_per_second


def read_points(path: Path) -> list[Point]:
    """Read the points so far, in the order of work, series and size, without a last line that a kill cut off."""
    if not path.exists():
        return []
    complete_lines = [line for line in path.read_text("utf-8").splitlines(keepends=True) if line.endswith("\n")]
    points = [Point(**json.loads(line)) for line in complete_lines]
    return sorted(points, key=lambda point: (point.work, point.series, point.size))


def append_point(path: Path, point: Point) -> None:
    """Append a point, and sync it to the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_incomplete_line(path)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(point)) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _remove_incomplete_line(path: Path) -> None:
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
