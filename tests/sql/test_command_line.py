"""``selfknow query`` and ``selfknow sql``, as they are called."""

import csv
import io
import json
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from selfknow.evaluate.connection import queries
from tests.conftest import Run
from tests.sql.given import ModelAnswers, diary, question, text, write_corpus, write_run

QUESTIONS = [question("Ann", 1, 2), question("Ben", 3)]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(
        tmp_path / "run", QUESTIONS, ModelAnswers(answers={"Ann": text(*diary("Ann", 1, 2)), "Ben": "a\0b"})
    )


def test_the_queries_are_listed_and_shown(selfknow: Run) -> None:
    listed = json.loads(selfknow("query", "--format", "json").stdout)
    assert [row["name"] for row in listed] == list(queries())
    assert {row["task"] for row in listed if row["name"] in ("overview", "setup_gap")} == {None, "diary-recall"}
    assert selfknow("query", "setup_gap", "--show").stdout == queries()["setup_gap"].sql


def test_a_query_in_every_format(selfknow: Run, selfknow_process: Run, run: Path) -> None:
    call = ("query", "accuracy_by_size", run)
    assert "OPT 125M" in selfknow(*call).stdout.splitlines()[2]
    rows = json.loads(selfknow(*call, "--format", "json").stdout)
    assert (rows[0]["accuracy"], rows[0]["num_parameters"]) == (0.5, 125_239_296)
    assert next(csv.DictReader(io.StringIO(selfknow(*call, "--format", "csv").stdout)))["accuracy"] == "0.5"
    process = selfknow_process(*call, "--format", "parquet", text=False)
    assert pq.read_table(io.BytesIO(process.stdout)).to_pylist() == rows


def test_columns_can_be_chosen(selfknow: Run, run: Path) -> None:
    process = selfknow("query", "accuracy_by_size", run, "--columns", "accuracy,model_label", "--format", "csv")
    assert process.stdout == "accuracy,model_label\n0.5,OPT 125M\n"


def test_rows_can_be_chosen(selfknow: Run, run: Path) -> None:
    call = ("query", "over_and_under_recall", run, "--columns", "recall", "--format", "csv", "--where")
    assert selfknow(*call, "n_answers > 0").stdout == "recall\nright\nunder\n"
    assert selfknow(*call, "n_answers > 2").stderr == "no rows\n"


def test_any_sql_in_every_format(selfknow: Run, run: Path) -> None:
    query = "select generation, [1, 2] as list, 'nan'::double as x, created_at > '2020-01-01' as new from generations"
    call = ("sql", f"{query} order by generation desc limit 1", run)
    table = selfknow(*call).stdout.splitlines()[2]
    assert table.split() == ["a␀b", "[1,", "2]", "nan", "True"]
    assert json.loads(selfknow(*call, "--format", "json").stdout) == [
        {"generation": "a\0b", "list": [1, 2], "x": None, "new": True}
    ]
    assert selfknow("sql", "-", run, input="select 1 as one").stdout.splitlines()[2].strip() == "1"
    nothing = selfknow("sql", "select 1 as one where false", run)
    assert (nothing.stdout, nothing.stderr) == ("", "no rows\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["query", "accuracy-by-sise", "run"], "did you mean 'accuracy_by_size'"),
        (["query", "self_knowledge_table", "run"], "did you mean 'self_knowledge_tables'"),
        (["query", "self_knowledge/tables", "run"], "did you mean 'self_knowledge_tables'"),
        (["query", "overview", "run", "--columns", "model,m"], "there is no column 'm': choose from run_id, task,"),
        (["query", "overview", "run", "--where", "m > 1"], 'Referenced column "m" not found'),
        (["query", "overview", "run", "--where", "m.n > 1"], 'not found! Candidate tables: "overview"\n'),
        (["query", "overview", "run", "--where", "modl = 'a'"], "--where modl = 'a': Binder Error: Referenced column"),
        (["query", "overview", "run", "--where", "model::int > 1"], "INT32 when casting from source column model\n"),
        (["query", "overview", "run", "--where", "n >"], '--where n >: Parser Error: syntax error at or near ">"\n'),
        (["query", "accuracy_by_size"], "name at least one run folder"),
        (["query", "accuracy_by_size", "nowhere"], "there is no run.json in it"),
        (["query", "wrong_documents", "run"], "name the dataset folder that holds 1k (--corpus FOLDER)"),
        (["sql", "selct 1", "run"], 'Parser Error: syntax error at or near "selct" LINE 1: selct 1'),
        (["sql", "select sum(n::integer) from (select generation as n from generations)", "run"], "Conversion Error"),
        (["sql", "select nothing from answers", "run"], 'Referenced column "nothing" not found'),
        (["sql", "create table a as select 1", "run"], "only SELECT, PIVOT and EXPLAIN are allowed here"),
        (["sql", "select 1"], "name at least one run folder"),
        (["sql"], "give an SQL statement and the runs to query"),
        (["sql", "select 1", "run", "--portrait", "diaries"], "name a portrait as NAME=FOLDER"),
        (["sql", "--init"], "name at least one run folder"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(selfknow: Run, run: Path, arguments: list[str], message: str) -> None:
    process = selfknow(*arguments)
    assert process.returncode == 2
    assert message in process.stderr
    assert "unnamed_relation" not in process.stderr
    assert len(process.stderr.splitlines()) == 1
    assert process.stdout == ""


def test_the_init_script_and_the_database_of_views(selfknow: Run, run: Path, tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", *diary("Ann", 1, 2))
    script = selfknow("sql", "--init", run, "--corpus", corpus).stdout
    with duckdb.connect() as connection:
        connection.execute(script)
        assert connection.execute("select count(*) from corpus").fetchall() == [(2,)]
        assert len(connection.execute(queries()["wrong_documents"].sql).fetchall()) == 0
    assert selfknow("sql", "--save", "views.duckdb", "run").returncode == 0
    with duckdb.connect(str(tmp_path / "views.duckdb"), read_only=True) as connection:
        assert connection.execute("select count(*) from answers").fetchall() == [(2,)]
