"""The two expectations on joined documents, beside the same join in Python: damaged rows, found to the last one."""

from collections.abc import Iterator

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfknow.validation.suite import read_sql

Text = tuple[str | None, int | None, str | None]  # diarist, entry, text
DAMAGED = ["", "2", "\n", "A's E 1", "A's E 1\n2", "A's E 2\nx\nA's E 1\nx", None]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """Return a connection with the macros of the check."""
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute(read_sql("diary_recall/macros"))
        yield connection


@st.composite
def texts(draw: st.DrawFn) -> tuple[list[Text], list[Text]]:
    """Draw documents and the texts that join them, with up to two damages."""
    documents: list[Text] = []
    joined: list[Text] = []
    for diarist in "AB":
        parts = [f"{diarist}'s E {number}\nx" for number in range(1, draw(st.integers(1, 3)) + 1)]
        documents += [(diarist, number, part) for number, part in enumerate(parts, start=1)]
        joined.append((diarist, None, "\n".join(parts)))
    for _ in range(draw(st.integers(0, 2))):
        rows = draw(st.sampled_from([documents, joined]))
        index = draw(st.integers(0, len(rows) - 1))
        diarist, entry, text = rows[index]
        match draw(st.sampled_from(["lost", "twice", "diarist", "entry", "text", "end"])):
            case "lost" if len(rows) > 1:
                rows.pop(index)
            case "twice":
                rows.append(rows[index])
            case "diarist":
                rows[index] = (draw(st.sampled_from(["A", "B", None])), entry, text)
            case "entry" if rows is documents:
                rows[index] = (diarist, draw(st.sampled_from([0, 2, 9, None])), text)
            case "text":
                rows[index] = (diarist, entry, draw(st.sampled_from(DAMAGED)))
            case _:
                rows[index] = (diarist, entry, f"{text}\n")
    return documents, joined


def _different(documents: list[Text], joined: list[Text], *, all_joined: bool) -> list[str | None]:
    """Return the diarists whose documents do not make up the joined text, as often as the expectation names them."""
    expected = {}
    for name in {diarist for diarist, _, _ in documents}:
        of_diarist = [row for row in documents if row[0] == name]
        in_order = sorted(of_diarist, key=lambda row: (row[1] is None, row[1] or 0))
        parts = [text for _, _, text in in_order if text is not None]
        expected[name] = "\n".join(parts) if parts else None
    actual = [(diarist, text) for diarist, _, text in joined]
    if all_joined:
        names = {name for name, _ in actual}
        of_names = {name: [text for other, text in actual if other == name and text is not None] for name in names}
        actual = [(name, "\n".join(parts) if parts else None) for name, parts in of_names.items()]
    different = [name for name, text in actual if text != (expected.get(name) if name is not None else None)]
    names = {name for name, _ in actual} - {None}
    different += [name for name, text in expected.items() if name not in names and text is not None]
    return sorted(different, key=str)


def _write(connection: duckdb.DuckDBPyConnection, table: str, rows: list[tuple[object, ...]]) -> None:
    columns = "split varchar, id varchar, kind varchar, diarist varchar, entry int, prompt varchar, completion varchar"
    connection.execute(f"create or replace temp table {table} ({columns})")
    connection.executemany(f"insert into {table} values (?, ?, ?, ?, ?, ?, ?)", rows)


def _documents(texts: list[Text]) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for diarist, entry, text in texts:
        title, newline, rest = (text or "").partition("\n")
        completion = None if text is None else rest
        rows.append(("train", "document", "document", diarist, entry, title + newline, completion))
    return rows


@settings(max_examples=30, deadline=None)
@given(case=texts())
def test_answers_that_do_not_repeat_the_documents_are_found_to_the_last_one(
    connection: duckdb.DuckDBPyConnection, case: tuple[list[Text], list[Text]]
) -> None:
    documents, answers = case
    questions = [("test", "question", "question", diarist, None, "Recall.\n", text) for diarist, _, text in answers]
    _write(connection, "corpus", _documents(documents) + questions)
    rows = connection.execute(read_sql("diary_recall/answers_repeat_the_documents"), {"simplified": False}).fetchall()
    assert sorted((row[2] for row in rows), key=str) == _different(documents, answers, all_joined=False)


@settings(max_examples=30, deadline=None)
@given(case=texts())
def test_simplified_documents_that_are_not_the_joined_ones_are_found_to_the_last_one(
    connection: duckdb.DuckDBPyConnection, case: tuple[list[Text], list[Text]]
) -> None:
    documents, joined = case
    _write(connection, "standard", _documents(documents))
    _write(connection, "simplified", _documents(joined))
    rows = connection.execute(read_sql("diary_recall/twins_tell_the_same_diaries")).fetchall()
    assert sorted((row[0] for row in rows), key=str) == _different(documents, joined, all_joined=True)
