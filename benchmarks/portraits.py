"""Portraits against rbloom over Python slices, and against the machine's raw random access.

python -m benchmarks.portraits --sizes 1000000,30000000,300000000

Every method gets the same items and a filter of the same size, rate and fill. The baselines are timed on a random
sample of the items, against the filter at its full size and fill.
"""

import argparse
import hashlib
import os
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import rbloom
import xxhash

from benchmarks.random_access import random_reads_per_second, random_writes_per_second
from benchmarks.tables import print_table
from benchmarks.timing import timed
from selfknow.portraits.filter.adding import Adder
from selfknow.portraits.filter.asking import Asker
from selfknow.portraits.filter.layout import FilterShape, pack_header
from selfknow.portraits.filter.ngrams import Batch
from selfknow.portraits.filter.segments import Bytes
from selfknow.portraits.filter.texts import arrow_batches

WIDTH = 25
RATE = 1e-3
NGRAMS_PER_TEXT = 1000
SAMPLE_TEXTS = 300
WAYS = ("build", "hits", "misses")


def random_texts(ngrams: int, seed: int) -> pa.LargeStringArray:
    """Make texts of random letters: hardly any n-gram occurs twice."""
    texts, length = ngrams // NGRAMS_PER_TEXT, NGRAMS_PER_TEXT + WIDTH - 1
    letters = np.random.default_rng(seed).integers(97, 123, texts * length, dtype=np.uint8)
    offsets = np.arange(texts + 1, dtype=np.int64) * length
    return pa.LargeStringArray.from_buffers(texts, pa.py_buffer(offsets), pa.py_buffer(letters))


def xxh3(ngram: str) -> int:
    """Hash with xxHash, the fastest hash for rbloom in Python."""
    return xxhash.xxh3_128_intdigest(ngram.encode()) - (1 << 127)


def blake2b(ngram: str) -> int:
    """Hash with BLAKE2b, a cryptographic hash."""
    return int.from_bytes(hashlib.blake2b(ngram.encode(), digest_size=16).digest(), "big", signed=True)


def rates_of_rbloom(
    hash_function: Callable[[str], int],
    shape: FilterShape,
    full: Bytes,
    known: list[str],
    unknown: list[str],
    runs: int,
) -> dict[str, float]:
    """Return the n-grams a second of ``Bloom.update`` and ``in`` over slices, with the bits of ``full``."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bits"
        with path.open("wb") as file:
            file.write(pack_header(shape.hashes))
            file.write(full.data)
        bloom = rbloom.Bloom.load(str(path), hash_function)

    def slices(texts: list[str]):  # type: ignore[no-untyped-def]
        return (text[i : i + WIDTH] for text in texts for i in range(NGRAMS_PER_TEXT))

    def ask(texts: list[str]) -> int:
        return sum(text[i : i + WIDTH] in bloom for text in texts for i in range(NGRAMS_PER_TEXT))

    count = len(known) * NGRAMS_PER_TEXT
    rates = {"build": count / seconds(lambda: bloom.update(slices(known)), runs)}
    assert ask(known) == count
    rates["hits"] = count / seconds(lambda: ask(known), runs)
    rates["misses"] = count / seconds(lambda: ask(unknown), runs)
    return rates


def rates_of_portrait(
    shape: FilterShape, known: pa.LargeStringArray, unknown: pa.LargeStringArray, threads: int, runs: int
) -> tuple[dict[str, float], Bytes]:
    """Return the n-grams a second of the kernel, over all items, and the bits."""
    adder = build(shape, known, threads)
    count = adder.items
    asker = Asker(shape, adder.array, threads)
    assert ask(asker, known) == count
    rates = {
        "build": count / seconds(lambda: build(shape, known, threads), runs),
        "hits": count / seconds(lambda: ask(asker, known), runs),
        "misses": count / seconds(lambda: ask(asker, unknown), runs),
    }
    return rates, adder.array


def build(shape: FilterShape, texts: pa.LargeStringArray, threads: int) -> Adder:
    """Set the bits of all n-grams."""
    adder = Adder(shape, threads)
    for batch in arrow_batches(texts):
        adder.add(Batch.from_texts(batch, WIDTH, 1))
    adder.finish()
    return adder


def ask(asker: Asker, texts: pa.LargeStringArray) -> int:
    """Count the n-grams that the filter holds."""
    return sum(
        int(np.count_nonzero(asker.hits(Batch.from_texts(batch, WIDTH, 1))[0])) for batch in arrow_batches(texts)
    )


def limits(shape: FilterShape, array: npt.NDArray[np.uint8], threads: int) -> dict[str, float]:
    """Return the n-grams a second if one cost only random access to memory: all its bits, or two for a miss."""
    reads, writes = random_reads_per_second(array, threads), random_writes_per_second(array, threads)
    fill = 0.5
    reads_of_a_miss = sum(fill**i for i in range(shape.hashes))
    return {"build": writes / shape.hashes, "hits": reads / shape.hashes, "misses": reads / reads_of_a_miss}


def seconds(work: Callable[[], object], runs: int) -> float:
    """Return the median time of several runs."""
    return statistics.median(timed(work).seconds for _ in range(runs))


def measure(size: int, all_threads: list[int]) -> list[list[str]]:
    """Return the rows of one size."""
    shape = FilterShape.for_capacity(size, RATE)
    known, unknown = random_texts(size, 1), random_texts(size, 2)
    runs = 5 if size <= 1_000_000 else 3 if size <= 30_000_000 else 1
    build(shape, known[:1], 1)
    measured: dict[str, dict[str, float]] = {}
    for threads in all_threads:
        name = f"portrait, {threads} thread{'s' * (threads > 1)}"
        measured[name], array = rates_of_portrait(shape, known, unknown, threads, runs)
    rows = np.random.default_rng(3).choice(len(known), min(SAMPLE_TEXTS, len(known)), replace=False)
    sample, other = known.take(pa.array(rows)).to_pylist(), unknown.take(pa.array(rows)).to_pylist()
    baselines = {"rbloom, slices, xxh3 (a)": xxh3, "rbloom, slices, blake2b (b)": blake2b}
    for name, hash_function in baselines.items():
        measured[name] = rates_of_rbloom(hash_function, shape, array, sample, other, 3)
    for threads in all_threads:
        name = f"raw random access, {threads} thread{'s' * (threads > 1)}"
        measured[name] = limits(shape, array, threads)
    slow = measured["rbloom, slices, xxh3 (a)"]
    rows_of_size = []
    for name, rates in measured.items():
        cells = [f"{rates[way] / 1e6:.2f} ({rates[way] / slow[way]:.1f}x)" for way in WAYS]
        rows_of_size.append([f"{size:,}", f"{shape.size_in_bytes / 1e6:.0f}", name, *cells])
    return rows_of_size


def main() -> None:
    """Print the table of ``docs/benchmarks.md``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000000,30000000,300000000", help="n-grams, separated by commas")
    arguments = parser.parse_args()
    all_threads = sorted({1, len(os.sched_getaffinity(0))})
    sizes = map(int, arguments.sizes.split(","))
    rows = (row for size in sizes for row in measure(size, all_threads))
    print_table(["n-grams", "filter (MB)", "method", *WAYS], rows, left=(2,))


if __name__ == "__main__":
    main()
