"""Portraits in SQL: ``quip``, ``quoted`` and ``in_corpus`` as vectorised functions of a DuckDB connection."""

from collections.abc import Callable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from selfknow.portraits.portrait import Portrait
from selfknow.portraits.pretrained import find_address
from selfknow.portraits.quotes import Spans

if TYPE_CHECKING:
    import duckdb

_LISTS = pa.list_(pa.string())
FUNCTIONS = ("quip", "quoted", "in_corpus")


def register(connection: "duckdb.DuckDBPyConnection", named: Mapping[str, Portrait] | None = None) -> None:
    """Add the functions to a connection; a portrait is given by its name or address and mapped once.

    ``quip(text, portrait)``: the text's QUIP, a double; null where the text is null or shorter than the width.
    ``quoted(text, portrait)``: its quoted spans, a list of texts in their order (of the normalised text, if it is).
    ``in_corpus(text, portrait)``: whether all its n-grams (its tiles, with a stride) stand in the corpus; null where it
    has none.

    Args:
        connection: An open connection; ``unregister`` before closing it exits quietly.
        named: Portraits that are given by a name; others are given by their folder or ``org/name/portrait``.

    Example:
        >>> register(connection)  # doctest: +SKIP
        >>> connection.sql("select avg(quip(text, 'out/portrait')) from 'answers.parquet'")  # doctest: +SKIP
    """
    from duckdb import func, sqltypes

    portraits = _Portraits(named or {})
    kinds: dict[str, tuple[Callable[[Portrait, pa.Array], pa.Array], Any, pa.DataType]] = {
        "quip": (_quip, sqltypes.DOUBLE, pa.float64()),
        "quoted": (_quoted, "VARCHAR[]", _LISTS),
        "in_corpus": (_in_corpus, sqltypes.BOOLEAN, pa.bool_()),
    }
    for name, (answer, returned, kind) in kinds.items():
        connection.create_function(
            name,
            _vectorised(answer, portraits, kind),
            [sqltypes.VARCHAR, sqltypes.VARCHAR],
            returned,
            type=func.ARROW,
            null_handling=func.SPECIAL,
        )


def unregister(connection: "duckdb.DuckDBPyConnection") -> None:
    """Remove the functions."""
    for name in FUNCTIONS:
        connection.remove_function(name)


class _Portraits:
    """The portraits that queries have named so far."""

    def __init__(self, named: Mapping[str, Portrait]) -> None:
        self._loaded = dict(named)
        self._lock = Lock()

    def get(self, address: str) -> Portrait:
        with self._lock:
            if address not in self._loaded:
                self._loaded[address] = Portrait.load(find_address(address))
            return self._loaded[address]


def _vectorised(
    answer: Callable[[Portrait, pa.Array], pa.Array], portraits: _Portraits, kind: pa.DataType
) -> Callable[[Any, Any], pa.Array]:
    def call(texts: Any, addresses: Any) -> pa.Array:
        texts, addresses = _one_array(texts), _one_array(addresses)
        named = pc.unique(addresses)
        if len(named) == 1 and named[0].is_valid:
            return answer(portraits.get(named[0].as_py()), texts).cast(kind)
        values: list[Any] = [None] * len(texts)
        for address in named.drop_null().to_pylist():
            (rows,) = np.nonzero(pc.fill_null(pc.equal(addresses, address), False).to_numpy(zero_copy_only=False))
            for row, value in zip(rows, answer(portraits.get(address), texts.take(rows)).to_pylist(), strict=True):
                values[row] = value
        return pa.array(values, kind)

    return call


def _one_array(values: Any) -> pa.Array:
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def _quip(portrait: Portrait, texts: pa.Array) -> pa.Array:
    return pa.array(portrait.quip(texts), pa.float64(), from_pandas=True)


def _in_corpus(portrait: Portrait, texts: pa.Array) -> pa.Array:
    hits, ngrams = portrait.count_hits(texts, stride=portrait.description.stride)
    return pa.array(hits == ngrams, pa.bool_(), mask=ngrams == 0)


def _quoted(portrait: Portrait, texts: pa.Array) -> pa.Array:
    return pa.chunked_array([_lists(*asked) for asked in portrait.spans(texts)], _LISTS).combine_chunks()


def _lists(batch: pa.LargeStringArray, spans: Spans) -> pa.Array:
    """For each text the list of its quoted spans; null for null."""
    texts = batch.to_pylist()
    owners = np.repeat(np.arange(len(texts)), np.diff(spans.firsts)).tolist()
    quotes = [
        texts[owner][start:end]
        for owner, start, end in zip(owners, spans.starts.tolist(), spans.ends.tolist(), strict=True)
    ]
    offsets = pa.array(spans.firsts, pa.int32())
    return pa.ListArray.from_arrays(offsets, pa.array(quotes, pa.string()), mask=batch.is_null())
