"""Portraits as functions of a DuckDB connection."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pytest

from selfknow.portraits import Portrait, sql

CORPUS = "The cat sat on the mat, and the dog sat by the door."


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    Portrait.build([CORPUS], width=10, false_positive_rate=1e-9).save(tmp_path / "p")
    Portrait.build([CORPUS[20:]], width=10, false_positive_rate=1e-9).save(tmp_path / "q")
    Portrait.build([CORPUS], width=10, stride=10, false_positive_rate=1e-9).save(tmp_path / "tiles")
    with duckdb.connect() as opened:
        opened.execute(f"set file_search_path = '{tmp_path}'")
        sql.register(opened)
        opened.execute(f"create macro path_of(name) as '{tmp_path}/' || name")
        yield opened
        sql.unregister(opened)


def test_quip_is_a_double_and_null_where_there_is_no_score(connection: duckdb.DuckDBPyConnection) -> None:
    rows = connection.execute(
        "select quip(t, path_of('p')) "
        "from (values ('The cat sat on'), ('The cat sat!!'), ('short'), (null), ('x' || repeat('y', 9))) v(t)"
    ).fetchall()
    assert rows == [(1.0,), (0.5,), (None,), (None,), (0.0,)]


def test_quoted_lists_the_spans(connection: duckdb.DuckDBPyConnection) -> None:
    rows = connection.execute(
        "select quoted(t, path_of('p')) "
        "from (values ('so: the mat, and -- the dog sat!'), ('nothing of it'), (''), (null)) v(t)"
    ).fetchall()
    assert rows == [([" the mat, and ", " the dog sat"],), ([],), ([],), (None,)]


def test_in_corpus_asks_for_every_ngram_or_every_tile(connection: duckdb.DuckDBPyConnection) -> None:
    query = """
        select in_corpus(t, path_of('p')), in_corpus(t, path_of('tiles'))
        from (values ('The cat sat on the m'), ('The cat sa?t on the '), ('he cat sat'), ('short'), (null)) v(t)
    """
    assert connection.execute(query).fetchall() == [
        (True, True), (False, False), (True, False), (None, None), (None, None),
    ]  # fmt: skip


def test_the_portrait_may_differ_from_row_to_row(connection: duckdb.DuckDBPyConnection) -> None:
    rows = connection.execute(
        "select quip('The cat sat on', p) from (values (path_of('p')), (path_of('q')), (null), (path_of('p'))) v(p)"
    ).fetchall()
    assert rows == [(1.0,), (0.0,), (None,), (1.0,)]


def test_a_portrait_that_is_not_there_is_told(connection: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.Error, match="neither a folder here nor"):
        connection.execute("select quip('x', 'no such portrait')").fetchall()


def test_many_rows_agree_with_python_whatever_the_threads(
    connection: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    connection.execute("""
        create table answers as
        select i, substr(repeat('The cat sat on the mat, and the dog sat by the door.', 3), 1 + i % 60, i % 90) as t
        from range(50_000) r(i)
    """)
    rows = connection.execute("select t, quip(t, path_of('p')) as q from answers order by i").fetchall()
    expected = Portrait.load(tmp_path / "p").quip([text for text, _ in rows])
    np.testing.assert_array_equal(np.array([np.nan if q is None else q for _, q in rows]), expected)


# DuckDB hands a function 2,048 rows at a time, however many a query has.
def test_many_rows_in_small_pieces_are_answered_by_the_kernel_and_few_rows_by_numpy(tmp_path: Path) -> None:
    Portrait.build([CORPUS]).save(tmp_path / "portrait")
    program = f"""
import sys, duckdb
from selfknow.portraits import sql
with duckdb.connect() as connection:
    connection.execute("set enable_progress_bar = false")
    sql.register(connection)
    for rows in (2_000, 100_000):
        texts = f"select '{CORPUS}' || i as text from range({{rows}}) r(i)"
        ((quip,),) = connection.sql(f"select avg(quip(text, '{tmp_path / "portrait"}')) from ({{texts}})").fetchall()
        print(0.8 < quip < 1, "selfknow.portraits.filter.rolling" in sys.modules)
    sql.unregister(connection)
"""
    output = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert output.split("\n")[:2] == ["True False", "True True"]
