"""The count of the outcomes of damaged input: read, refused in one line, or a defect; resumable."""

import os
import signal
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from benchmarks.ledger import read, save
from benchmarks.mutations.target import Target, fresh_copy
from benchmarks.tables import print_table
from selfknow.errors import UserError

LONGEST_MESSAGE = 100_000  # the command line shortens it
CPU_SECONDS_EACH, WALL_SECONDS_EACH = 60, 900
_SAVED_EVERY = 200
_DEFECTS_KEPT = 40


@dataclass
class Tally:
    """The outcomes of a target's damaged inputs.

    Attributes:
        num_inputs: The number of inputs so far, and so the number of the next input, from 0.
        counts: The number of inputs by ``KIND: OUTCOME``.
        defects: For each error and its place in our code, the number of inputs and the number of the first.
    """

    num_inputs: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    defects: dict[str, list[int]] = field(default_factory=dict)


class TooSlowError(Exception):
    """An input took longer than the limit."""


def outcome(target: Target, seed: int, number: int, folder: Path) -> tuple[str, str, str | None]:
    """Damage and use an input.

    Args:
        target: The kind of input.
        seed: The seed of the count.
        number: The number of the input; seed and number determine its damage.
        folder: A folder for the damaged copy of ``FOLDER.sound``.

    Returns:
        The kind of damage, the outcome, and for a defect its error and place.
    """
    fresh_copy(folder.with_name(f"{folder.name}.sound"), folder)
    chance = Random(f"{seed}:{target.name}:{number}")
    kind = target.damage(folder, chance)
    try:
        return kind, target.use(folder, chance), None
    except UserError as error:
        message = " ".join(str(error).split())
        if not message or len(message) > LONGEST_MESSAGE:
            return kind, "defect", f"a message of {len(message):,} characters: {message[:60]}… {_place(error)}"
        return kind, "refused", None
    except Exception as error:  # any other exception is a defect
        return kind, "defect", f"{type(error).__name__}: {str(error)[:100]} {_place(error)}"


def _place(error: BaseException) -> str:
    """Return the last line of our own code in the error's traceback."""
    ours = [frame for frame in traceback.extract_tb(error.__traceback__) if "site-packages" not in frame.filename]
    return f"({Path(ours[-1].filename).name}:{ours[-1].lineno})" if ours else ""


def count(target: Target, seed: int, until: int, folder: Path, ledger: Path, tell: Callable[[str], object]) -> Tally:
    """Count the outcomes of inputs until there are ``until`` of them, including those in the ledger.

    An input that kills the process, such as by a read beyond a mapped file, counts as a defect.
    """
    tally = read(ledger, Tally)
    working = ledger.with_suffix(".working")
    folder.parent.mkdir(parents=True, exist_ok=True)
    target.make(folder.with_name(f"{folder.name}.sound"))
    deadly_input = int(working.read_text()) if working.exists() and working.read_text() else None
    fresh_copy(folder.with_name(f"{folder.name}.sound"), folder)
    target.use_sound(folder)
    signal.signal(signal.SIGPROF, _too_slow)
    signal.signal(signal.SIGALRM, _too_slow)
    descriptor = os.open(working, os.O_WRONLY | os.O_CREAT)
    try:
        while tally.num_inputs < until:
            number = tally.num_inputs
            os.pwrite(descriptor, b"%-12d" % number, 0)
            if number == deadly_input:
                kind, result, defect = "process", "defect", f"the process died of input {number}"
            else:
                _limit(CPU_SECONDS_EACH, WALL_SECONDS_EACH)
                kind, result, defect = outcome(target, seed, number, folder)
                _limit(0, 0)
            tally.counts[f"{kind}: {result}"] += 1
            if defect is not None:
                tell(f"{target.name} {number} ({kind}): {defect}")
                entry = tally.defects.setdefault(defect, [0, number])
                entry[0] += 1
            tally.num_inputs += 1
            if tally.num_inputs % _SAVED_EVERY == 0 or tally.num_inputs == until or defect is not None:
                _save(ledger, tally)
    except KeyboardInterrupt:  # the user stopped the process; its input is no defect
        _save(ledger, tally)
        working.unlink()
        raise
    finally:
        os.close(descriptor)
    working.unlink()
    return tally


def _limit(cpu_seconds: int, wall_seconds: int) -> None:
    """Set the limits of the next input; 0 for no limit. On a busy machine, wall time alone would be a wrong limit."""
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
    signal.alarm(wall_seconds)


def _too_slow(*_: object) -> None:
    raise TooSlowError(f"longer than {CPU_SECONDS_EACH} CPU seconds, or {WALL_SECONDS_EACH} s")


def _save(ledger: Path, tally: Tally) -> None:
    most_frequent = dict(sorted(tally.defects.items(), key=lambda defect: -defect[1][0])[:_DEFECTS_KEPT])
    save(ledger, replace(tally, defects=most_frequent))


def print_tallies(tallies: dict[str, Tally]) -> None:
    """Print for each target the numbers of damaged inputs that were refused, read, or a defect."""

    def row(name: str, tally: Tally) -> list[str]:
        by_outcome = Counter[str]()
        for key, number in tally.counts.items():
            by_outcome[key.rpartition(": ")[2]] += number
        refused, defects = by_outcome["refused"], by_outcome["defect"]
        return [
            name,
            *(f"{number:,}" for number in (tally.num_inputs, refused, by_outcome.total() - refused - defects, defects)),
        ]

    columns = ["input", "damaged", "refused in one line", "read, and right", "defects"]
    print_table(columns, (row(name, tally) for name, tally in tallies.items()))
