"""``data check`` over the diary corpora of the paper's sizes: the whole check, its steps, and two comparisons.

python -m benchmarks.data_check

The 14 configs (60 MB) are built once, into ``out/benchmarks``. Each piece of work is measured in its own process.
"""

import hashlib
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from benchmarks.tables import print_table
from benchmarks.timing import measure, measure_in_turn
from selfknow.builders.catalogue import find_configs
from selfknow.builders.diary_recall.builder import DATASET
from selfknow.builders.folder.manifest import MANIFEST, read_manifest
from selfknow.builders.folder.write import build_folder
from selfknow.validation.suite import Batch

FOLDER = Path("out/benchmarks/diary-recall")
REPETITIONS = 3
MOST_NAMED = 8  # the number of expectations with a row of their own
NOTHING = "select 1 limit 0"


def build() -> Path:
    """Return the folder of the 14 configs, and build it if it is missing."""
    if not (FOLDER / MANIFEST).exists():
        build_folder(DATASET, find_configs(DATASET, (), seed=0), FOLDER, jobs=2)
    return FOLDER


def check(folder: Path) -> None:
    """Check a folder as ``selfknow data check`` does, including its imports and its pages."""
    from selfknow.validation.check import check_folder

    with tempfile.TemporaryDirectory() as pages:
        assert check_folder(folder, data_docs=Path(pages)) == [], "the built corpora must pass their check"


def read_and_hash(folder: Path) -> None:
    """Read all files and hash their bytes, which is the least that a check must do."""
    for path in sorted(folder.rglob("*.parquet")):
        hashlib.sha256(path.read_bytes()).hexdigest()


def import_great_expectations() -> None:
    """Import Great Expectations, which a check needs before it reads a row."""
    import great_expectations  # noqa: F401


def steps(folder: Path) -> dict[str, float]:
    """Return the CPU seconds of each step of a check, one after the other."""
    seconds: dict[str, float] = defaultdict(float)
    with timed(seconds, "importing Great Expectations"):
        import_great_expectations()
    from selfknow.validation.catalogue import SUITES
    from selfknow.validation.check import validate
    from selfknow.validation.data_docs import write_pages
    from selfknow.validation.folder.suite import batch_of_folder, facts_of_folder
    from selfknow.validation.queries import SharedRows, exceptions, group_by_shared_files

    manifest = read_manifest(folder)
    suite = SUITES[manifest.dataset]
    with timed(seconds, "hashes of files and rows, card"):
        facts = facts_of_folder(folder, manifest, suite)
    batches = [batch_of_folder(facts, suite), *suite.batches(folder, manifest, list(manifest.configs))]
    for group in group_by_shared_files(batches):
        with SharedRows(threads=1) as rows:
            for place in group:
                start = time.process_time()
                with rows.open_batch(batches[place]) as connection:
                    seconds["set-ups, reading the files"] += time.process_time() - start
                    for query in batches[place].queries:
                        with timed(seconds, f"`{query.name}`"):
                            assert exceptions(connection, query) == []
    with timed(seconds, "Great Expectations itself"):
        results = validate([_without_work(batch) for batch in batches], lambda: None)
    with timed(seconds, "pages of Data Docs"), tempfile.TemporaryDirectory() as pages:
        write_pages(Path(pages), batches, results, title="diaries")
    return dict(seconds)


def _without_work(batch: Batch) -> Batch:
    """Return a batch with the same number of queries, each of which returns no rows and takes no time."""
    return replace(batch, files={}, setup="", queries=[replace(query, sql=NOTHING) for query in batch.queries])


@contextmanager
def timed(seconds: dict[str, float], step: str) -> Iterator[None]:
    """Add the CPU seconds of the block, over all threads, to those of a step."""
    start = time.process_time()
    yield
    seconds[step] += time.process_time() - start


def main() -> None:
    """Measure in turn, and print the tables of ``docs/benchmarks.md``."""
    folder = build()
    load = os.getloadavg()[0]
    works = {
        "reading all files and hashing their bytes": (read_and_hash, folder),
        "importing Great Expectations": (import_great_expectations,),
        "`selfknow data check`": (check, folder),
    }
    print(f"load before: {load:.1f}\n")
    print_table(
        [f"median of {REPETITIONS}", "CPU (s)", "wall (s)", "peak memory (MB)"],
        (
            [name, f"{median.cpu_seconds:.2f}", f"{median.seconds:.2f}", f"{median.peak_memory_in_mb:.0f}"]
            for name, median in measure_in_turn(works, REPETITIONS).items()
        ),
    )
    seconds: dict[str, float] = measure(steps, folder).value
    queries = sorted((name for name in seconds if name.startswith("`")), key=lambda name: -seconds[name])
    others = queries[MOST_NAMED:]
    rows = {name: step_seconds for name, step_seconds in seconds.items() if name not in others}
    rows[f"the {len(others)} other expectations"] = sum(seconds[name] for name in others)
    print()
    slowest = sorted(rows.items(), key=lambda step: -step[1])
    print_table(["step, each alone", "CPU (s)"], ([name, f"{step_seconds:.2f}"] for name, step_seconds in slowest))


if __name__ == "__main__":
    main()
