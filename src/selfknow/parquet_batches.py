"""Parquet files that are read and written piece by piece, so that a large file never has to fit in memory."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from selfknow.files import parquet_errors, with_schema, written_whole

ROWS_PER_BATCH = 8_192
_ROWS_PER_GROUP = 122_880  # the size of DuckDB's row groups by default
_BUFFER_IN_BYTES = 1 << 20


def read_batches(path: Path, schema: pa.Schema, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """Yield a Parquet file's rows in order, at most :data:`ROWS_PER_BATCH` at a time.

    Args:
        path: The file.
        schema: The columns that the file must have, with their types.
        columns: The names of the columns to read; null reads all columns of the schema.

    Raises:
        UserError: The file is missing, is not a complete Parquet file, fails its checksums, lacks a column or holds
            another type. Damage in a page is noticed only when its batch is read.
    """
    with parquet_errors(path):
        file = pq.ParquetFile(path, page_checksum_verification=True, buffer_size=_BUFFER_IN_BYTES)
    with file:
        with_schema(file.schema_arrow.empty_table(), schema, path)
        if columns is not None:
            schema = pa.schema([schema.field(name) for name in columns])
        batches = file.iter_batches(ROWS_PER_BATCH, columns=schema.names)
        while True:
            with parquet_errors(path):
                batch = next(batches, None)
                if batch is None:
                    return
                batch.validate(full=True)
            yield with_schema(pa.Table.from_batches([batch]), schema, path)


class ParquetWriter:
    """A Parquet file that grows; use :func:`parquet_writer`."""

    def __init__(self, writer: pq.ParquetWriter, schema: pa.Schema) -> None:
        self._writer, self._schema = writer, schema
        self._waiting: list[pa.Table] = []
        self._num_waiting = 0

    def write(self, table: pa.Table) -> None:
        """Add rows, in the file's schema; they are written when there are enough for a row group."""
        self._waiting.append(table.cast(self._schema))
        self._num_waiting += len(table)
        if self._num_waiting >= _ROWS_PER_GROUP:
            self.flush()

    def flush(self) -> None:
        """Write the rows since the last row group."""
        if self._num_waiting:
            self._writer.write_table(pa.concat_tables(self._waiting), row_group_size=self._num_waiting)
            self._waiting, self._num_waiting = [], 0


@contextlib.contextmanager
def parquet_writer(path: Path, schema: pa.Schema) -> Iterator[ParquetWriter]:
    """Open a Parquet file that exists whole or not at all, to write it in batches.

    Args:
        path: The file; it appears when the block ends without an error.
        schema: Its columns.

    Raises:
        UserError: The disk is full, or the folder cannot be written.

    Example:
        >>> with parquet_writer(Path("squares.parquet"), pa.schema([("square", pa.int64())])) as file:  # doctest: +SKIP
        ...     for number in range(3):
        ...         file.write(pa.table({"square": [number**2]}))
    """
    with (
        written_whole(path) as file,
        pq.ParquetWriter(file, schema, compression="zstd", write_page_checksum=True) as parquet,
    ):
        writer = ParquetWriter(parquet, schema)
        yield writer
        writer.flush()
