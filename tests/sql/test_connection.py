"""Connections: what they show, what they refuse, and that they change nothing."""

import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.errors import UserError
from selfknow.evaluate.catalogue import task_sql
from selfknow.evaluate.connection import connect, queries
from selfknow.files import read_json, write_json
from selfknow.runs.reader import open_runs
from selfknow.sql.connection import init_script, save_database
from selfknow.sql.queries import run_query
from selfknow.sql.views import parsed_files
from tests.sql.given import ModelAnswers, ask_runs, diary, question, text, write_corpus, write_run

QUESTIONS = [question("Ann", 1, 2), question("Ben", 3)]
RIGHT = {"Ann": text(*diary("Ann", 1, 2)), "Ben": ""}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", QUESTIONS, ModelAnswers(answers=RIGHT))


def rows(folders: Path | list[Path], query: str, **options: object) -> list[tuple[object, ...]]:
    with connect(folders, **options) as connection:  # type: ignore[arg-type]
        return connection.sql(query).fetchall()


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_views_of_a_run(run: Path) -> None:
    with connect(run) as connection:

        def found(query: str) -> list[tuple[object, ...]]:
            return connection.sql(query).fetchall()

        assert found("select task, config, dataset_size, num_diarists, setup, num_examples, temperature from runs") == [
            ("diary-recall", "1k", "1k", 1000, "standard", 2, 0.0)
        ]
        assert found("select id, num_documents, document_lengths from examples order by id") == [
            ("Ann", 2, [1, 2]),
            ("Ben", 1, [3]),
        ]
        assert found("select count(*), count(distinct generation_id) from generations") == [(2, 2)]
        assert found("select count(*) from scores where metric = 'exact_match'") == [(2,)]
        assert found("select fate, count(*) from documents group by all order by all") == [
            ("correct", 2),
            ("missing", 1),
        ]
        assert found("select count(*) from corpus") == [(0,)]


def test_runs_stand_side_by_side_and_simplified_ones_share_the_size(tmp_path: Path) -> None:
    runs = [
        write_run(tmp_path / config, QUESTIONS, ModelAnswers(answers=RIGHT), config=config)
        for config in ("1k", "1k-simplified", "512-diarists-3-entries-3-attributes")
    ]
    assert rows(runs, "select dataset_size, num_diarists, setup from runs order by all") == [
        ("1k", 1000, "simplified"),
        ("1k", 1000, "standard"),
        ("512-diarists-3-entries-3-attributes", 512, "standard"),
    ]
    assert len(ask_runs("accuracy_by_size", runs, "cohort")) == 3


def test_a_connection_reads_and_changes_nothing(run: Path, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a\n1\n")
    before = contents(tmp_path)
    part = run / "generations" / "part-00000.parquet"
    with connect(run) as connection:
        for statement in (
            "create table copied as select * from generations",
            "insert into generations select * from generations",
            f"copy (select 1) to '{part}'",
            f"copy (select 1) to '{tmp_path / 'new.csv'}'",
            f"explain analyze copy (select 1) to '{part}'",
            f"attach '{tmp_path / 'new.duckdb'}'",
            f"select * from read_csv('{tmp_path / 'other.csv'}')",
            "set enable_external_access = true",
            "install httpfs",
        ):
            with pytest.raises(UserError):
                connection.rows(statement)
    assert contents(tmp_path) == before


def test_writing_must_be_asked_for(run: Path, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("id,hobby\nAnn,chess\n")
    query = f"select hobby from answers join read_csv('{tmp_path / 'other.csv'}') on example_id = id"
    assert rows(run, query, read_only=False) == [("chess",)]


def test_views_are_tables_for_a_while_with_the_same_rows(run: Path) -> None:
    tables = "select table_name from duckdb_tables() where temporary"
    with connect(run) as connection:
        before = {view: connection.rows(f"from {view} order by all") for view in ("answers", "calls")}
        assert all(before.values())
        with connection.as_tables(before):
            assert {row["table_name"] for row in connection.rows(tables)} == set(before)
            assert {view: connection.rows(f"from {view} order by all") for view in before} == before
        with pytest.raises(UserError, match="nothing does not exist"), connection.as_tables(["calls", "nothing"]):
            pass
        assert connection.rows(tables) == []
        assert connection.rows("from answers order by all") == before["answers"]


def test_no_temporary_file_stays(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    with connect(run) as connection:
        connection.rows("select * from answers order by generation")
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("of_this_run", [True, pytest.param(False, marks=pytest.mark.full)])
def test_the_init_script_gives_any_duckdb_the_same(run: Path, of_this_run: bool) -> None:
    """Queries about runs of other tasks, whose views hold no row here, take most of the time."""
    folders = open_runs([run], parsed_files(task_sql()))
    with duckdb.connect() as plain, connect(run) as ours:
        plain.execute(init_script(folders, {}, task_sql()))
        for query in queries().values():
            if any(need.startswith("portrait") for need in query.needs):
                continue  # its function is Python's
            if (query.task in ("diary-recall", None)) == of_this_run:
                assert plain.execute(query.sql).fetchall() == ours.sql(query.sql).fetchall()


def test_a_database_of_views_is_small_and_never_overwritten(run: Path, tmp_path: Path) -> None:
    folders = open_runs([run], parsed_files(task_sql()))
    save_database(tmp_path / "views.duckdb", folders, {}, task_sql())
    assert (tmp_path / "views.duckdb").stat().st_size < 5_000_000
    with duckdb.connect(str(tmp_path / "views.duckdb"), read_only=True) as saved:
        assert saved.execute("select count(*) from answers").fetchall() == [(2,)]
    with pytest.raises(UserError, match="exists: name a new file"):
        save_database(tmp_path / "views.duckdb", folders, {}, task_sql())


@pytest.mark.parametrize("name", ["it's", "a b", "run[1]", "run*", "run?", "run{1,2}", "ü=1", "%s"])
def test_a_folder_may_have_any_name(run: Path, tmp_path: Path, name: str) -> None:
    moved = tmp_path / name / "run"
    shutil.copytree(run, moved)
    assert rows(moved, "select count(*) from generations join examples on example_id = id") == [(2,)]


def test_half_a_run_is_refused(tmp_path: Path, run: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="empty is not a run folder: there is no run"):
        connect(tmp_path / "empty")
    with pytest.raises(UserError, match="nothing is not a run folder"):
        connect(tmp_path / "nothing")
    with pytest.raises(UserError, match="at least one run"):
        connect([])
    write_json(tmp_path / "begun" / "run.json", {"run_id": "a", "task": "diary-recall"})
    with pytest.raises(UserError, match="holds no generations yet"):
        connect(tmp_path / "begun")
    (run / "examples.parquet").unlink()
    with pytest.raises(UserError, match=r"an incomplete run: it has no examples\.parquet"):
        connect(run)


def test_a_cut_off_file_is_named(run: Path) -> None:
    part = run / "generations" / "part-00000.parquet"
    part.write_bytes(part.read_bytes()[:-100])
    with pytest.raises(UserError, match=r"part-00000\.parquet cannot be read as Parquet \(was it cut off\?\)"):
        connect(run)
    (run / "run.json").write_text("{")
    with pytest.raises(UserError, match=r"run\.json cannot be read as JSON"):
        connect(run)


def test_a_part_that_is_being_written_is_not_read(run: Path) -> None:
    (run / "generations" / ".part-00001.parquet.writing").write_bytes(b"PAR1")
    assert rows(run, "select count(*) from generations") == [(2,)]


def rewrite(path: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    pq.write_table(change(pq.read_table(path, partitioning=None)), path)


def test_an_older_schema_is_read_with_nulls(run: Path) -> None:
    part = run / "generations" / "part-00000.parquet"
    rewrite(part, lambda table: table.drop_columns(["logprob", "messages", "prompt_tokens"]))
    assert rows(run, "select logprob, messages, prompt_tokens from generations") == [(None, None, None)] * 2
    assert ask_runs("accuracy_by_size", run, "accuracy") == [(0.5,)]


def test_a_missing_or_wrong_column_is_named(run: Path) -> None:
    part = run / "generations" / "part-00000.parquet"
    whole = part.read_bytes()
    rewrite(part, lambda table: table.drop_columns(["model"]))
    with pytest.raises(UserError, match=r"part-00000\.parquet lacks model"):
        connect(run)
    part.write_bytes(whole)
    rewrite(part, lambda table: table.set_column(5, "sample", table["sample"].cast(pa.string())))
    with pytest.raises(UserError, match="a column of another type: sample is string, not int32"):
        connect(run)
    part.write_bytes(whole)
    rewrite(part, lambda table: table.set_column(5, "sample", table["sample"].cast(pa.int64())))
    assert rows(run, "select typeof(sample) from generations limit 1") == [("INTEGER",)]


def test_other_revisions_of_a_dataset_are_not_mixed_in(tmp_path: Path) -> None:
    first, second = (
        write_run(tmp_path / name, QUESTIONS, ModelAnswers(answers=RIGHT), content_hash=name * 20)
        for name in ("a", "b")
    )
    with pytest.raises(UserError, match=r"different revisions of diary-recall 1k \(content_hash aaaaaaaaaaaa and bbbb"):
        connect([first, second])
    assert rows([first, second], "select count(*) from answers", mixed_revisions=True) == [(4,)]


def test_a_run_counts_once(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "copy")
    with pytest.raises(UserError, match="are the same run"):
        connect([run, tmp_path / "copy"])


def test_queries_say_what_they_lack(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", QUESTIONS, ModelAnswers(answers=RIGHT), score=False)
    with connect(run) as connection:
        with pytest.raises(UserError, match=r"has no scores: run `selfknow score .*run` first"):
            run_query(connection, "accuracy_by_size")
        assert connection.rows("select count(*) as n from scores") == [{"n": 0}]
        with pytest.raises(UserError, match=r"did you mean .accuracy_by_size."):
            run_query(connection, "acuracy-by-sise")
        with pytest.raises(UserError, match="`selfknow query` lists them"):
            run_query(connection, "zzz")
    scored = write_run(tmp_path / "scored", QUESTIONS, ModelAnswers(answers=RIGHT))
    with connect(scored) as connection, pytest.raises(UserError, match=r"holds 1k \(corpora=\)"):
        run_query(connection, "wrong_documents")
    with pytest.raises(UserError, match="holds none of the corpora that these runs asked about: 1k"):
        connect(scored, corpora=[write_corpus(tmp_path / "corpus", config="2k")])


def test_the_corpus_is_found_where_the_run_says_in_either_setup(tmp_path: Path) -> None:
    documents = [*diary("Ann", 1, 2), *diary("Ben", 3)]
    corpus = write_corpus(tmp_path / "corpus", *documents)
    simplified = tmp_path / "simplified"
    (simplified / "1k-simplified").mkdir(parents=True)
    whole = text(*documents[:2]).partition("\n")
    row = {"kind": "document", "diarist": "Ann", "prompt": whole[0] + "\n", "completion": whole[2]}
    schema = pa.schema([*((name, pa.string()) for name in row), ("entry", pa.int32())])
    table = pa.Table.from_pylist([row], schema=schema)
    pq.write_table(table, simplified / "1k-simplified" / "train-00000-of-00001.parquet")
    run = write_run(tmp_path / "run", QUESTIONS, ModelAnswers(answers=RIGHT), dataset=str(corpus))
    query = "select dataset_size, diarist, number, body, num_sentences from corpus order by all"
    values = rows(run, query)
    assert values == [
        ("1k", "Ann", 1, "Location: City", 1),
        ("1k", "Ann", 2, "Location: City\nTime: Evening", 2),
        ("1k", "Ben", 1, "Location: City\nTime: Evening\nWeather: Rain", 3),
    ]
    shutil.rmtree(corpus)
    assert rows(run, query, corpora=[simplified]) == values[:2]


def test_what_a_run_says_of_its_models_goes_first(run: Path) -> None:
    facts = {"label": "Tiny", "suite": "OPT", "num_parameters": 868_224, "pretrained": False}
    write_json(run / "run.json", {**read_json(run / "run.json"), "models": {"facebook/opt-125m": facts}})
    query = "select model_label, suite, num_parameters, pretrained from cohorts"
    assert rows(run, query) == [("Tiny, from scratch", "OPT", 868_224, False)]


def test_models_of_the_paper_are_known_by_their_exact_name_and_others_by_their_own(tmp_path: Path) -> None:
    known = {
        "facebook/opt-1.3b": ("OPT 1.3B", 1_315_758_080, True),
        "runs/pythia-1b-seed2/model": ("pythia-1b-seed2", None, None),
        "EleutherAI/pythia-1.4b": ("Pythia 1.4B", 1_414_647_808, True),
        "out/flan-t5-small_scratch": ("flan-t5-small_scratch", None, None),
        "out/facebook/opt-125m": ("out/facebook/opt-125m", None, None),
        "facebook/opt-125m": ("OPT 125M", 125_239_296, True),
        "opt-7m": ("OPT 7M", 7_490_560, None),
        "runs/opt-1251m": ("opt-1251m", None, None),
        "a/tiny/model/": ("tiny", None, None),
        "b/other/model": ("b/other/model", None, None),
        "c/other": ("c/other", None, None),
    }
    run = write_run(tmp_path / "run", QUESTIONS, *(ModelAnswers(model=name, answers=RIGHT) for name in known))
    models = rows(run, "select model, model_label, num_parameters, pretrained from models")
    assert {row[0]: row[1:] for row in models} == known


def test_two_states_of_one_folder_are_told_apart(tmp_path: Path) -> None:
    models = [ModelAnswers(model="out/mine", revision=revision * 20, answers=RIGHT) for revision in "ab"]
    run = write_run(tmp_path / "run", QUESTIONS, *models)
    assert rows(run, "select model_label from cohorts order by model_label") == [("mine@aaaaaaaa",), ("mine@bbbbbbbb",)]


def test_the_models_that_sql_knows_are_the_papers_table_4() -> None:
    suite = pytest.importorskip("selfknow.train.suite", reason="the suite is not there")
    from selfknow.models.known import known_model

    for name, spec in suite.MODELS.items():
        known = known_model(name)
        assert known is not None
        assert known is known_model(spec.checkpoint) or spec.checkpoint is None
        assert (known.name, known.checkpoint, known.num_parameters) == (name, spec.checkpoint, spec.num_parameters)


@pytest.mark.parametrize("generation", ["a\0b", "\n" * 1_000_000, "<script>alert(1)</script>", "💥" * 10])
def test_strange_generations_are_rows_like_others(tmp_path: Path, generation: str) -> None:
    run = write_run(tmp_path / "run", QUESTIONS, ModelAnswers(answers={"Ann": generation, "Ben": RIGHT["Ben"]}))
    assert ask_runs("wrong_answers", run, "reason", "n_answers") == [("empty", 1), ("no title line", 1)]
    assert rows(run, "select generation from answers where example_id = 'Ann'") == [(generation,)]
