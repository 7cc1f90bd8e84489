"""Diary corpora: ``data build`` against the same rows written with plain pyarrow, and its memory against size.

python -m benchmarks.diary_recall [--sizes 1000000,4000000]
"""

import argparse
import os
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

import datasets
import pyarrow as pa

from benchmarks import per_row_diaries
from benchmarks.tables import print_table
from benchmarks.timing import Measurement, measure
from selfknow.builders.diary_recall.builder import DATASET, configs_of_shape
from selfknow.builders.diary_recall.diaries import Shape
from selfknow.builders.folder.content_hash import content_hash_of_files
from selfknow.builders.folder.write import build_folder

PAPER_SIZE = 64_000
REPETITIONS = 3


def build(num_diarists: int, jobs: int) -> None:
    """Build both setups, to Parquet on disk, content hashes, card and manifest included."""
    pa.set_cpu_count(jobs)
    with tempfile.TemporaryDirectory() as folder:
        build_folder(DATASET, configs_of_shape(Shape(num_diarists)), Path(folder), jobs=jobs)


def build_by(write: Callable[[Path, int, bool], None], num_diarists: int) -> None:
    """Build both setups row by row with a function of :mod:`per_row_diaries`, content hashes included."""
    pa.set_cpu_count(1)
    datasets.disable_progress_bars()
    with tempfile.TemporaryDirectory() as folder:
        for simplified in (False, True):
            place = Path(folder) / str(simplified)
            place.mkdir()
            write(place, num_diarists, simplified)
            content_hash_of_files({split: [place / f"{split}.parquet"] for split in ("train", "validation", "test")})


def main() -> None:
    """Measure in turn, and print the tables of ``docs/benchmarks.md``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="", help="diarists of further corpora, separated by commas")
    sizes = [int(size) for size in parser.parse_args().sizes.split(",") if size]
    works = {
        "`from_pylist` and `ParquetWriter`": (build_by, per_row_diaries.write_with_pyarrow, PAPER_SIZE),
        "`Dataset.from_generator`": (build_by, per_row_diaries.write_with_datasets, PAPER_SIZE),
        "`selfknow data build`, 1 job": (build, PAPER_SIZE, 1),
        "`selfknow data build`, 2 jobs": (build, PAPER_SIZE, 2),
    }
    rounds = [{name: measure(*work) for name, work in works.items()} for _ in range(REPETITIONS)]

    def row(name: str) -> list[str]:
        each: list[Measurement] = [measured[name] for measured in rounds]
        times = (next(iter(measured.values())).cpu_seconds / measured[name].cpu_seconds for measured in rounds)
        cpu, wall = (statistics.median(getattr(one, field) for one in each) for field in ("cpu_seconds", "seconds"))
        peak = max(one.peak_memory_in_mb for one in each)
        return [name, f"{cpu:.2f}", f"{statistics.median(times):.1f}", f"{wall:.2f}", f"{peak:.0f}"]

    print(f"load before: {os.getloadavg()[0]:.1f}\n")
    head = [f"64k, both setups, median of {REPETITIONS}", "CPU (s)", "times", "wall (s)", "peak memory (MB)"]
    print_table(head, map(row, works))
    if sizes:
        print()
        builds = ((size, measure(build, size, 1)) for size in sizes)
        print_table(
            ["diarists, both setups, 1 job", "CPU (s)", "peak memory (MB)"],
            ([f"{size:,}", f"{made.cpu_seconds:.1f}", f"{made.peak_memory_in_mb:.0f}"] for size, made in builds),
            left=(),
        )


if __name__ == "__main__":
    main()
