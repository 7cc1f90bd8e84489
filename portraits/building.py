"""The build of a portrait: count the distinct n-grams if no capacity is set, then set their bits."""

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
    # Refuse a wrong number before reading the corpus.
    FilterShape.for_capacity(1 if capacity is None else capacity, false_positive_rate)
    settings: list[object] = [width, stride, normalization, capacity, false_positive_rate]
    checkpoint = _open_checkpoint(texts, folder, settings)
    with ExitStack() as stack:
        earlier = checkpoint.progress() if checkpoint else None
        if earlier and earlier.phase == "portraying":
            capacity = earlier.numbers["capacity"]
        if capacity is None:
            texts = _make_rereadable(texts, stack)
            counter = count_distinct(texts, width, stride, normalization, threads, progress, checkpoint, earlier)
            capacity = counter.upper_bound()
            check_not_empty(capacity, width)
            if checkpoint and checkpoint.has_progress():
                checkpoint.save(Progress("portraying", 0, {"items": 0, "capacity": capacity}, {}))
        shape = FilterShape.for_capacity(capacity, false_positive_rate)
        adder = add_all(texts, shape, width, stride, normalization, threads, progress, capacity, checkpoint, earlier)
    check_not_empty(adder.items, width)
    facts = texts.description() if isinstance(texts, Corpus) else {}
    return freeze(
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
            corpus=dict(corpus) if corpus is not None else facts,
        ),
    )


def freeze(array: Bytes, description: Description) -> tuple[Description, Bytes]:
    """Make the bits read-only and return both parts of a portrait."""
    array.setflags(write=False)
    return description, array


def check_not_empty(ngrams: int, width: int) -> None:
    """Refuse a corpus without n-grams.

    Raises:
        UserError: The corpus has no n-gram.
    """
    if not ngrams:
        raise UserError(f"the corpus has no text of {width} characters or more: there is nothing to portray")


def _open_checkpoint(texts: Iterable[Any], folder: Path | None, settings: list[object]) -> Checkpoint | None:
    """Open this build's checkpoint; null without a folder, or if the texts are not a ``Corpus`` to recognise later."""
    if folder is None or not isinstance(texts, Corpus):
        return None
    local_files = [Path(file).stat() for file in texts.files if Path(file).is_file()]
    files = [texts.files, [(status.st_size, status.st_mtime_ns) for status in local_files]]
    return Checkpoint.for_build(folder, [texts.description(), files, settings])


def count_distinct(
    texts: Iterable[Any],
    width: int,
    stride: int,
    normalization: Normalization,
    threads: int,
    progress: bool,
    checkpoint: Checkpoint | None = None,
    earlier: Progress | None = None,
) -> DistinctCounter:
    """Count the distinct n-grams of texts in one pass; resume from ``earlier`` progress if there is any."""
    counter, num_texts = DistinctCounter(), 0
    if earlier is not None:
        counter, num_texts = DistinctCounter.from_arrays(earlier.numbers["ngrams"], earlier.arrays), earlier.texts
    for batch in _normalized_batches(texts, normalization, "counting", progress, num_texts):
        hashes, _ = hash_batch(Batch.from_texts(batch, width, stride), threads)
        counter.add(hashes)
        num_texts += len(batch)
        if checkpoint and checkpoint.is_due():
            checkpoint.save(Progress("counting", num_texts, {"ngrams": counter.ngrams}, counter.as_arrays()))
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
    checkpoint: Checkpoint | None = None,
    earlier: Progress | None = None,
) -> Adder:
    """Set the bits of all n-grams of texts; resume from ``earlier`` progress if there is any."""
    adder, num_texts = Adder(shape, threads), 0
    if earlier is not None and len(earlier.arrays.get("bits", ())) == len(adder.array):
        adder.array[:], adder.items, num_texts = earlier.arrays["bits"], earlier.numbers["items"], earlier.texts
    for batch in _normalized_batches(texts, normalization, "portraying", progress, num_texts):
        adder.add(Batch.from_texts(batch, width, stride))
        num_texts += len(batch)
        if checkpoint and checkpoint.is_due():
            adder.finish()
            numbers = {"items": adder.items, "capacity": capacity}
            checkpoint.save(Progress("portraying", num_texts, numbers, {"bits": adder.array}))
    adder.finish()
    return adder


def _normalized_batches(
    texts: Iterable[Any], normalization: Normalization, label: str, progress: bool, skip: int = 0
) -> Iterator[pa.LargeStringArray]:
    """Yield the texts in normalised batches, without the first ``skip`` texts."""
    with Bar(desc=label, unit="B", unit_scale=True, disable=not progress) as bar:
        for batch in arrow_batches(texts):
            rest = batch.slice(skip)
            skip -= len(batch) - len(rest)
            if len(rest):
                yield normalize(rest, normalization)
            bar.update(batch.nbytes)


def _make_rereadable(texts: Iterable[Any], stack: ExitStack) -> Iterable[Any]:
    """Return the texts, or a copy on disk of an iterator that can be read only once."""
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
