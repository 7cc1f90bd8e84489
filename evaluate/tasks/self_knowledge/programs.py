"""The output of programs that a model wrote, run in CPython; null with a reason if it is not reproducible.

A program is run twice (:mod:`.sandbox`). The second run (:mod:`.second_run`) changes everything that the output should
not depend on: the clock, random bytes, the order of sets, and whatever differs between 32-bit and 64-bit machines or
between versions of Python. A program that imports something, or uses ``keys`` or ``items``, is run a third time with
another hash seed. The output is null if a later run prints something else, or if the program fails, traps or reaches a
limit. The sandbox is a 32-bit machine, so a program whose output depends on that is null, too.
"""

import re
from functools import cache, cached_property
from importlib.resources import files

from selfknow.downloads import DownloadError
from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.tasks.self_knowledge.sandbox import LIMITS, Limits, ProgramResult, Sandbox, World
from selfknow.evaluate.tasks.self_knowledge.second_run import MARK

NOT_RUN = "programs cannot be run: "
"""The beginning of the reason that every program gets if CPython could not be downloaded."""

# The clocks differ in year, weekday, time of day and speed, so that output that depends on them changes.
_FIRST = World(hash_seed=0, start_in_seconds=1_700_000_000.0, tick_in_seconds=1e-6)
_SECOND = World(hash_seed=0, start_in_seconds=1_080_961_331.7, tick_in_seconds=12.3)
_THIRD = World(hash_seed=1, start_in_seconds=1_555_555_555.5, tick_in_seconds=0.1)
# The second run cannot reverse the order of sets made by libraries or by dict views, so a third run is needed.
_OTHER_SETS = re.compile(r"\b(?:import|keys|items)\b")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_LONGEST_IN_CHARACTERS = 100_000
_NOT_REPRODUCIBLE = "prints something else each time, on another machine or in another version of Python"


class Programs:
    r"""A runner of programs; CPython starts with the first program.

    Args:
        limits: The limits of each program.

    Raises:
        MissingExtraError: The extra ``[programs]`` is not installed; the first run raises it.

    Example:
        >>> programs = Programs()
        >>> programs.run("print(6 * 7)").value, programs.run("print({'b', 'a'})").value  # doctest: +SKIP
        ('42\n', None)
    """

    def __init__(self, limits: Limits = LIMITS) -> None:
        self._limits = limits

    @cached_property
    def _sandbox(self) -> Sandbox | DownloadError:
        try:
            return Sandbox(self._limits)
        except DownloadError as error:
            return error

    @property
    def missing(self) -> str | None:
        """The reason that no program can run, in one line; null if programs can run."""
        return f"{NOT_RUN}{self._sandbox}" if isinstance(self._sandbox, DownloadError) else None

    def run(self, source: str) -> Outcome[str]:
        """Return a program's output on stdout without input, or null with the reason.

        Args:
            source: The program.
        """
        if isinstance(self._sandbox, DownloadError):
            return Outcome(None, self.missing)
        if reason := _refusal(source):
            return Outcome(None, reason)
        first = self._sandbox.run(["-c", source], _FIRST)
        if first.output is None:
            return Outcome(None, first.reason)
        second = self._sandbox.run(["-c", _second_run(), source], _SECOND)
        if reason := _doubt(first, second):
            return Outcome(None, reason)
        if _OTHER_SETS.search(source) and self._sandbox.run(["-c", source], _THIRD).output != first.output:
            return Outcome(None, _NOT_REPRODUCIBLE)
        return Outcome(first.output)


@cache
def _second_run() -> str:
    return files(__package__).joinpath("second_run.py").read_text(encoding="utf-8")


def _refusal(source: str) -> str | None:
    """Return the reason that a program cannot be passed to CPython; None if it can."""
    if len(source) > _LONGEST_IN_CHARACTERS:
        return f"longer than {_LONGEST_IN_CHARACTERS:,} characters"
    if "\0" in source or source != source.encode(errors="ignore").decode():
        return "the program ended with: SyntaxError"
    return None


def _doubt(first: ProgramResult, second: ProgramResult) -> str | None:
    """Return the reason that the output may differ in another run or on another machine; None if there is none."""
    last_line = second.messages.rpartition("\n")[2]
    if last_line.startswith(MARK):
        return last_line.removeprefix(MARK)
    if _ADDRESS.search(first.output or ""):
        return "prints an address, another one each time"
    if second.output is None and not (second.reason or "").startswith("the program ended"):
        return second.reason
    return None if first.output == second.output else _NOT_REPRODUCIBLE
