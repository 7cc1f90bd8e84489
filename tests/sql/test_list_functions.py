"""The functions over lists: NumPy's against the macros that stand for them in other DuckDB clients, and by hand."""

from collections.abc import Iterator, Sequence
from typing import Any

import duckdb
import numpy as np
import pytest

from selfknow.sql.list_functions import register
from selfknow.sql.views import portable_functions


@pytest.fixture(scope="module")
def with_numpy() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        register(connection)
        yield connection


@pytest.fixture(scope="module")
def macros() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute(portable_functions())
        yield connection


@pytest.fixture(scope="module", params=["with_numpy", "macros"])
def either(request: pytest.FixtureRequest) -> duckdb.DuckDBPyConnection:
    connection: duckdb.DuckDBPyConnection = request.getfixturevalue(request.param)
    return connection


def value(connection: duckdb.DuckDBPyConnection, expression: str, parameters: Sequence[object] = ()) -> Any:
    return connection.execute(f"select {expression}", parameters).fetchall()[0][0]


def test_numbers_of_one_place_are_averaged_and_a_place_without_a_number_is_null(
    either: duckdb.DuckDBPyConnection,
) -> None:
    assert value(either, "means_by_place([3, 1, 1, 2], [1.0, 2.0, 4.0, null], 4)") == [3.0, None, 1.0, None]
    assert value(either, "means_by_place([2, 2], [null, 0.5], 2)") == [None, 0.5], "null is no number, not 0"
    assert value(either, "means_by_place([], [], 2)") == [None, None]


def test_a_weighted_mean_leaves_out_what_is_null_and_is_null_without_any_weight(
    either: duckdb.DuckDBPyConnection,
) -> None:
    lists, weights = "[[1.0, null, 3.0], [null, 1.0, null]]", "[[1, 2, 3], [0, 7, 0]]::tinyint[][]"
    assert value(either, f"weighted_means({lists}, {weights})") == [[2.5, None], [1.0, 1.0]]


def test_pairs_are_compared_with_the_list_at_their_null_place(either: duckdb.DuckDBPyConnection) -> None:
    scores = "[[0.5, 0.25, null, 0.5], [1.0, null, 1.0, 0.5], [1.0, 1.0, 1.0, 1.0]]"
    draws = "[[1, 1, 1, 1], [2, 0, 0, 0]]::tinyint[][], [[1, -1, 1, 1], [-1, 1, 1, 1]]::tinyint[][]"
    null, prompted, alone = value(either, f"paired_means({scores}, [1, 1, 0], {draws})")
    assert prompted == {
        "n_pairs": 2,
        "null_score": 0.5,
        "score": 0.75,
        "difference": 0.25,
        "differences": [0.25, 0.5],
        "relative_changes": [0.5, 1.0],
        "flipped": [0.25, -0.25],
    }
    assert (null["n_pairs"], null["difference"], null["differences"]) == (3, 0.0, [0.0, 0.0])
    nothing = [None, None]
    assert alone == {
        "n_pairs": 0,
        **dict.fromkeys(("null_score", "score", "difference")),
        **dict.fromkeys(("differences", "relative_changes", "flipped"), nothing),
    }


def test_lists_of_different_lengths_are_refused(either: duckdb.DuckDBPyConnection) -> None:
    for lists, weights in (("[[1.0, 2.0], [1.0]]", "[[1, 2]]"), ("[[1.0, 2.0]]", "[[1, 2, 3]]")):
        with pytest.raises(duckdb.InvalidInputException):
            value(either, f"weighted_means({lists}, {weights}::tinyint[][])")


def test_every_row_of_a_query_has_its_own_lists_and_weights(either: duckdb.DuckDBPyConnection) -> None:
    rows = either.execute(
        """
        select weighted_means(lists, weights::tinyint[][])
        from (values ([[1.0]], [[1]]), ([[1.0, 3.0], [null, 3.0]], [[1, 3]])) as rows (lists, weights)
        """
    ).fetchall()
    assert rows == [([[1.0]],), ([[2.5], [3.0]],)]


@pytest.mark.parametrize("seed", range(10))
def test_numpy_gives_what_the_macros_give(
    with_numpy: duckdb.DuckDBPyConnection, macros: duckdb.DuckDBPyConnection, seed: int
) -> None:
    random = np.random.default_rng(seed)
    count, length, replicates = random.integers(1, 6, 3)
    scores = random.normal(size=(count, length)).tolist()
    for row, column in random.integers(0, (count, length), (4, 2)):
        scores[row][column] = None
    places = random.integers(0, count + 1, count).tolist()
    weights = random.poisson(1, (replicates, length)).tolist()
    signs = random.choice([-1, 1], (replicates, length)).tolist()
    call = "paired_means(?::double[][], ?::integer[], ?::tinyint[][], ?::tinyint[][])"
    results, expected = (value(each, call, [scores, places, weights, signs]) for each in (with_numpy, macros))
    for row, expected_row in zip(results, expected, strict=True):
        for name, number in row.items():
            assert number == pytest.approx(expected_row[name], abs=1e-9), name


def test_a_chunk_of_nulls_alone_is_null(with_numpy: duckdb.DuckDBPyConnection) -> None:
    for expression in (
        "weighted_means(numbers, [[1]]::tinyint[][])",
        "paired_means(numbers, [0], [[1]]::tinyint[][], [[1]]::tinyint[][])",
        "means_by_place([1], numbers[1], 1)",
    ):
        assert value(with_numpy, f"{expression} from (values (null::double[][])) as lists (numbers)") is None
