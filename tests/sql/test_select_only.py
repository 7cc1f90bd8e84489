"""SQL that can change nothing: what is refused leaves every byte of a run as it is, what only reads is allowed."""

import contextlib
import tempfile
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfknow.cli.query import query
from selfknow.errors import UserError
from selfknow.evaluate.connection import connect
from selfknow.portraits import Corpus
from selfknow.select_only import check_select_only
from tests.sql.given import ModelAnswers, diary, question, text, write_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", [question("Ann", 1)], ModelAnswers(answers={"Ann": text(*diary("Ann", 1))}))


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


COPY = "copy (select 1 as a) to 'PART' (format parquet, use_tmp_file false)"
PIVOT = "pivot (select 1 as a, 2 as b) on a using sum(b)"
SERIALIZED = "(select json_serialize_sql('with x as (copy (select 1) to ''PART'') select 1'))"
WRITING = (
    COPY,
    f"select 1; {COPY}",
    f"/* a note */ explain analyze {COPY}",
    f"explain /* a note */ (analyze, format json) {COPY}",
    "explain (analyze false) select 1",
    "explain analyze select 1",
    f"explain analyze {PIVOT}",
    f"explain with x as ({COPY}) select 1",
    f"prepare p as {COPY}",
    f"prepare p as {PIVOT}",
    "execute p",
    f"copy ({PIVOT}) to 'PART'",
    f"create temp table t as {PIVOT}",
    f"with x as ({COPY}) select 1",
    f"with x as materialized (/* a note */ {COPY}) select 1",
    f"with x as (with y as ({COPY}) select 1) from x",
    f"with x as ({COPY}), p as ({PIVOT}) from p",
    f"(with x as ({COPY}), p as ({PIVOT}) from p)",
    f"from json_execute_serialized_sql({SERIALIZED})",
    f"from system.main.JSON_execute_serialized_sql({SERIALIZED})",
    f'from "json_execute_serialized_sql"({SERIALIZED})',
    f"select 1 where exists (from json_execute_serialized_sql({SERIALIZED}))",
    "from query('from json_' || 'execute_serialized_sql(''…'')')",
    f"with p as ({PIVOT}) from p, query('select 1')",
    "with x as (insert into generations from generations returning *) from x",
    "create table copied as select * from generations",
    "insert into generations select * from generations",
    "delete from generations",
    "create temp macro m() as 1",
    "copy (select 1) to 'FOLDER/new.csv'",
    "export database 'FOLDER/new'",
    "attach 'FOLDER/new.duckdb'",
    "from enable_logging('QueryLog', storage = 'file', storage_path = 'FOLDER/log')",
    "pragma enable_profiling",
    "call checkpoint()",
    "set enable_external_access = true",
    "install httpfs",
    "load json",
    "begin transaction",
)


def test_a_refused_statement_changes_no_byte_of_a_run(run: Path, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a\n1\n")
    before = contents(tmp_path)
    part = run / "generations" / "part-00000.parquet"
    with connect(run) as connection:
        for statement in (*WRITING, "select * from read_csv('FOLDER/other.csv')", "from read_text('/etc/passwd')"):
            query = statement.replace("PART", str(part)).replace("FOLDER", str(tmp_path))
            for ask in (connection.rows, connection.sql):
                with pytest.raises(UserError) as refusal:
                    ask(query)
                assert statement.startswith(("from", "select * from read")) or "\n" not in str(refusal.value)
                assert contents(tmp_path) == before, statement
        with pytest.raises(UserError, match="read_only=False"):
            _ = connection.duckdb


def test_what_only_reads_is_allowed_whatever_words_it_holds(run: Path) -> None:
    with connect(run) as connection:
        for query, expected in {
            PIVOT: [(2,)],
            f"with p as ({PIVOT}) from p": [(2,)],
            f"-- (pivot\n ({PIVOT}) -- a note": [(2,)],
            "select 'copy', 'query(', 'insert into', '\"type\":\"COPY_QUERY_NODE\"'": [
                ("copy", "query(", "insert into", '"type":"COPY_QUERY_NODE"')
            ],
            'with x as (select 1 as copy, 2 as "query") select copy, "query" from x': [(1, 2)],
            "select 1; select 2": [(2,)],
            "from (values (3))": [(3,)],
        }.items():
            assert connection.sql(query).fetchall() == expected, query
            assert [tuple(row.values()) for row in connection.rows(query)] == expected, query
        for query in ("explain select 1", "/* a */ explain (format json) select 1", f"explain -- b\n {PIVOT}"):
            assert connection.rows(query), query
        assert connection.rows("show tables")
        assert connection.rows("summarize generations")


DUCKDB = duckdb.connect()


def mixtures() -> st.SearchStrategy[str]:
    """Statements in one another, behind one another, and with notes between their words."""
    simple = st.sampled_from(["select 1", "copy (select 1) to 'file'", PIVOT, "from query('select 1')", "analyze"])
    shapes = (
        "with x as ({}) select 1",
        "with x as ({}) {}",
        "explain {}",
        "explain analyze {}",
        "explain (analyze) {}",
        "prepare p as {}",
        "{}; {}",
        "({})",
        "copy ({}) to 'file'",
        "create temp table t as {}",
        "/* {} */ {}",
        "-- explain\n{}",
        "select ({})",
        "from ({})",
        "select '{}'",
        "execute p",
    )

    def mixed(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.builds(lambda shape, a, b: shape.format(a, b), st.sampled_from(shapes), inner, inner)

    return st.recursive(simple, mixed, max_leaves=6)


@given(mixtures())
@settings(max_examples=100, deadline=None)
def test_no_mixture_of_these_statements_writes(sql: str) -> None:
    """Whatever the check lets pass is run, in a folder of its own, and leaves no file there."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        try:
            check_select_only(DUCKDB, sql)
        except (UserError, duckdb.Error):
            return
        with contextlib.suppress(duckdb.Error):
            DUCKDB.execute(sql).fetchall()
        assert list(Path(folder).iterdir()) == [], sql


def test_a_condition_cannot_hide_a_statement(run: Path, tmp_path: Path) -> None:
    before = contents(tmp_path)
    part = str(run / "generations" / "part-00000.parquet")
    hidden = f"exists (from json_execute_serialized_sql({SERIALIZED}))"
    for condition in (hidden, f"true; {COPY}", f"true) where ({COPY}"):
        with pytest.raises(UserError):
            query("overview", [str(run)], where=condition.replace("PART", part))
        assert contents(tmp_path) == before, condition
    with pytest.raises(
        UserError, match=r"JSON_EXECUTE_SERIALIZED_SQL could .*\(read_only=False allows other statements\)"
    ):
        query("overview", [str(run)], where=hidden.replace("PART", part))


def test_a_corpus_is_read_and_nothing_written(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": "a text"}\n')
    before = contents(tmp_path)
    for where in (f"true; copy (select 1) to '{rows}'; select 'a'", f"true; attach '{tmp_path / 'new.duckdb'}'"):
        with pytest.raises(UserError, match="could change something"):
            list(Corpus.from_files([rows], where=where))
        assert contents(tmp_path) == before
