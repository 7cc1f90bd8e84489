"""SQL functions over long lists of numbers, computed by NumPy.

DuckDB takes much longer for inner products. ``functions/lists.sql`` describes the functions and holds them as macros,
for DuckDB clients without this package.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    import duckdb

_Numbers = npt.NDArray[Any]
# The beginning of every result: DuckDB also calls a function without rows, and Arrow cannot join no arrays.
_NOTHING = np.empty((0, 0))
_PAIRED_MEANS = {
    "n_pairs": "BIGINT",
    "null_score": "DOUBLE",
    "score": "DOUBLE",
    "difference": "DOUBLE",
    "differences": "DOUBLE[]",
    "relative_changes": "DOUBLE[]",
    "flipped": "DOUBLE[]",
}


def register(connection: "duckdb.DuckDBPyConnection") -> None:
    """Add the functions to a connection, before the views that use them.

    Example:
        >>> register(connection)  # doctest: +SKIP
        >>> connection.sql("select means_by_place([3, 1, 1], [0.5, 0.25, 0.75], 3)").fetchall()  # doctest: +SKIP
        [([0.5, None, 0.5],)]
    """
    from duckdb import func

    lists, weights = "DOUBLE[][]", "TINYINT[][]"
    struct = ", ".join(f"{name} {type_}" for name, type_ in _PAIRED_MEANS.items())
    functions: dict[str, tuple[Callable[..., pa.Array], list[Any], str]] = {
        "means_by_place": (_means_by_place, ["INTEGER[]", "DOUBLE[]", "BIGINT"], "DOUBLE[]"),
        "weighted_means": (_weighted_means, [lists, weights], lists),
        "paired_means": (_paired_means, [lists, "INTEGER[]", weights, weights], f"STRUCT({struct})[]"),
    }
    for name, (function, arguments, result) in functions.items():
        connection.create_function(name, function, arguments, result, type=func.ARROW)


def _means_by_place(places: pa.Array, numbers: pa.Array, lengths: pa.Array) -> pa.Array:
    ends = np.cumsum([0, *lengths.to_pylist()])
    means = np.empty(ends[-1])
    for row, (start, end) in enumerate(pairwise(ends)):
        values = _as_numpy(numbers[row].values)
        is_number = ~np.isnan(values)
        indices = np.from_dlpack(places[row].values)[is_number] - 1
        sums = np.bincount(indices, values[is_number], minlength=end - start)
        means[start:end] = _ratio(sums, np.bincount(indices, minlength=end - start))
    return _lists(ends, _as_arrow(means))


def _weighted_means(lists: pa.Array, weights: pa.Array) -> pa.Array:
    means: list[_Numbers] = []
    for row in range(len(lists)):
        numbers, factors = _matrix(lists[row]), _matrix(weights[row]).astype(np.float64)
        is_number = ~np.isnan(numbers)
        means.append(_ratio(np.where(is_number, numbers, 0) @ factors.T, _sums_of_weights(is_number, factors)))
    return _lists(np.cumsum([0, *map(len, means)]), pa.concat_arrays(map(_as_arrow, [_NOTHING, *means])))


def _paired_means(scores: pa.Array, null_places: pa.Array, weights: pa.Array, signs: pa.Array) -> pa.Array:
    rows = []
    for row in range(len(scores)):
        numbers = _matrix(scores[row])
        # place 0 is a list of nothing
        null_numbers = np.vstack([np.full_like(numbers[:1], np.nan), numbers])[np.from_dlpack(null_places[row].values)]
        rows.append(_means_of_pairs(numbers, null_numbers, _matrix(weights[row]), _matrix(signs[row])))
    no_rows = _means_of_pairs(_NOTHING, _NOTHING, _NOTHING, _NOTHING)
    fields = [pa.concat_arrays([_as_arrow(row[name]) for row in (no_rows, *rows)]) for name in _PAIRED_MEANS]
    structs = pa.StructArray.from_arrays(fields, list(_PAIRED_MEANS))
    return _lists(np.cumsum([0, *(len(row["n_pairs"]) for row in rows)]), structs)


def _means_of_pairs(scores: _Numbers, null_scores: _Numbers, weights: _Numbers, signs: _Numbers) -> dict[str, _Numbers]:
    """Return the columns of `paired_means` for one row: an element for each list of scores."""
    weights = weights.astype(np.float64)
    changes = scores - null_scores
    is_pair = ~np.isnan(changes)
    changes, null_scores = np.where(is_pair, changes, 0), np.where(is_pair, null_scores, 0)
    num_pairs, change, null_score = is_pair.sum(axis=1), changes.sum(axis=1), null_scores.sum(axis=1)
    sums = changes @ weights.T
    return {
        "n_pairs": num_pairs,
        "null_score": _ratio(null_score, num_pairs),
        "score": _ratio(null_score + change, num_pairs),
        "difference": _ratio(change, num_pairs),
        "differences": _ratio(sums, _sums_of_weights(is_pair, weights)),
        "relative_changes": _ratio(sums, null_scores @ weights.T),
        "flipped": _ratio(changes @ signs.T.astype(np.float64), num_pairs[:, None]),
    }


def _sums_of_weights(is_number: npt.NDArray[np.bool_], weights: _Numbers) -> _Numbers:
    # Single precision takes half the time. It is exact for whole numbers up to 2^24, and a weight is at most 128.
    precision = np.float32 if weights.shape[1] * 128 <= 2**24 else np.float64
    sums: _Numbers = is_number.astype(precision) @ weights.T.astype(precision)
    return sums


def _ratio(numerators: _Numbers, denominators: _Numbers) -> _Numbers:
    """Divide; the ratio is nan if the denominator is 0."""
    return numerators / np.where(denominators == 0, np.nan, denominators)


# Arrow's own conversions from and to NumPy import pandas, which takes longer than most queries.


def _as_numpy(numbers: pa.Array) -> _Numbers:
    """Return the numbers; null is nan."""
    if numbers.null_count:
        nan = pa.py_buffer(np.full(len(numbers), np.nan))
        numbers = pc.coalesce(numbers, pa.Array.from_buffers(pa.float64(), len(numbers), [None, nan]))
    return np.from_dlpack(numbers)


def _matrix(lists: pa.ListScalar) -> _Numbers:
    """Return the lists as rows; null is nan.

    Raises:
        ValueError: The lists have different lengths.
    """
    lengths = sorted(set(pc.list_value_length(lists.values).to_pylist()))
    if len(lengths) > 1:
        raise ValueError(f"lists have different lengths: {lengths}")
    return _as_numpy(lists.values.flatten()).reshape(len(lists.values), *(lengths or [0]))


def _as_arrow(numbers: _Numbers) -> pa.Array:
    """Return an array of numbers, or of the rows of a matrix as lists; nan is null."""
    flat = np.ravel(numbers)
    is_number = np.packbits(~np.isnan(flat), bitorder="little")
    array = pa.Array.from_buffers(
        pa.from_numpy_dtype(flat.dtype), len(flat), [pa.py_buffer(is_number), pa.py_buffer(flat)]
    )
    return array if numbers.ndim == 1 else _lists(numbers.shape[1] * np.arange(len(numbers) + 1), array)


def _lists(ends: _Numbers, elements: pa.Array) -> pa.Array:
    """Return the lists of elements between consecutive ends."""
    offsets = pa.py_buffer(ends.astype(np.int32))
    return pa.Array.from_buffers(pa.list_(elements.type), len(ends) - 1, [None, offsets], children=[elements])
