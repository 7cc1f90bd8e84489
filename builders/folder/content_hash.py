"""A hash over the rows of a config that does not depend on how they are cut into files, batches or row groups.

Each column has two SHA-256 over its rows in order: one of the lengths (int64, little-endian, null = -1) and one of the
bytes of the values. The length of a string is that of its UTF-8. The length of a number is 8, and its bytes are int64
or float64, little-endian. The length of a list is its number of items, which are hashed as a column of their own.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from selfknow.errors import UserError

_ROWS_PER_BATCH = 16_384


class ColumnHash:
    """The running hash of one column; feed it arrays in the order of the rows."""

    def __init__(self) -> None:
        self._lengths = hashlib.sha256()
        self._values = hashlib.sha256()
        self._items: ColumnHash | None = None

    def update(self, array: pa.Array) -> None:
        """Hash the next rows.

        Raises:
            UserError: The column has an unsupported type.
        """
        if pa.types.is_list(array.type):
            self._items = self._items or ColumnHash()
            self._update_lengths(pc.list_value_length(array))
            self._items.update(array.flatten())
        elif pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
            self._update_lengths(pc.binary_length(array))
            self._values.update(_bytes_of_strings(array.drop_null()))
        elif pa.types.is_integer(array.type) or pa.types.is_boolean(array.type) or pa.types.is_floating(array.type):
            self._update_lengths(pc.if_else(pc.is_valid(array), pa.scalar(8), pa.scalar(None, pa.int64())))
            width = pa.float64() if pa.types.is_floating(array.type) else pa.int64()
            self._values.update(array.drop_null().cast(width).to_numpy(zero_copy_only=False).tobytes())
        else:
            raise UserError(f"a column of type {array.type} has no content hash: use strings, numbers, booleans, lists")

    def _update_lengths(self, lengths: pa.Array) -> None:
        self._lengths.update(lengths.fill_null(-1).to_numpy().astype("<i8").tobytes())

    def digests(self) -> list[str]:
        """Return the hex digests: lengths, values and, for a list, those of its items."""
        items = self._items.digests() if self._items else []
        return [self._lengths.hexdigest(), self._values.hexdigest(), *items]


def _bytes_of_strings(array: pa.Array) -> memoryview:
    _, offsets, data = array.buffers()
    if data is None:
        return memoryview(b"")
    width = "<i8" if pa.types.is_large_string(array.type) else "<i4"
    ends = np.frombuffer(offsets, dtype=width)[array.offset : array.offset + len(array) + 1]
    return memoryview(data)[int(ends[0]) : int(ends[-1])]


class SplitHash:
    """The running hash of a split; feed it the rows in order."""

    def __init__(self) -> None:
        self._num_rows = 0
        self._columns: dict[str, ColumnHash] = {}

    def update(self, batch: pa.RecordBatch) -> None:
        """Hash the next rows.

        Raises:
            UserError: A column has an unsupported type.
        """
        self._num_rows += batch.num_rows
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            self._columns.setdefault(name, ColumnHash()).update(column)

    def facts(self) -> list[object]:
        """Return the number of rows, and the names and digests of the columns."""
        return [self._num_rows, [[name, column.digests()] for name, column in self._columns.items()]]


def combine(splits: Mapping[str, SplitHash]) -> str:
    """Return the content hash of a config, as 64 hex digits.

    Args:
        splits: The hash of each split.

    Returns:
        SHA-256 over the splits' names (sorted) and numbers of rows, and the names and digests of their columns.
    """
    facts = [[name, *splits[name].facts()] for name in sorted(splits)]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def content_hash(splits: Mapping[str, Iterable[pa.RecordBatch]]) -> str:
    """Return the content hash of a config, given the rows of each split in order, in batches of any size."""
    hashes = {name: SplitHash() for name in splits}
    for name, batches in splits.items():
        for batch in batches:
            hashes[name].update(batch)
    return combine(hashes)


def content_hash_of_files(splits: Mapping[str, Iterable[Path]]) -> str:
    """Return the content hash of a config on disk, given each split's Parquet files in order."""
    return content_hash({name: _batches(paths) for name, paths in splits.items()})


def _batches(paths: Iterable[Path]) -> Iterable[pa.RecordBatch]:
    for path in paths:
        with pq.ParquetFile(path, pre_buffer=False) as file:
            yield from file.iter_batches(batch_size=_ROWS_PER_BATCH, use_threads=False)
