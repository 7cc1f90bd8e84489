"""Progress bars: drawn on a terminal, and a line every half minute in a log."""

import io
import re
import sys
from collections.abc import Callable, Iterator

import pytest

from selfknow.bars import Bar
from tests.conftest import REPOSITORY

ROOMS = ("builders", "evaluate", "portraits", "src", "train", "validation")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    """A clock that moves when a test says so."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    clock = Clock()
    monkeypatch.setattr("selfknow.bars.time.monotonic", clock)
    monkeypatch.setattr("tqdm.std.time", clock)
    yield clock


def shown_on(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, work: Callable[[], None]) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    work()
    return stream.getvalue()


def updates(clock: Clock, steps: int, seconds_a_step: float) -> None:
    """Update step by step, each with its loss, as a training does."""
    with Bar(total=steps, desc="train", unit="step") as bar:
        for step in range(steps):
            clock.seconds += seconds_a_step
            bar.update()
            bar.set_postfix(loss=step)


def test_a_log_has_a_line_every_half_minute_and_a_last_one(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    log = shown_on(io.StringIO(), monkeypatch, lambda: updates(clock, 1_000, 0.1))
    assert "\r" not in log
    steps = [int(number) for number in re.findall(r"^train: .* (\d+)/1000 \[.*loss=\d+\]$", log, flags=re.MULTILINE)]
    assert log.count("\n") == len(steps) == 4
    assert steps[3] == 1_000
    assert steps[:3] == [pytest.approx(expected, abs=2) for expected in (300, 600, 900)]


def test_slow_steps_have_a_line_each(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    log = shown_on(io.StringIO(), monkeypatch, lambda: updates(clock, 3, 70))
    assert re.findall(r"(\d)/3", log)[:3] == ["1", "2", "3"]


def test_what_ends_within_half_a_minute_writes_nothing_into_a_log(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def iterate() -> None:
        for _ in Bar(range(29), desc="iterate"):
            clock.seconds += 1

    assert shown_on(io.StringIO(), monkeypatch, lambda: updates(clock, 29, 1)) == ""
    assert shown_on(io.StringIO(), monkeypatch, iterate) == ""
    assert shown_on(io.StringIO(), monkeypatch, lambda: updates(clock, 31, 1)).count("\n") == 2


def test_other_lines_of_a_log_stay_whole(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail_once() -> None:
        with Bar(total=2) as bar:
            Bar.write("a cell failed", file=sys.stderr)
            bar.update()

    assert shown_on(io.StringIO(), monkeypatch, fail_once) == "a cell failed\n"


def test_a_terminal_has_one_bar_that_is_drawn_at_once_and_again(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = shown_on(Terminal(), monkeypatch, lambda: updates(clock, 10, 0.2))
    assert drawn.count("\r") > 10
    assert "10/10" in drawn
    assert drawn.count("\n") == 1


def test_a_bar_that_is_off_shows_nothing_anywhere(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    def work() -> None:
        with Bar(total=2, disable=True) as bar:
            clock.seconds += 100
            bar.update()

    assert shown_on(io.StringIO(), monkeypatch, work) == shown_on(Terminal(), monkeypatch, work) == ""


def test_a_process_can_hide_all_its_bars(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bar, "hidden", True)
    assert shown_on(Terminal(), monkeypatch, lambda: updates(clock, 100, 1)) == ""


def test_nothing_else_draws_a_bar() -> None:
    files = [path for room in ROOMS for path in (REPOSITORY / room).rglob("*.py")]
    importing = [path for path in files if re.search(r"^\s*(from|import) tqdm", path.read_text("utf-8"), re.MULTILINE)]
    assert importing == [REPOSITORY / "src/selfknow/bars.py"]
