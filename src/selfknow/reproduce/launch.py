"""Starting a cell's commands in processes of their own, so that nothing that befalls one reaches the others."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_KEPT_BYTES = 20_000
_BYTES_PER_READ = 65_536
_REQUESTS_FAILED = 1
_SECONDS_TO_END = 10


@dataclass(frozen=True)
class Ending:
    """How a command ended.

    Attributes:
        error: Why it failed, in one line; null where all went well.
        log: What it printed last.
    """

    error: str | None = None
    log: str = ""


Launch = Callable[[Sequence[str]], Ending]
"""Runs ``selfknow WORDS`` to its end."""


def in_a_process(words: Sequence[str], launcher: Sequence[str] = ()) -> Ending:
    """Run ``selfknow WORDS`` in a process; what it prints on stderr goes to ours, as it comes.

    Args:
        words: The command.
        launcher: What runs Python modules here, such as ``torchrun --nproc-per-node 4 -m``; else this Python.
    """
    program = [*launcher, "selfknow"] if launcher else [sys.executable, "-m", "selfknow"]
    try:
        process = subprocess.Popen(
            [*program, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        return Ending(f"{program[0]} cannot be started: {error.strerror}")
    assert process.stderr is not None
    kept = b""
    try:
        while chunk := os.read(process.stderr.fileno(), _BYTES_PER_READ):
            sys.stderr.buffer.write(chunk)
            sys.stderr.flush()
            kept = (kept + chunk)[-_KEPT_BYTES:]
        code = process.wait()
    except BaseException:
        process.terminate()  # Ctrl-C has reached it already, and it may be writing
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_SECONDS_TO_END)
        process.kill()
        process.wait()
        raise
    finally:
        process.stderr.close()
    log = kept.decode(errors="replace")
    return Ending(_error(code, log) if code else None, log)


def _error(code: int, log: str) -> str:
    """Why a process failed: its own one line, the last line of a traceback, or the signal that ended it."""
    if code < 0:
        name = signal.Signals(-code).name
        hint = " (too little memory?)" if name == "SIGKILL" else ""
        return f"ended by {name}{hint}"
    lines = [line.strip() for line in re.split(r"[\r\n]+", log) if line.strip()]
    own = [line.removeprefix("selfknow: ") for line in lines if line.startswith("selfknow: ")]
    if own:
        return own[-1]
    if code == _REQUESTS_FAILED and not any(line.startswith("Traceback") for line in lines):
        return "some requests failed: run the same command again to ask them again"
    return lines[-1] if lines else f"exit code {code}"
