"""Portraits in SQL: the vectorised functions ``quip``, ``quoted`` and ``in_corpus`` of a DuckDB connection."""

from collections.abc import Callable, Iterator, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from selfknow.portraits.portrait import Portrait
from selfknow.portraits.pretrained import find_address
from selfknow.portraits.quotes import trim_quotes

if TYPE_CHECKING:
    import duckdb

_LISTS = pa.list_(pa.string())
FUNCTIONS = ("quip", "quoted_spans", "in_corpus")
# A macro can have default values; a function cannot.
_QUOTED = """
    create or replace temp macro quoted(text, portrait, min_span := 0, whole_words := false)
    as quoted_spans(text, portrait, cast(min_span as bigint), cast(whole_words as boolean))
"""


def register(connection: "duckdb.DuckDBPyConnection", named: Mapping[str, Portrait] | None = None) -> None:
    """Add the functions to a connection. In a query, ``portrait`` is a name or an address; each is mapped once.

    ``quip(text, portrait)``: the text's QUIP, a double; null if the text is null or shorter than the width.
    ``quoted(text, portrait)``: the text's quoted spans in order, a list of texts (normalised as the portrait is).
    ``quoted(text, portrait, min_span := 50, whole_words := true)``: the spans that have 50 characters or more after
    parts of words at their ends are cut off.
    ``in_corpus(text, portrait)``: true if all n-grams of the text (all tiles, with a stride) stand in the corpus; null
    if it has none.

    Args:
        connection: An open connection; call ``unregister`` before you close it.
        named: Portraits by name; a query can use others by their address: a folder or ``org/name/portrait``.

    Example:
        >>> register(connection)  # doctest: +SKIP
        >>> connection.sql("select avg(quip(text, 'out/portrait')) from 'answers.parquet'")  # doctest: +SKIP
    """
    from duckdb import func, sqltypes

    portraits = _Portraits(named or {})
    functions: dict[str, tuple[Callable[[Portrait, pa.Array], pa.Array], Any, pa.DataType]] = {
        "quip": (_quip, sqltypes.DOUBLE, pa.float64()),
        "in_corpus": (_in_corpus, sqltypes.BOOLEAN, pa.bool_()),
    }
    for name, (answer, sql_type, arrow_type) in functions.items():
        connection.create_function(
            name,
            _vectorised(answer, portraits, arrow_type),
            [sqltypes.VARCHAR, sqltypes.VARCHAR],
            sql_type,
            type=func.ARROW,
            null_handling=func.SPECIAL,
        )
    connection.create_function(
        "quoted_spans",
        _quoted_spans(portraits),
        [sqltypes.VARCHAR, sqltypes.VARCHAR, sqltypes.BIGINT, sqltypes.BOOLEAN],
        "VARCHAR[]",
        type=func.ARROW,
        null_handling=func.SPECIAL,
    )
    connection.execute(_QUOTED)


def unregister(connection: "duckdb.DuckDBPyConnection") -> None:
    """Remove the functions from a connection."""
    connection.execute("drop macro if exists temp.quoted")
    for name in FUNCTIONS:
        connection.remove_function(name)


class _Portraits:
    """The portraits that queries have used so far, by address."""

    def __init__(self, named: Mapping[str, Portrait]) -> None:
        self._loaded = dict(named)
        self._lock = Lock()

    def get(self, address: str) -> Portrait:
        with self._lock:
            if address not in self._loaded:
                self._loaded[address] = Portrait.load(find_address(address))
            return self._loaded[address]


def _vectorised(
    answer: Callable[[Portrait, pa.Array], pa.Array], portraits: _Portraits, arrow_type: pa.DataType
) -> Callable[[Any, Any], pa.Array]:
    def call(texts: Any, addresses: Any) -> pa.Array:
        texts, addresses = _combine_chunks(texts), _combine_chunks(addresses)
        distinct = pc.unique(addresses)
        if len(distinct) == 1 and distinct[0].is_valid:
            return answer(portraits.get(distinct[0].as_py()), texts).cast(arrow_type)
        values: list[Any] = [None] * len(texts)
        for address in distinct.drop_null().to_pylist():
            has_address = pc.fill_null(pc.equal(addresses, address), False)
            (rows,) = np.nonzero(has_address.to_numpy(zero_copy_only=False))
            answers = answer(portraits.get(address), texts.take(rows)).to_pylist()
            for row, value in zip(rows, answers, strict=True):
                values[row] = value
        return pa.array(values, arrow_type)

    return call


def _combine_chunks(values: Any) -> pa.Array:
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def _quip(portrait: Portrait, texts: pa.Array) -> pa.Array:
    return pa.array(portrait.quip(texts), pa.float64(), from_pandas=True)


def _in_corpus(portrait: Portrait, texts: pa.Array) -> pa.Array:
    hits, ngrams = portrait.count_hits(texts, stride=portrait.description.stride)
    return pa.array(hits == ngrams, pa.bool_(), mask=ngrams == 0)


def _quoted_spans(portraits: _Portraits) -> Callable[[Any, Any, Any, Any], pa.Array]:
    """Return the function ``quoted_spans``; it handles rows with the same last three arguments in one query."""

    def call(texts: Any, addresses: Any, min_spans: Any, whole_words: Any) -> pa.Array:
        columns = [_combine_chunks(column) for column in (texts, addresses, min_spans, whole_words)]
        arguments = list(zip(*(column.to_pylist() for column in columns[1:]), strict=True))
        values: list[list[str] | None] = [None] * len(arguments)
        for address, min_span, trims in dict.fromkeys(arguments):
            if address is None or min_span is None or trims is None:
                continue
            rows = [row for row, row_arguments in enumerate(arguments) if row_arguments == (address, min_span, trims)]
            quotes = _quote_texts(portraits.get(address), columns[0].take(pa.array(rows)), min_span, trims)
            for row, value in zip(rows, quotes, strict=True):
                values[row] = value
        return pa.array(values, _LISTS)

    return call


def _quote_texts(portrait: Portrait, texts: pa.Array, min_span: int, whole_words: bool) -> Iterator[list[str] | None]:
    """Yield the quoted spans of each text; null for null."""
    for batch, spans in portrait.spans(texts):
        for index, text in enumerate(batch.to_pylist()):
            if text is None:
                yield None
            else:
                quotes = trim_quotes(text, spans.quotes(index), min_span, whole_words=whole_words)
                yield [text[quote.start : quote.end] for quote in quotes]
