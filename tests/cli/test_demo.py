"""The demo: its two models are asked the same held-out questions, and no gap is a failure."""

import os
import re
import signal
import time
from contextlib import nullcontext
from multiprocessing import active_children
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest
from typer.testing import CliRunner

from selfknow.cli.app import app
from selfknow.cli.demo_models import SETUPS, Diarists, Gap, build_setups, compare, gap_between, summary
from selfknow.cli.demo_page import write_page
from selfknow.cli.demo_real_model import ask_diary_model
from selfknow.cli.demo_steps import DoneSteps
from selfknow.cli.demo_trainings import Trainings, end_with_parent
from selfknow.errors import UserError
from tests.conftest import REPOSITORY, Run
from tests.warm_python import WarmPython


def scores(num_right: int, number: int = 128) -> dict[str, dict[str, float]]:
    found = {}
    for question in range(number):
        value = float(question < num_right)
        found[f"question-{question}"] = dict.fromkeys(("exact_match", "right_count", "right_content"), value)
    return found


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
    build_setups(tmp_path)
    asked = {}
    for setup in ("simplified", "standard"):
        for split in ("train", "validation", "test"):
            query = f"select diarist, prompt, completion from '{tmp_path}/{setup}/{split}-*.parquet'"
            asked[setup, split] = set(duckdb.sql(f"{query} where kind = 'question'").fetchall())
    for split, number in (("train", 512), ("validation", 64), ("test", 128)):
        assert asked["simplified", split] == asked["standard", split]
        assert len(asked["standard", split]) == number
    assert not asked["standard", "train"] & (asked["standard", "validation"] | asked["standard", "test"])
    assert not asked["standard", "validation"] & asked["standard", "test"]
    for setup, documents in (("simplified", 1.0), ("standard", 2.0)):
        query = f"select count(*) / count(distinct diarist) from '{tmp_path}/{setup}/train-*.parquet'"
        [(each,)] = duckdb.sql(f"{query} where kind = 'document'").fetchall()
        assert each == pytest.approx(documents, abs=0.05)


FEW = Diarists(trained=24, validated=4, held_out=8)


def waits(mark: str) -> None:
    """What a child does that must not outlive its parent."""
    end_with_parent()
    Path(mark).write_text(str(os.getpid()))
    time.sleep(600)


def test_a_training_ends_with_the_demo_that_was_killed(tmp_path: Path, python: WarmPython) -> None:
    mark = tmp_path / "child"
    code = f"import sys\nsys.path.append({str(REPOSITORY)!r})\nfrom multiprocessing import get_context\n"
    code += "from tests.cli.test_demo import waits\n"
    code += f"child = get_context('fork').Process(target=waits, args=({str(mark)!r},))\nchild.start()\nchild.join()"
    process = python.start("-c", code)
    while not (mark.exists() and mark.read_text()):
        assert process.poll() is None
        time.sleep(0.01)
    child = int(mark.read_text())
    os.kill(child, 0)
    process.kill()
    deadline = time.monotonic() + 60
    while Path(f"/proc/{child}/status").exists() and "zombie" not in Path(f"/proc/{child}/status").read_text():
        assert time.monotonic() < deadline, "it outlives the demo"
        time.sleep(0.01)


def test_two_steps_show_no_gap_and_leave_every_generation_and_a_model_that_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Trainings(tmp_path, 2, FEW) as trainings:
        assert trainings.num_running == 2
        scores = trainings.wait()
        assert trainings.num_running == 0
    gap = compare(tmp_path, scores)
    assert not gap.shows
    captured = capsys.readouterr()
    assert "no gap beyond chance" in captured.err
    assert "gap between the setups: 0.000, 95% interval 0.000 to 0.000" in captured.out
    heading, _, *rows = (line.split("  ") for line in captured.out.splitlines()[1:5])
    assert [word.strip() for word in heading if word] == [
        *("setup", "epochs", "tokens", "documents recalled", "training questions recalled")
    ]
    for setup, (shown, epochs, tokens, *recall) in zip(SETUPS, ([w for w in row if w] for row in rows), strict=True):
        splits = duckdb.sql(f"select count(*) from '{tmp_path}/diaries/{setup}/train-*.parquet'").fetchall()
        assert (shown, float(epochs)) == (setup, pytest.approx(64 / splits[0][0], abs=0.051))
        assert int(tokens.replace(",", "")) > 64 * 10
        assert [float(share) for share in recall] == [0, 0]
    assert "simplified and standard: not everything is learnt by heart" in captured.out
    for setup in ("simplified", "standard"):
        [(number,)] = duckdb.sql(f"select count(*) from '{tmp_path}/{setup}/test/generations/*.parquet'").fetchall()
        assert number == FEW.held_out
    run = ask_diary_model(tmp_path / "simplified" / "model", tmp_path / "diaries" / "simplified", None, tmp_path, 4)
    prompts = duckdb.sql(f"select prompt from '{run}/generations/*.parquet'").fetchall()
    text = (tmp_path / "texts" / "diaries.txt").read_text()
    assert [prompt in text and len(prompt.split()) for (prompt,) in prompts] == [8] * 4
    changed_at = (tmp_path / "simplified" / "run.json").stat().st_mtime_ns
    with Trainings(tmp_path, 2, FEW) as trainings:
        assert trainings.num_running == 0
        assert trainings.wait() == scores
    assert (tmp_path / "simplified" / "run.json").stat().st_mtime_ns == changed_at


def test_what_ends_the_demo_early_ends_its_trainings_and_ctrl_c_is_left_to_it(tmp_path: Path) -> None:
    handler = signal.getsignal(signal.SIGINT)  # a worker of the tests has another one than Python's own
    with pytest.raises(KeyboardInterrupt), Trainings(tmp_path, 100_000, FEW) as trainings:
        assert trainings.num_running == 2
        children = [child for child in active_children() if child.name.startswith("SpawnProcess")]
        statuses = [Path(f"/proc/{child.pid}/status").read_text() for child in children]
        began = time.monotonic()
        raise KeyboardInterrupt
    ignored = [int(re.findall(r"SigIgn:\s*(\w+)", status)[0], 16) for status in statuses]
    assert [mask >> (signal.SIGINT - 1) & 1 for mask in ignored] == [1, 1]
    assert not any(child.is_alive() for child in children)
    assert time.monotonic() - began < 60
    assert signal.getsignal(signal.SIGINT) is handler


def test_a_training_that_was_killed_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="a training was killed; the same command resumes it"):  # noqa: SIM117
        with Trainings(tmp_path, 100_000, FEW) as trainings:
            active_children()[0].kill()
            trainings.wait()


def test_without_the_report_extra_the_demo_says_how_to_get_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("selfknow.report.write.find_spec", lambda _: None)
    write_page([], tmp_path / "report.html", DoneSteps(tmp_path))
    assert capsys.readouterr().out == "a report needs the extra [report]: pip install 'selfknow[report]'\n"


def test_the_demo_ends_with_exit_code_1_where_no_gap_shows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    steps = ("_build", "_check", "_load", "show_portrait", "ask_diary_model", "print_continuations", "write_page")
    for step in steps:
        monkeypatch.setattr(f"selfknow.cli.demo.{step}", lambda *_: True)
    monkeypatch.setattr("selfknow.cli.demo.Trainings", lambda *_: nullcontext(SimpleNamespace(wait=dict)))
    for gap, exit_code in ((Gap(0, 0, 0), 1), (Gap(0.5, 0.4, 0.6), 0)):
        monkeypatch.setattr("selfknow.cli.demo.compare", lambda *_, gap=gap: gap)
        assert CliRunner().invoke(app, ["demo", "--no-model", "--out", str(tmp_path)]).exit_code == exit_code


def test_the_quick_demo_trains_nothing_asks_no_model_and_does_nothing_twice(
    selfknow_process: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "demo"
    first = selfknow_process("demo", "--quick", "--out", folder)
    assert first.returncode == 0
    assert first.stdout.startswith("downloads nothing\n")
    assert "What it does not say" in first.stdout
    assert not (folder / "models").exists()
    assert not (folder / "runs").exists()
    done = (folder / "steps.json").read_bytes()
    changed_at = {path: path.stat().st_mtime_ns for path in folder.rglob("*.*") if path.is_file()}
    again = selfknow_process("demo", "--quick", "--out", folder)
    assert (again.returncode, again.stdout) == (0, first.stdout)
    assert (folder / "steps.json").read_bytes() == done
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.*") if path.is_file()} == changed_at
