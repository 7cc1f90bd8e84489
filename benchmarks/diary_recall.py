"""Diary corpora: ``data build`` against a plain generator of rows, and its memory against size.

python -m benchmarks.diary_recall
"""

import shutil
import tempfile
from pathlib import Path

import datasets

from benchmarks import per_row_diaries
from benchmarks.tables import print_table
from benchmarks.timing import measure, measure_in_turn
from selfknow.builders.diary_recall.builder import DATASET, configs_of_shape
from selfknow.builders.diary_recall.diaries import Shape
from selfknow.builders.folder.content_hash import content_hash_of_files
from selfknow.builders.folder.write import build_folder

PAPER_SIZE = 64_000
LARGE_SIZES = (1_000_000, 4_000_000)
REPETITIONS = 3
ALL_CORES = 2


def build_vectorised(num_diarists: int, jobs: int) -> None:
    """Build both setups, to Parquet on disk, content hashes, card and manifest included."""
    with tempfile.TemporaryDirectory() as folder:
        build_folder(DATASET, configs_of_shape(Shape(num_diarists)), Path(folder), jobs=jobs)


def build_per_row(num_diarists: int) -> None:
    """Build both setups row by row, to Parquet on disk, content hashes included."""
    datasets.disable_progress_bars()
    folder = Path(tempfile.mkdtemp())
    for simplified in (False, True):
        per_row_diaries.write(folder / str(simplified), num_diarists, simplified)
        files = {split: [folder / str(simplified) / f"{split}.parquet"] for split in ("train", "validation", "test")}
        content_hash_of_files(files)
    shutil.rmtree(folder)


def main() -> None:
    """Measure in turn, and print the tables of ``docs/benchmarks.md``."""
    works = {
        "plain generator of rows, `Dataset.from_generator`": (build_per_row, PAPER_SIZE),
        "`selfknow data build`, 1 job": (build_vectorised, PAPER_SIZE, 1),
        f"`selfknow data build`, {ALL_CORES} jobs": (build_vectorised, PAPER_SIZE, ALL_CORES),
    }
    medians = measure_in_turn(works, REPETITIONS)
    baseline = next(iter(medians.values())).seconds
    print_table(
        [f"64k, both setups, median of {REPETITIONS}", "seconds", "times the baseline", "peak memory (MB)"],
        (
            [name, f"{median.seconds:.2f}", f"{baseline / median.seconds:.1f}", f"{median.peak_memory_in_mb:.0f}"]
            for name, median in medians.items()
        ),
    )
    print()
    builds = ((size, measure(build_vectorised, size, ALL_CORES)) for size in LARGE_SIZES)
    print_table(
        [f"diarists, both setups, {ALL_CORES} jobs", "seconds", "peak memory (MB)"],
        ([f"{size:,}", f"{build.seconds:.1f}", f"{build.peak_memory_in_mb:.0f}"] for size, build in builds),
        left=(),
    )


if __name__ == "__main__":
    main()
