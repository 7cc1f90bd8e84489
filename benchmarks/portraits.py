"""Portraits against rbloom over Python slices, and against the machine's raw random access, on one thread.

python -m benchmarks.portraits [--sizes 1000000,7800000,30000000,300000000]

Every method gets the same items and a filter of the same size, rate and fill; rbloom is timed on a random sample of the
texts. All methods run once at full size before they are timed, and then take turns. A number is the median of three, in
CPU nanoseconds per n-gram.
"""

import argparse
import statistics
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numba
import numpy as np
import pyarrow as pa
import rbloom
import xxhash

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
ACCESSES = 1 << 24
REPETITIONS = 3
WAYS = ("build", "hits", "misses")
PEER = "rbloom, slices, xxh3"

Works = dict[str, tuple[Callable[[], object], float]]
"""The timed call of each method, with its number of n-grams."""


def random_texts(ngrams: int, seed: int) -> pa.LargeStringArray:
    """Return texts of random letters, in which hardly any n-gram occurs twice."""
    texts, length = ngrams // NGRAMS_PER_TEXT, NGRAMS_PER_TEXT + WIDTH - 1
    letters = np.random.default_rng(seed).integers(97, 123, texts * length, dtype=np.uint8)
    offsets = np.arange(texts + 1, dtype=np.int64) * length
    return pa.LargeStringArray.from_buffers(texts, pa.py_buffer(offsets), pa.py_buffer(letters))


def of_portrait(shape: FilterShape, known: pa.LargeStringArray, unknown: pa.LargeStringArray) -> tuple[Works, Bytes]:
    """Return our methods over all items, and the bits of a filter of these items."""
    adder = build(shape, known)
    asker, ngrams = Asker(shape, adder.array, 1), adder.items
    assert count_hits(asker, known) == ngrams
    return {
        "build": (lambda: build(shape, known), ngrams),
        "hits": (lambda: count_hits(asker, known), ngrams),
        "misses": (lambda: count_hits(asker, unknown), ngrams),
    }, adder.array


def build(shape: FilterShape, texts: pa.LargeStringArray) -> Adder:
    """Set the bits of all n-grams."""
    adder = Adder(shape, 1)
    for batch in arrow_batches(texts):
        adder.add(Batch.from_texts(batch, WIDTH, 1))
    adder.finish()
    return adder


def count_hits(asker: Asker, texts: pa.LargeStringArray) -> int:
    """Count the n-grams that the filter holds."""
    return sum(
        int(np.count_nonzero(asker.hits(Batch.from_texts(batch, WIDTH, 1))[0])) for batch in arrow_batches(texts)
    )


def xxh3(ngram: str) -> int:
    """Hash with xxHash, the fastest hash for rbloom in Python."""
    return xxhash.xxh3_128_intdigest(ngram.encode()) - (1 << 127)


def of_rbloom(shape: FilterShape, array: Bytes, known: list[str], unknown: list[str]) -> Works:
    """Return rbloom's methods, ``Bloom.update`` and ``in`` over slices, with a filter of these bits."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bits"
        path.write_bytes(pack_header(shape.hashes) + array.tobytes())
        bloom = rbloom.Bloom.load(str(path), xxh3)

    def slices(texts: list[str]) -> Iterator[str]:
        return (text[i : i + WIDTH] for text in texts for i in range(NGRAMS_PER_TEXT))

    ngrams = len(known) * NGRAMS_PER_TEXT
    bloom.update(slices(known))
    return {
        "build": (lambda: bloom.update(slices(known)), ngrams),
        "hits": (lambda: sum(ngram in bloom for ngram in slices(known)), ngrams),
        "misses": (lambda: sum(ngram in bloom for ngram in slices(unknown)), ngrams),
    }


@numba.njit(nogil=True, cache=True, boundscheck=False)
def _read(positions, array):  # type: ignore[no-untyped-def]
    total = np.uint64(0)
    for i in range(np.uint64(positions.shape[0])):
        total += np.uint64(array[positions[i]])
    return total


@numba.njit(nogil=True, cache=True, boundscheck=False)
def _write(positions, array):  # type: ignore[no-untyped-def]
    for i in range(np.uint64(positions.shape[0])):
        array[positions[i]] |= np.uint8(1)


def of_random_access(shape: FilterShape, array: Bytes) -> Works:
    """Return methods that only access memory: every bit of an n-gram, or for a miss two bits on average.

    Each access reads or sets a byte in an array of the filter's size, at a random position that was drawn before.
    """
    positions = np.random.default_rng(0).integers(0, len(array), ACCESSES, dtype=np.uint64)
    written = array.copy()
    reads_of_a_miss = sum(0.5**probe for probe in range(shape.hashes))
    return {
        "build": (lambda: _write(positions, written), ACCESSES / shape.hashes),
        "hits": (lambda: _read(positions, array), ACCESSES / shape.hashes),
        "misses": (lambda: _read(positions, array), ACCESSES / reads_of_a_miss),
    }


def measure(size: int) -> Iterator[list[str]]:
    """Yield the rows of one size."""
    shape = FilterShape.for_capacity(size, RATE)
    known, unknown = random_texts(size, 1), random_texts(size, 2)
    portrait, array = of_portrait(shape, known, unknown)
    sample = pa.array(np.random.default_rng(3).choice(len(known), min(SAMPLE_TEXTS, len(known)), replace=False))
    works = {
        "portrait": portrait,
        PEER: of_rbloom(shape, array, known.take(sample).to_pylist(), unknown.take(sample).to_pylist()),
        "raw random access": of_random_access(shape, array),
    }
    pairs = [(name, way) for way in WAYS for name in works]

    def nanoseconds(name: str, way: str) -> float:
        call, ngrams = works[name][way]
        return timed(call).cpu_seconds / ngrams * 1e9

    _, *rounds = [{pair: nanoseconds(*pair) for pair in pairs} for _ in range(1 + REPETITIONS)]
    for name in works:
        cells = [f"{size:,}", f"{shape.size_in_bytes / 1e6:.0f}", name]
        for way in WAYS:
            median = statistics.median(figures[name, way] for figures in rounds)
            times = statistics.median(figures[PEER, way] / figures[name, way] for figures in rounds)
            cells.append(f"{median:.1f} ({times:.1f}x)")
        yield cells


def main() -> None:
    """Print the table of ``docs/benchmarks.md``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000000,7800000", help="n-grams, separated by commas")
    sizes = map(int, parser.parse_args().sizes.split(","))
    rows = (row for size in sizes for row in measure(size))
    print_table(["n-grams", "filter (MB)", "method, CPU ns per n-gram", *WAYS], rows, left=(2,))


if __name__ == "__main__":
    main()
