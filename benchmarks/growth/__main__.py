"""Time and memory of portraits, runs and corpora against size: ``python -m benchmarks.growth``, resumable.

Each size is measured on one thread in its own process, beside the machine's speed of copying and writing at that time.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.growth import measuring
from benchmarks.growth.points import Point, append_point, read_points, table

_RUNS = (10**3, 10**4, 10**5, 10**6)
SIZES: dict[str, tuple[Callable[[int, Path], list[Point]], str, tuple[int, ...]]] = {
    "portraits": (measuring.portraits, measuring.GIVEN, (10**6, 3 * 10**6, 10**7, 3 * 10**7, 10**8)),
    "runs": (measuring.runs, measuring.ASKED, _RUNS),
    "scoring": (measuring.scoring, measuring.SCORED, _RUNS),
    "corpora": (measuring.corpora, measuring.CORPUS, (1_000, 4_000, 16_000, 64_000, 250_000, 1_000_000, 4_000_000)),
}


def main() -> None:
    """Measure the missing sizes, draw the figures and print the table of docs/scale.md."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--only", choices=SIZES, help="measure only this kind of work")
    parser.add_argument("--largest", type=int, default=10**9, help="the largest size")
    parser.add_argument("--points", type=Path, default=Path("build/growth.jsonl"), help="the file of measurements")
    parser.add_argument("--images", type=Path, help="the folder that figures are written to, such as docs/images")
    options = parser.parse_args()
    for work, (measure_size, series, sizes) in SIZES.items():
        for size in sizes:
            has_point = (series, size) in {(point.series, point.size) for point in read_points(options.points)}
            if options.only in (None, work) and size <= options.largest and not has_point:
                _measure(measure_size, size, options.points)
    points = read_points(options.points)
    if options.images and points:
        from benchmarks.growth.figures import write_figures

        write_figures(points, options.images)
    print(table(points))


def _measure(measure_size: Callable[[int, Path], list[Point]], size: int, path: Path) -> None:
    """Measure a size in a folder beside ``path``, because ``/tmp`` is memory on some machines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=".growth-", dir=path.parent))
    try:
        points = measure_size(size, folder)
        for point in reversed(points):  # the series that marks a size as measured comes last
            append_point(path, point)
            figures = f"{point.cpu_seconds:.2f} s, {point.memory_in_mb:.0f} MB"
            print(f"{point.series}, {point.size:,}: {figures}", file=sys.stderr)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
