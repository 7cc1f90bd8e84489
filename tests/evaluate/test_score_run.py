"""From a run folder to scores that DuckDB reads alone."""

from pathlib import Path
from random import Random

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.errors import UserError
from selfknow.evaluate.collect import collect
from selfknow.evaluate.score import score_run, score_to_files
from selfknow.evaluate.tasks.diary_recall.prompts import answer_requests, boundary_requests
from selfknow.models.interface import Decoding
from selfknow.runs.description import DatasetReference, RunDescription
from selfknow.runs.schema import CALL_COLUMNS, last_attempts
from selfknow.runs.summary import summarize
from selfknow.runs.writer import RunWriter
from tests.diary_questions import Parrot, questions


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    examples = questions(10)
    rows = examples.to_pylist()
    answers = {row["prompt"]: row["completion"] for row in rows[:4]}
    description = RunDescription("diary-recall", DatasetReference("diary-recall", "tiny", "test"), Decoding())
    with RunWriter.open(tmp_path / "run", description, examples) as run:
        requests = [*answer_requests(rows), *boundary_requests(rows)]
        collect(run, Parrot(answers, failures={"question-Tom 0": 1}), requests, quiet=True)
    return tmp_path / "run"


def test_scores_join_to_generations_and_examples_with_duckdb_alone(folder: Path) -> None:
    score_run(folder)
    with duckdb.connect() as connection:
        rows = connection.execute(
            f"""
            select e.num_documents, count(*), sum(s.value)
            from '{folder}/scores/*.parquet' s
            join '{folder}/generations/*.parquet' g using (generation_id)
            join '{folder}/examples.parquet' e on e.id = g.example_id
            where s.metric = 'exact_match'
            group by all order by all
            """
        ).fetchall()
    assert rows == [(1, 2, 1.0), (2, 2, 1.0), (3, 2, 1.0), (4, 2, 1.0), (5, 2, 0.0)]


def test_a_failed_first_attempt_is_not_counted_twice(folder: Path) -> None:
    summary = {(row["stage"], row["metric"]): row for row in summarize(folder, score_to_files(folder))}
    exact = summary["answer", "exact_match"]
    assert (exact["n"], exact["n_graded"], exact["mean"]) == (10, 10, 0.4)
    assert summary["stop", "stop_log_odds"]["n"] == sum(1 + index % 5 for index in range(10))


def test_of_every_call_the_last_attempt_counts_and_of_two_with_one_number_the_later_row() -> None:
    draw = Random(0)
    rows = [
        {
            **{name: draw.choice(["a", "b"]) for name in ("example_id", "stage", "variant", "model")},
            **{name: draw.choice([None, "", "a"]) for name in ("parent_generation_id", "revision")},
            "sample": draw.randrange(2),
            "attempt": draw.randrange(3),
        }
        for _ in range(300)
    ]
    last: dict[tuple[object, ...], int] = {}
    for place, row in enumerate(rows):
        call = tuple(row[name] for name in CALL_COLUMNS)
        if call not in last or rows[last[call]]["attempt"] <= row["attempt"]:
            last[call] = place
    table = pa.Table.from_pylist(rows)
    assert 100 < len(last) < 200
    assert last_attempts(table).to_pylist() == [rows[place] for place in sorted(last.values())]
    once = table.take(sorted(last.values()))
    assert last_attempts(once) is once
    assert last_attempts(table.slice(0, 0)).num_rows == 0


def test_scoring_twice_gives_the_same_bytes(folder: Path) -> None:
    score_run(folder)
    path = folder / "scores" / "diary-recall.parquet"
    before = path.read_bytes()
    score_run(folder)
    assert path.read_bytes() == before


def test_what_is_no_run_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"run\.json does not exist"):
        score_run(tmp_path)
    (tmp_path / "run.json").write_text('{"task": "poetry"}')
    with pytest.raises(UserError, match="holds no generations"):
        score_run(tmp_path)


def test_generations_of_another_shape_are_refused_by_column(folder: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            f"copy (select * exclude (finish_reason) from '{folder}/generations/*.parquet') to '{folder}/new.parquet'"
        )
    for part in (folder / "generations").iterdir():
        part.unlink()
    (folder / "new.parquet").rename(folder / "generations" / "brought.parquet")
    with pytest.raises(UserError, match=r"brought\.parquet lacks the columns finish_reason"):
        score_run(folder)


def test_a_generation_about_no_example_is_refused(folder: Path) -> None:
    examples = pq.read_table(folder / "examples.parquet")
    pq.write_table(examples.slice(1), folder / "examples.parquet")
    with pytest.raises(UserError, match="holds generations about 'question-Tom 0', which is not an example"):
        score_run(folder)
