"""Texts of any kind as Arrow batches of bounded size: lists, generators, Arrow arrays, columns of other libraries."""

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from selfknow.errors import UserError
from selfknow.portraits.filter.segments import Bytes, Positions

BATCH_BYTES = 8 << 20
_STRINGS_AT_ONCE = 4096


def arrow_batches(texts: Iterable[Any], max_bytes: int = BATCH_BYTES) -> Iterator[pa.LargeStringArray]:
    """Bring texts into Arrow, a batch at a time.

    Args:
        texts: An Arrow array or chunked array of strings, or an iterable of strings (``None`` for a missing one) or of
            Arrow arrays.
        max_bytes: The largest size of a batch in bytes of UTF-8; a longer text is a batch by itself.

    Yields:
        Arrays of valid UTF-8; together they hold the texts in their order, nulls included.

    Raises:
        UserError: An item is not a text, or not valid UTF-8.
    """
    pending: list[pa.LargeStringArray] = []
    pending_bytes = 0
    for array in _arrays(texts):
        for piece in _split(array, max_bytes):
            if pending and pending_bytes + _num_bytes(piece) > max_bytes:
                yield _concatenate(pending)
                pending, pending_bytes = [], 0
            pending.append(piece)
            pending_bytes += _num_bytes(piece)
    if pending:
        yield _concatenate(pending)


def buffers(array: pa.LargeStringArray) -> tuple[Bytes, Positions]:
    """Return the UTF-8 bytes and the int64 offsets of an array; a null has no bytes."""
    if array.null_count:
        array = pc.fill_null(array, "")
    _, offsets, data = array.buffers()
    if not len(array):
        return np.zeros(0, np.uint8), np.zeros(1, np.int64)
    bounds = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    return np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8), bounds


def _arrays(texts: Iterable[Any]) -> Iterator[pa.LargeStringArray]:
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise UserError(f"expected an iterable of texts, not one {type(texts).__name__}: put a single text into a list")
    if isinstance(texts, pa.ChunkedArray):
        for chunk in texts.chunks:
            yield as_strings(chunk)
    elif isinstance(texts, pa.Array):
        yield as_strings(texts)
    else:
        items = iter(texts)
        first = list(itertools.islice(items, 1))
        items = itertools.chain(first, items)
        if first and isinstance(first[0], pa.Array | pa.ChunkedArray):
            for array in items:  # one at a time, since thousands of arrays may not fit in memory
                yield from _arrays(array)
            return
        position = 0
        while strings := list(itertools.islice(items, _STRINGS_AT_ONCE)):
            yield _from_python(strings, position)
            position += len(strings)


def as_strings(array: pa.Array) -> pa.LargeStringArray:
    """Convert an Arrow array of strings to large strings, and check that it is UTF-8.

    Raises:
        UserError: The array holds something else, or broken UTF-8.
    """
    kind = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
    if not (_is_text(kind) or pa.types.is_null(kind)):
        raise UserError(f"expected texts, not Arrow values of type {array.type}")
    try:
        strings = array.cast(pa.large_string())
        strings.validate(full=True)
    except pa.ArrowInvalid as error:
        raise UserError(f"a text is not valid UTF-8, or its Arrow array is broken: {error}") from error
    return strings


def _is_text(kind: pa.DataType) -> bool:
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(test(kind) for test in tests) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind)


def _from_python(strings: list[Any], position: int) -> pa.LargeStringArray:
    """Convert strings and None without ``pa.array``, which imports pandas; the import takes longer than a query."""
    try:
        encoded = [b"" if text is None else text.encode() for text in strings]
    except UnicodeEncodeError as error:
        raise UserError(f"a text is not valid Unicode: {error.reason} (a lone surrogate)") from error
    except AttributeError:
        wrong_index = next(i for i, text in enumerate(strings) if text is not None and not isinstance(text, str))
        raise UserError(
            f"text {position + wrong_index} is a {type(strings[wrong_index]).__name__}, not a string"
        ) from None
    offsets = np.zeros(len(strings) + 1, np.int64)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    valid = np.packbits([text is not None for text in strings], bitorder="little")
    return pa.LargeStringArray.from_buffers(
        len(strings), pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded)), pa.py_buffer(valid)
    )


def _split(array: pa.LargeStringArray, max_bytes: int) -> Iterator[pa.LargeStringArray]:
    _, offsets = buffers(array)
    row = 0
    while row < len(array):
        until = int(np.searchsorted(offsets, offsets[row] + max_bytes, side="right")) - 1
        until = min(max(until, row + 1), len(array))
        yield array.slice(row, until - row)
        row = until


def _num_bytes(array: pa.LargeStringArray) -> int:
    _, offsets = buffers(array)
    return int(offsets[-1] - offsets[0])


def _concatenate(arrays: list[pa.LargeStringArray]) -> pa.LargeStringArray:
    return arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)
