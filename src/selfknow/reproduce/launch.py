"""Running a cell's commands in other processes, so that nothing that befalls one reaches the others.

A training has a process of its own. Evaluations, one after the other, share one, which keeps the model that it opened;
where one brings that process down, the next begins another.
"""

import contextlib
import json
import os
import re
import selectors
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

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
            kept = _pass_on(chunk, kept)
        code = process.wait()
    except BaseException:
        _end(process)
        raise
    finally:
        process.stderr.close()
    return _ending(code, kept, words[0])


class Worker:
    """Runs commands in one process, begun with the first of them; use it in a ``with`` block, which ends it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            _end(self._process)

    def __call__(self, words: Sequence[str]) -> Ending:
        """Run ``selfknow WORDS``; what it prints on stderr goes to ours, as it comes."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "selfknow.cli.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        process = self._process
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it has ended: what it said is read below
            process.stdin.write(json.dumps(list(words)).encode() + b"\n")
            process.stdin.flush()
        said, kept = _read(process)
        if not said:
            self._process, code = None, process.wait()
            _end(process)  # its pipes are still open here
            return _ending(code, kept, words[0])
        return _ending(int(said), kept, words[0])


def _read(process: "subprocess.Popen[bytes]") -> tuple[bytes, bytes]:
    """The exit code that a worker says, or nothing where the worker itself has ended; and what came on stderr."""
    assert process.stdout is not None
    assert process.stderr is not None
    said, kept = b"", b""
    with selectors.DefaultSelector() as selector:
        for pipe in (process.stdout, process.stderr):
            selector.register(pipe, selectors.EVENT_READ)
        # A code is said after all that is on stderr; what is there at the end is taken, too.
        while selector.get_map() and (ready := selector.select(0 if said.endswith(b"\n") else None)):
            for key, _ in ready:
                chunk = os.read(key.fd, _BYTES_PER_READ)
                if not chunk:
                    selector.unregister(key.fileobj)
                elif key.fileobj is process.stdout:
                    said += chunk
                else:
                    kept = _pass_on(chunk, kept)
    return said, kept


def _pass_on(chunk: bytes, kept: bytes) -> bytes:
    """Print what came on stderr, and keep the last of it."""
    sys.stderr.buffer.write(chunk)
    sys.stderr.flush()
    return (kept + chunk)[-_KEPT_BYTES:]


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()  # Ctrl-C has reached it already, and it may be writing
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=_SECONDS_TO_END)
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def _ending(code: int, kept: bytes, command: str) -> Ending:
    log = kept.decode(errors="replace")
    return Ending(_error(code, log, command) if code else None, log)


def _error(code: int, log: str, command: str) -> str:
    """Why a process failed: its own one line, the last line of a traceback, or the signal that ended it."""
    if code < 0:
        name = signal.Signals(-code).name
        hint = " (too little memory?)" if name == "SIGKILL" else ""
        return f"ended by {name}{hint}"
    lines = [line.strip() for line in re.split(r"[\r\n]+", log) if line.strip()]
    own = [line.removeprefix("selfknow: ") for line in lines if line.startswith("selfknow: ")]
    if own:
        return own[-1]
    is_crash = any(line.startswith("Traceback") for line in lines)
    if command == "evaluate" and code == _REQUESTS_FAILED and not is_crash:
        return "some requests failed: run the same command again to ask them again"
    return lines[-1] if lines else f"exit code {code}"
