"""Kills of an activity at moments spread over its whole length, and counts of the faults afterwards; resumable."""

import gc
import os
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from math import gcd
from pathlib import Path
from random import Random

from benchmarks.kills.activity import Activity
from benchmarks.ledger import read, save
from benchmarks.tables import print_table

STRATA = 10
_LONGEST_SECONDS, _SHORTEST_SECONDS = 600.0, 0.02
_PAUSE = 0.0005
_OPERATIONS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate", "socket.connect"}
_GOLDEN_RATIO = 0.618
_FURTHER_KILL = 0.3  # the share of restarts that are killed as well


@dataclass
class Tally:
    """The counts of the kills of an activity.

    Attributes:
        kills: The number of kills.
        trials: The number of pieces of work that were killed, resumed and finished.
        phases: The number of kills in each phase of the work.
        faults: The faults afterwards, each with the number of its trial.
    """

    kills: int = 0
    trials: int = 0
    phases: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def forked(
    call: Callable[[], object],
    seconds: float = _LONGEST_SECONDS,
    file_operation: int = 0,
    counted: Path | None = None,
    stderr: Path | None = None,
) -> int | None:
    """Run a call in a fork, and return its exit code; null if it was killed.

    A fork has imported everything already, so that kills hit the work and not its imports.

    Args:
        call: The call.
        seconds: The seconds after which it is killed.
        file_operation: The number, from 1, of the file operation before which it is killed; 0 for no such kill.
        counted: The file to write the number of file operations to; null to count none.
        stderr: The file for the fork's stderr; null for our stderr.
    """
    process = os.fork()
    if process == 0:
        code = 1
        if stderr is not None:
            os.dup2(os.open(stderr, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        try:
            operations = _Operations(file_operation)
            if file_operation or counted:
                sys.addaudithook(operations)
            call()
            if counted:
                counted.write_text(str(operations.count))
            code = 0
        except BaseException:
            traceback.print_exc()
        sys.stderr.flush()
        os._exit(code)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return None if code == -signal.SIGKILL else code
        time.sleep(min(_PAUSE, max(0.0, end - time.monotonic())))
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return None


class _Operations:
    """An audit hook that counts operations on files and connections, and kills the process before one of them."""

    def __init__(self, last: int) -> None:
        self._last, self.count = last, 0

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if event not in _OPERATIONS or (event == "open" and not _writes(arguments)):
            return
        self.count += 1
        if self.count == self._last:
            os.kill(os.getpid(), signal.SIGKILL)


def _writes(arguments: tuple[object, ...]) -> bool:
    flags = arguments[2]
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))


def count(
    activity: Activity, kills: int, seed: int, folder: Path, ledger: Path, tell: Callable[[str], object]
) -> Tally:
    """Kill an activity until its ledger has this number of kills.

    Args:
        activity: The activity.
        kills: The number of kills, including earlier ones in the ledger.
        seed: The seed of the moments.
        folder: An empty folder.
        ledger: The file of the counts.
        tell: A function that gets a line for each fault.
    """
    tally = read(ledger, Tally)
    sound, place, stderr = folder / "undisturbed", folder / "trial", folder / "stderr"
    gc.freeze()  # otherwise the garbage collector of each fork would walk through all imported modules
    _prepare(activity, sound)
    started = time.monotonic()
    code = forked(lambda: activity.work(sound), counted=folder / "operations", stderr=stderr)
    assert code == 0, f"{activity.name} fails undisturbed: {stderr.read_text()}"
    length, operations = time.monotonic() - started, int((folder / "operations").read_text())
    while tally.kills < kills:
        number = tally.trials
        chance = Random(f"{seed}:{activity.name}:{number}")
        _prepare(activity, place)
        moment = (number % STRATA + chance.random()) / STRATA * length
        operation = 0
        if number % 2:  # every other trial is killed before an operation instead of after a time
            moment, operation = _LONGEST_SECONDS, spread(number // 2, operations)
        while (code := forked(lambda: activity.work(place), moment, operation, stderr=stderr)) is None:
            operation = 0
            tally.kills += 1
            tally.phases[_phase(activity, place)] += 1
            tally.faults += _find_faults(activity, place, sound, number, ended=False, tell=tell)
            moment = chance.random() * length if chance.random() < _FURTHER_KILL else _LONGEST_SECONDS
        if code != 0:
            tally.faults.append(f"trial {number}: the last call failed with exit code {code}")
            tell(f"{activity.name}: {tally.faults[-1]}\n{stderr.read_text()}")
        if moment < _LONGEST_SECONDS and length > _SHORTEST_SECONDS:
            length *= 0.97  # the work ended before its kill, so the machine is faster now
        tally.faults += _find_faults(activity, place, sound, number, ended=True, tell=tell)
        tally.trials += 1
        save(ledger, tally)
    return tally


def spread(number: int, operations: int) -> int:
    """Return an operation, from 1. All operations come once before one repeats; successive ones are far apart."""
    step = max(1, round(operations * _GOLDEN_RATIO))
    while gcd(step, operations) > 1:
        step += 1
    return 1 + number * step % operations


def _prepare(activity: Activity, place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    assert forked(lambda: activity.prepare(place)) == 0


def _phase(activity: Activity, place: Path) -> str:
    return _written(lambda: activity.phase(place), place.with_suffix(".phase"))


def _find_faults(
    activity: Activity, place: Path, sound: Path, number: int, *, ended: bool, tell: Callable[[str], object]
) -> list[str]:
    text = _written(lambda: "\n".join(activity.faults(place, sound, ended)), place.with_suffix(".faults"))
    when = "at the end" if ended else "after a kill"
    faults = [f"trial {number}, {when}: {line}" for line in text.splitlines()]
    for fault in faults:
        tell(f"{activity.name}: {fault}")
    return faults


def _written(call: Callable[[], str], path: Path) -> str:
    """Return the text of a call in a fork, because threads in this process would make its later forks hang."""
    path.unlink(missing_ok=True)
    code = forked(lambda: path.write_text(call()))
    return path.read_text() if code == 0 else f"looking at it failed with exit code {code}"


def print_tables(tallies: dict[str, Tally]) -> None:
    """Print a row per activity, and a row with its phases."""
    print_table(
        ["work", "kills", "pieces of work", "lost, doubled, half-made or different"],
        ([f"`{name}`", tally.kills, tally.trials, len(tally.faults)] for name, tally in tallies.items()),
    )
    print()
    phases = {
        name: sorted(tally.phases.items(), key=lambda phase: (-phase[1], phase[0])) for name, tally in tallies.items()
    }
    print_table(
        ["work", "kills by the phase of the work"],
        ([f"`{name}`", ", ".join(f"{phase} {number}" for phase, number in pairs)] for name, pairs in phases.items()),
        left=(0, 1),
    )
