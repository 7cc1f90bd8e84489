"""The Python surface: ask a function, score what it said, query it, from one object."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import selfknow as package
from selfknow.errors import UserError
from selfknow.models.function import FunctionModel
from tests.conftest import Run


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """Return a file of two questions of grade-school mathematics."""
    path = tmp_path / "questions.jsonl"
    rows = [{"question": "1 + 1?", "answer": "#### 2"}, {"question": "2 + 2?", "answer": "#### 4"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def two(prompt: str) -> str:
    """Return a model that always answers two."""
    return "#### 2"


def test_a_function_is_asked_scored_and_queried(questions: Path, tmp_path: Path) -> None:
    run = package.ask(f"gsm8k:{questions}", two, out=tmp_path / "run", quiet=True)
    assert [
        (progress.stage, progress.model, progress.requested, progress.answered, progress.failed)
        for progress in run.progress
    ] == [("answer", "two", 2, 2, 0)]
    assert run.score().scores.column("value").to_pylist() == [1.0, 0.0]
    [row] = [row for row in run.query("metrics").to_pylist() if row["metric"] == "correct"]
    assert (row["n"], row["n_graded"], row["mean"]) == (2, 2, 0.5)


def test_a_run_that_was_finished_asks_nothing_again(questions: Path, tmp_path: Path) -> None:
    first = package.ask(f"gsm8k:{questions}", two, out=tmp_path / "run", quiet=True)
    again = package.ask(f"gsm8k:{questions}", two, out=tmp_path / "run", quiet=True)
    assert [(progress.answered_before, progress.answered) for progress in again.progress] == [(2, 0)]
    assert again.folder == first.folder == tmp_path / "run"


def test_what_a_model_knows_of_itself_stands_in_the_run_unless_the_user_says_otherwise(
    questions: Path, tmp_path: Path
) -> None:
    model = FunctionModel(two)
    model.num_parameters = 7  # type: ignore[attr-defined]
    for options, expected in (({}, 7), ({"num_parameters": 8}, 8), ({}, 7)):
        package.ask(f"gsm8k:{questions}", model, out=tmp_path / "run", quiet=True, **options)
        described = json.loads((tmp_path / "run" / "run.json").read_text())["models"]
        assert described == [{"name": "two", "revision": model.revision, "num_parameters": expected}]


def test_a_run_with_another_decoding_is_refused(questions: Path, tmp_path: Path) -> None:
    package.ask(f"gsm8k:{questions}", two, out=tmp_path / "run", quiet=True)
    with pytest.raises(UserError, match=r"its decoding.temperature is 0.0, not 0.5"):
        package.ask(f"gsm8k:{questions}", two, out=tmp_path / "run", quiet=True, temperature=0.5)


def test_what_is_not_said_of_the_replies_is_the_tasks_own_way(questions: Path, tmp_path: Path) -> None:
    package.ask(f"gsm8k:{questions}", two, out=tmp_path / "run", quiet=True, max_new_tokens=7, top_p=None)
    decoding = json.loads((tmp_path / "run" / "run.json").read_text())["decoding"]
    assert (decoding["max_new_tokens"], decoding["temperature"], decoding["top_p"]) == (7, 0.0, 1.0)
    assert decoding["stop"], "GSM8K ends where the next question begins"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"form": "icl"}, "the option form is for self-aware, not for gsm8k"),
        ({"batchsize": 3}, "gsm8k has no option 'batchsize': did you mean 'batch_size'?"),
        ({"xyz": 3}, "gsm8k has no option 'xyz'"),
    ],
)
def test_an_option_that_a_task_does_not_have_is_refused(
    tmp_path: Path, options: dict[str, object], message: str
) -> None:
    with pytest.raises(UserError) as refused:
        package.ask("gsm8k", two, out=tmp_path / "run", **options)
    assert str(refused.value).startswith(message)
    assert not (tmp_path / "run").exists()


def test_an_option_that_a_scorer_does_not_have_is_refused(questions: Path, tmp_path: Path) -> None:
    run = package.ask(f"gsm8k:{questions}", two, out=tmp_path / "run", quiet=True)
    with pytest.raises(UserError, match="gsm8k has no option 'encoder'"):
        run.score(encoder="packaged")


def test_scoring_shows_the_command_lines_table_with_the_rows_behind_it(
    questions: Path, tmp_path: Path, selfknow: Run
) -> None:
    run = package.ask(f"gsm8k:{questions}", two, out=tmp_path / "run", quiet=True)
    summary = run.score()
    assert repr(summary) + "\n" == selfknow("score", "run").stdout
    assert summary[0]["mean"] == 0.5
    assert "<td" in summary._repr_html_()
    assert summary.scores.column_names == ["generation_id", "metric", "value", "reason"]


def test_the_tasks_and_their_options_are_tables() -> None:
    tasks = package.tasks()
    assert [row["task"] for row in tasks][:2] == ["diary-recall:1k", "self-aware"]
    assert "self-aware" in repr(tasks)
    options = {row["option"]: row["default"] for row in package.tasks("self-aware")}
    assert (options["form"], options["limit"]) == ("direct", None)
    with pytest.raises(UserError, match="there is no task 'selfaware': did you mean 'self-aware'"):
        package.tasks("selfaware")


def test_replies_stand_beside_what_was_asked_and_how_they_were_scored(questions: Path, tmp_path: Path) -> None:
    run = package.ask(f"gsm8k:{questions}", two, out=tmp_path / "run", quiet=True)
    assert run.replies(columns=["generation", "scores"]).to_pylist() == [{"generation": "#### 2", "scores": None}] * 2
    run.score()
    wrong = run.replies(columns=["example_id", "prompt", "generation", "scores"], where="scores['correct'] = 0")
    [row] = wrong.to_pylist()
    assert "2 + 2?" in row["prompt"]
    assert (row["generation"], row["scores"]) == ("#### 2", [("correct", 0.0)])
    with pytest.raises(UserError, match="there is no column 'generations': did you mean 'generation'"):
        run.replies(columns=["generations"])
    with pytest.raises(UserError, match="scored"):
        run.replies(where="scored = 1")


def test_a_run_takes_sql_and_chosen_columns(questions: Path, tmp_path: Path) -> None:
    run = package.ask(f"gsm8k:{questions}", two, out=tmp_path / "run", quiet=True)
    run.score()
    table = run.sql("select count(*) as n from calls where generation = $text", {"text": "#### 2"})
    assert table.to_pylist() == [{"n": 2}]
    chosen = run.query("metrics", columns=["metric", "n"], where="metric = 'correct'")
    assert chosen.to_pylist() == [{"metric": "correct", "n": 2}]
    with pytest.raises(UserError, match="calsl"):
        run.sql("select * from calsl")
    written = tmp_path / "written.csv"
    with pytest.raises(UserError, match=r"\(read_only=False allows other statements\)"):
        run.query("metrics", where=f"true; copy (select 1) to '{written}'")
    assert not written.exists()


def test_a_run_writes_its_report(questions: Path, tmp_path: Path) -> None:
    run = package.ask(f"gsm8k:{questions}", two, out=tmp_path / "run", quiet=True)
    run.score()
    assert run.report(tmp_path / "report.html", title="Sums").read_text().count("<title>Sums</title>") == 1
    assert run.report(str(tmp_path / "report.md")).read_text().startswith("# ")
    with pytest.raises(UserError, match=r"report\.pdf"):
        run.report(tmp_path / "report.pdf")


def test_several_runs_are_opened_as_one_connection(questions: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        package.ask(f"gsm8k:{questions}", two, out=tmp_path / name, quiet=True, limit=1).score()
    with package.connect([tmp_path / "a", tmp_path / "b"]) as connection:
        assert connection.rows("select count(*) as n from scores") == [{"n": 2}]


def test_a_folder_is_opened_as_a_run(questions: Path, tmp_path: Path) -> None:
    package.ask(f"gsm8k:{questions}", two, out=tmp_path / "run", quiet=True)
    assert package.Run(tmp_path / "run").score().scores.num_rows == 2


def test_nothing_is_left_open_or_printed_when_the_interpreter_ends(questions: Path, tmp_path: Path) -> None:
    code = (
        "import selfknow, sys; run = selfknow.ask(sys.argv[1], lambda prompt: '#### 2', out='run', quiet=True);"
        "run.score(); rows = run.query('metrics'); print(rows.num_rows)"
    )
    command = [sys.executable, "-W", "error", "-c", code, f"gsm8k:{questions}"]
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stdout, process.stderr) == (0, "1\n", "")


def test_one_text_is_enough_for_an_option_of_several_and_for_a_path(tmp_path: Path) -> None:
    first = package.ask("self-knowledge:math", two, out=tmp_path / "plain", quiet=True, limit=1, style="expert")
    assert json.loads((first.folder / "run.json").read_text())["settings"]["styles"] == ["expert"]
    again = package.ask(
        "self-knowledge:math",
        two,
        out=tmp_path / "again",
        quiet=True,
        limit=1,
        style=["expert"],
        reuse=str(first.folder),
    )
    assert [(progress.stage, progress.answered) for progress in again.progress] == [("verify", 1)]
