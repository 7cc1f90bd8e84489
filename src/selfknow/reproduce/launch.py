"""Processes that run cells' commands, so that nothing that befalls one reaches the others.

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
from typing import Self

_KEPT_BYTES = 20_000
_BYTES_PER_READ = 65_536
_REQUESTS_FAILED = 1
_SECONDS_TO_END = 10
_SHARED = ("evaluate", "score")
_INTERRUPTED = b"130"  # a worker ends after a command that was
_LINE_ENDS = re.compile(rb"[\r\n]+")


@dataclass(frozen=True)
class Ending:
    """The end of a command.

    Attributes:
        error: Why it failed, in one line; null where all went well.
        log: What it printed last.
    """

    error: str | None = None
    log: str = ""


Launch = Callable[[Sequence[str]], Ending]
"""Runs ``selfknow WORDS`` to its end."""


class Worker:
    """Runs one command at a time in other processes; use it in a ``with`` block, which ends them.

    Args:
        launcher: What starts trainings here, such as ``torchrun --nproc-per-node 4 -m``; else this Python.
        num_threads: How many threads each process computes on, unless ``OMP_NUM_THREADS`` says it; null: all.

    Attributes:
        say: Takes each line that a command prints on stderr.
    """

    def __init__(self, launcher: Sequence[str] = (), num_threads: int | None = None) -> None:
        self.say: Callable[[str], None] = _print
        self._launcher = launcher
        self._threads = {} if num_threads is None else {"OMP_NUM_THREADS": str(num_threads)}
        self._process: subprocess.Popen[bytes] | None = None
        self._is_stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def __call__(self, words: Sequence[str]) -> Ending:
        """Run ``selfknow WORDS`` to its end."""
        if self._is_stopped:
            return Ending("stopped")
        is_shared = words[0] in _SHARED
        if not is_shared:
            self.end()
        if self._process is None:
            try:
                self._process = self._start(words)
            except OSError as error:
                return Ending(f"{self._launcher[0]} cannot be started: {error.strerror}")
        process = self._process
        if process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):  # it has ended: what it printed is read below
                process.stdin.write(json.dumps(list(words)).encode() + b"\n")
                process.stdin.flush()
        code, last_bytes = self._read(process)
        ending = _ending(int(code) if code else process.wait(), last_bytes, words[0])
        if self._is_stopped or not is_shared or code.strip() in (b"", _INTERRUPTED):
            self.end()
        return ending

    def stop(self) -> None:
        """Interrupt what runs, from another thread: it keeps what it has."""
        self._is_stopped = True
        if (process := self._process) is not None:
            process.send_signal(signal.SIGINT)

    def end(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        if not self._is_stopped:  # else it is writing what it has
            process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_SECONDS_TO_END)
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    def _start(self, words: Sequence[str]) -> "subprocess.Popen[bytes]":
        # In a session of its own: Ctrl-C of a terminal reaches it once, through `stop`.
        environment = {**self._threads, **os.environ}
        program, pipe = [sys.executable, "-m", "selfknow.cli.worker"], subprocess.PIPE
        if self._launcher and words[0] == "train":
            program, pipe = [*self._launcher, "selfknow", *words], subprocess.DEVNULL
        return subprocess.Popen(
            program, stdin=pipe, stdout=pipe, stderr=subprocess.PIPE, env=environment, start_new_session=True
        )

    def _read(self, process: "subprocess.Popen[bytes]") -> tuple[bytes, bytes]:
        """Return a worker's exit code, or nothing where the process itself has ended; and what came last on stderr."""
        assert process.stderr is not None
        code, last_bytes, line = b"", b"", b""
        with selectors.DefaultSelector() as selector:
            for pipe in (process.stdout, process.stderr):
                if pipe is not None:
                    selector.register(pipe, selectors.EVENT_READ)
            # A code comes after all that is on stderr; what is there at the end is taken, too.
            while selector.get_map() and (ready := selector.select(0 if code.endswith(b"\n") else None)):
                for key, _ in ready:
                    chunk = os.read(key.fd, _BYTES_PER_READ)
                    if not chunk:
                        selector.unregister(key.fileobj)
                    elif key.fileobj is process.stdout:
                        code += chunk
                    else:
                        last_bytes = (last_bytes + chunk)[-_KEPT_BYTES:]
                        *lines, line = _LINE_ENDS.split(line + chunk)
                        self._say(lines)
        self._say([line])
        return code, last_bytes

    def _say(self, lines: Sequence[bytes]) -> None:
        for line in lines:
            if line.strip():
                self.say(line.decode(errors="replace").rstrip())


def _print(line: str) -> None:
    print(line, file=sys.stderr)  # noqa: T201


def _ending(code: int, last_bytes: bytes, command: str) -> Ending:
    log = last_bytes.decode(errors="replace")
    return Ending(_error(code, log, command) if code else None, log)


def _error(code: int, log: str, command: str) -> str:
    """Return why a process failed: its own one line, a traceback's last line, or the signal that ended it."""
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
