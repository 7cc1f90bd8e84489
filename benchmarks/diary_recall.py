"""Diary corpora: ``data build`` against the same kind of rows, written by pyarrow or ``Dataset.from_generator``.

python -m benchmarks.diary_recall
"""

import os
import statistics
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa

from benchmarks import per_row_diaries
from benchmarks.tables import print_table
from benchmarks.timing import measure, timed
from selfknow.builders.diary_recall.builder import DATASET, configs_of_shape
from selfknow.builders.diary_recall.diaries import Shape
from selfknow.builders.folder.content_hash import SplitHash, content_hash_of_files
from selfknow.builders.folder.parquet_files import parquet_of
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
            setup_folder = Path(folder) / str(simplified)
            setup_folder.mkdir()
            write(setup_folder, num_diarists, simplified)
            splits = ("train", "validation", "test")
            content_hash_of_files({split: [setup_folder / f"{split}.parquet"] for split in splits})


def limits(num_diarists: int) -> dict[str, float]:
    """Return the CPU seconds of the two steps that no builder of these files can leave out, once it has the rows."""
    pa.set_cpu_count(1)
    configs = configs_of_shape(Shape(num_diarists))
    tables = [shard() for config in configs for shards in config.shards.values() for shard in shards]
    batches = [batch for table in tables for batch in table.to_batches()]
    return {
        "limit: Parquet of these rows": timed(lambda: [parquet_of(table) for table in tables]).cpu_seconds,
        "limit: hashes of these rows": timed(lambda: [SplitHash().update(batch) for batch in batches]).cpu_seconds,
    }


def main() -> None:
    """Measure in turn, and print the tables of ``docs/benchmarks.md``."""
    works: dict[str, Sequence[Any]] = {
        "`from_pylist` and `ParquetWriter`": (build_by, per_row_diaries.write_with_pyarrow, PAPER_SIZE),
        "`Dataset.from_generator`": (build_by, per_row_diaries.write_with_datasets, PAPER_SIZE),
        "`selfknow data build`, 1 job": (build, PAPER_SIZE, 1),
        "`selfknow data build`, 2 jobs": (build, PAPER_SIZE, 2),
    }
    rounds = [{name: measure(*work) for name, work in works.items()} for _ in range(REPETITIONS)]

    def row(name: str) -> list[str]:
        times = (next(iter(by_name.values())).cpu_seconds / by_name[name].cpu_seconds for by_name in rounds)
        cpu = statistics.median(by_name[name].cpu_seconds for by_name in rounds)
        wall = statistics.median(by_name[name].seconds for by_name in rounds)
        peak = max(by_name[name].peak_memory_in_mb for by_name in rounds)
        return [name, f"{cpu:.2f}", f"{statistics.median(times):.1f}", f"{wall:.2f}", f"{peak:.0f}"]

    print(f"load before: {os.getloadavg()[0]:.1f}\n")
    head = [f"64k, both setups, median of {REPETITIONS}", "CPU (s)", "times", "wall (s)", "peak memory (MB)"]
    print_table(head, map(row, works))
    print()
    measurements = [measure(limits, PAPER_SIZE).value for _ in range(REPETITIONS)]
    rows = ([name, f"{statistics.median(seconds[name] for seconds in measurements):.2f}"] for name in measurements[0])
    print_table([f"part of it, median of {REPETITIONS}", "CPU (s)"], rows)


if __name__ == "__main__":
    main()
