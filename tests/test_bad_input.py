"""Damaged input is refused in one line or read rightly, and a kill costs nothing: a small part of the benchmarks."""

import importlib
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY
from tests.warm_python import WarmPython

NAMES = ("portraits", "RedisBloom dumps", "JSON lines", "plans", "run folders", "dataset folders")


@pytest.fixture(scope="module")
def counting() -> Iterator[Any]:
    """Import the counting benchmark, which is in the repository and not in the package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path, str(REPOSITORY)])
        yield importlib.import_module("benchmarks.mutations.counting")


@pytest.fixture(scope="module")
def targets(counting: Any) -> dict[str, Any]:
    shares = importlib.import_module("benchmarks.mutations.__main__").SHARES
    return {target.name: target for target, _ in shares}


@pytest.mark.parametrize("name", NAMES)
def test_damaged_input_is_refused_or_read_rightly(
    name: str, counting: Any, targets: dict[str, Any], tmp_path: Path
) -> None:
    lines: list[str] = []
    tally = counting.count(targets[name], 7, 40, tmp_path / "input", tmp_path / "ledger.json", lines.append)
    assert lines == []
    outcomes = {key.rpartition(": ")[2] for key in tally.counts}
    assert "refused" in outcomes
    assert len(outcomes) > 1, "some damage does no harm, so that not everything is refused"
    assert sum(tally.counts.values()) == 40


def test_a_count_goes_on_where_it_stopped_and_counts_the_input_that_killed_it(
    counting: Any, targets: dict[str, Any], tmp_path: Path
) -> None:
    count, portraits = counting.count, targets["portraits"]
    ledger, lines = tmp_path / "ledger.json", list[str]()
    first = count(portraits, 7, 5, tmp_path / "a", ledger, lines.append)
    ledger.with_suffix(".working").write_text("5")  # as a process leaves it that dies of input 5
    second = count(portraits, 7, 8, tmp_path / "b", ledger, lines.append)
    assert (first.num_inputs, second.num_inputs) == (5, 8)
    assert [line for line in lines if "the process died of input 5" in line] == lines
    assert len(lines) == 1
    assert json.loads(ledger.read_text())["counts"]["process: defect"] == 1


def test_a_traceback_and_a_wrong_number_are_defects(counting: Any, targets: dict[str, Any], tmp_path: Path) -> None:
    wrong_number = importlib.import_module("benchmarks.mutations.target").WrongNumberError

    def stumble(folder: Path, chance: object) -> str:
        if (folder / "portrait" / "portrait.json").read_bytes() != sound:
            raise KeyError("size_in_bits")
        if (folder / "portrait" / "bits.rbloom").read_bytes() != bits:
            raise wrong_number("other bits")
        return "same"

    targets["portraits"].make(tmp_path / "made")
    sound = (tmp_path / "made" / "portrait" / "portrait.json").read_bytes()
    bits = (tmp_path / "made" / "portrait" / "bits.rbloom").read_bytes()
    lines: list[str] = []
    tally = counting.count(
        replace(targets["portraits"], use=stumble), 7, 30, tmp_path / "x", tmp_path / "l.json", lines.append
    )
    assert any("KeyError: 'size_in_bits'" in line for line in lines)
    assert any("WrongNumberError: other bits" in line for line in lines)
    assert sum(number for key, number in tally.counts.items() if key.endswith("defect")) == len(lines)


def test_a_count_that_its_user_stopped_goes_on_without_a_defect(
    counting: Any, targets: dict[str, Any], tmp_path: Path
) -> None:
    used = []

    def stopped_once(folder: Path, chance: object) -> str:
        used.append(folder)
        if len(used) == 5:
            raise KeyboardInterrupt
        return "same"

    target = replace(targets["plans"], use=stopped_once)
    arguments = (target, 7, 10, tmp_path / "x", tmp_path / "l.json", pytest.fail)
    with pytest.raises(KeyboardInterrupt):
        counting.count(*arguments)
    tally = counting.count(*arguments)
    assert (tally.num_inputs, tally.defects) == (10, {})


@pytest.mark.parametrize("operations", [1, 2, 7, 100, 311])
def test_kills_before_operations_meet_each_of_them_and_soon_every_part_of_the_work(operations: int) -> None:
    spread = importlib.import_module("benchmarks.kills.killing").spread
    met = [spread(number, operations) for number in range(operations)]
    assert sorted(met) == list(range(1, operations + 1))
    assert len({(operation - 1) * 10 // operations for operation in met[:15]}) == min(10, operations)


@pytest.mark.full
@pytest.mark.parametrize("work", ["evaluate", "data build", "portrait build"])
def test_what_a_kill_leaves_is_gone_on_with(work: str, python: WarmPython, tmp_path: Path) -> None:
    command = ("-m", "benchmarks.kills", "--count", 5, "--only", work, "--ledger", tmp_path)
    process = python.run(*command, cwd=REPOSITORY)
    assert process.returncode == 0, process.stderr
    tally = json.loads((tmp_path / f"{work.replace(' ', '-')}.json").read_text())
    assert tally["kills"] >= 5
    assert tally["faults"] == []
    assert sum(tally["phases"].values()) == tally["kills"]
