"""Building a portrait: count the distinct n-grams unless told, then set their bits."""

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa

from selfknow.bars import Bar
from selfknow.errors import UserError
from selfknow.portraits.checkpoint import Checkpoint, Progress
from selfknow.portraits.corpus import Corpus
from selfknow.portraits.description import Description
from selfknow.portraits.filter.adding import Adder
from selfknow.portraits.filter.capacity import DistinctCounter
from selfknow.portraits.filter.hashing import HASH_NAME
from selfknow.portraits.filter.layout import FilterShape, pack_header
from selfknow.portraits.filter.ngrams import Batch, hash_batch
from selfknow.portraits.filter.segments import Bytes
from selfknow.portraits.filter.texts import arrow_batches
from selfknow.portraits.filter.workers import thread_count
from selfknow.portraits.normalization import Normalization, normalize
from selfknow.portraits.storage import count_ones, sha256_of


def build(
    texts: Iterable[Any],
    *,
    width: int,
    stride: int,
    capacity: int | None,
    false_positive_rate: float,
    normalization: Normalization,
    threads: int | None,
    corpus: Mapping[str, Any] | None,
    progress: bool,
    folder: Path | None = None,
) -> tuple[Description, Bytes]:
    """Build a portrait's description and bits; see ``Portrait.build``."""
    threads = thread_count(threads)
    # A wrong number is told before the corpus is read.
    FilterShape.for_capacity(1 if capacity is None else capacity, false_positive_rate)
    kept = _checkpoint(texts, folder, [width, stride, normalization, capacity, false_positive_rate])
    with ExitStack() as stack:
        before = kept.progress() if kept else None
        if before and before.doing == "portraying":
            capacity = before.numbers["capacity"]
        if capacity is None:
            texts = _readable_twice(texts, stack)
            counter = count_distinct(texts, width, stride, normalization, threads, progress, kept, before)
            capacity = counter.upper_bound()
            check_not_empty(capacity, width)
            if kept and kept.is_used():
                kept.keep(Progress("portraying", 0, {"items": 0, "capacity": capacity}, {}))
        shape = FilterShape.for_capacity(capacity, false_positive_rate)
        adder = add_all(texts, shape, width, stride, normalization, threads, progress, capacity, kept, before)
    check_not_empty(adder.items, width)
    told = texts.description() if isinstance(texts, Corpus) else {}
    return describe(
        adder.array,
        Description(
            width=width,
            stride=stride,
            normalization=normalization,
            hash=HASH_NAME,
            capacity=capacity,
            items=adder.items,
            size_in_bits=shape.size_in_bits,
            hashes=shape.hashes,
            false_positive_rate=float(false_positive_rate),
            ones=count_ones(adder.array),
            sha256=sha256_of(pack_header(shape.hashes), adder.array),
            corpus=dict(corpus) if corpus is not None else told,
        ),
    )


def describe(array: Bytes, description: Description) -> tuple[Description, Bytes]:
    """Both parts of a portrait; the bits can no longer be changed."""
    array.setflags(write=False)
    return description, array


def check_not_empty(ngrams: int, width: int) -> None:
    """Refuse a corpus without n-grams.

    Raises:
        UserError: There is none.
    """
    if not ngrams:
        raise UserError(f"the corpus has no text of {width} characters or more: there is nothing to portray")


def _checkpoint(texts: Iterable[Any], folder: Path | None, how: list[object]) -> Checkpoint | None:
    """Where the progress of this build is kept; null where it is not, or where nothing says what the texts are."""
    if folder is None or not isinstance(texts, Corpus):
        return None
    here = [Path(file).stat() for file in texts.files if Path(file).is_file()]
    files = [texts.files, [(one.st_size, one.st_mtime_ns) for one in here]]
    return Checkpoint.of(folder, [texts.description(), files, how])


def count_distinct(
    texts: Iterable[Any],
    width: int,
    stride: int,
    normalization: Normalization,
    threads: int,
    progress: bool,
    kept: Checkpoint | None = None,
    before: Progress | None = None,
) -> DistinctCounter:
    """Count the distinct n-grams of texts, reading them once; a count that was killed goes on."""
    counter, done = DistinctCounter(), 0
    if before is not None:
        counter, done = DistinctCounter.from_arrays(before.numbers["ngrams"], before.arrays), before.texts
    for batch in _normalized(texts, normalization, "counting", progress, done):
        hashes, _ = hash_batch(Batch.of(batch, width, stride), threads)
        counter.add(hashes)
        done += len(batch)
        if kept and kept.is_due():
            kept.keep(Progress("counting", done, {"ngrams": counter.ngrams}, counter.as_arrays()))
    return counter.close()


def add_all(
    texts: Iterable[Any],
    shape: FilterShape,
    width: int,
    stride: int,
    normalization: Normalization,
    threads: int,
    progress: bool,
    capacity: int = 0,
    kept: Checkpoint | None = None,
    before: Progress | None = None,
) -> Adder:
    """Set the bits of all n-grams of texts; a build that was killed goes on."""
    adder, done = Adder(shape, threads), 0
    if before is not None and len(before.arrays.get("bits", ())) == len(adder.array):
        adder.array[:], adder.items, done = before.arrays["bits"], before.numbers["items"], before.texts
    for batch in _normalized(texts, normalization, "portraying", progress, done):
        adder.add(Batch.of(batch, width, stride))
        done += len(batch)
        if kept and kept.is_due():
            adder.finish()
            numbers = {"items": adder.items, "capacity": capacity}
            kept.keep(Progress("portraying", done, numbers, {"bits": adder.array}))
    adder.finish()
    return adder


def _normalized(
    texts: Iterable[Any], normalization: Normalization, doing: str, progress: bool, done: int = 0
) -> Iterator[pa.LargeStringArray]:
    """The texts behind those that are done, a batch at a time."""
    with Bar(desc=doing, unit="B", unit_scale=True, disable=not progress) as bar:
        for batch in arrow_batches(texts):
            left = batch.slice(done)
            done -= len(batch) - len(left)
            if len(left):
                yield normalize(left, normalization)
            bar.update(batch.nbytes)


def _readable_twice(texts: Iterable[Any], stack: ExitStack) -> Iterable[Any]:
    """The texts themselves, or a copy on disk of an iterator that can be read only once."""
    if not isinstance(texts, Iterator):
        return texts
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="selfknow-")))
    schema = pa.schema([("text", pa.large_string())])
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_file(folder / "texts.arrow", schema, options=options) as writer:
        for batch in arrow_batches(texts):
            writer.write_batch(pa.record_batch([batch], schema=schema))
    return _Spooled(folder / "texts.arrow")


class _Spooled:
    """Texts in an Arrow file, read a batch at a time, any number of times."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[pa.Array]:
        with pa.ipc.open_file(self._path) as reader:
            for i in range(reader.num_record_batches):
                yield reader.get_batch(i).column(0)
