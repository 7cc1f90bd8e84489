"""Processes that run cells' commands, so that a crash of one does not reach the others.

Each training has a process of its own. Evaluations run one after the other in a shared process, which keeps the model
open. If an evaluation kills that process, the next evaluation starts a new one.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from typing import Self

END = "\0exit "
"""The start of the line on stderr with which a shared process gives a command's exit code."""

_LAST_LINES = 200
_REQUESTS_FAILED = 1
_INTERRUPTED = 130  # a shared process ends itself after a command with this exit code
_SECONDS_TO_END = 10
_SHARED = ("evaluate", "score")

Launch = Callable[[Sequence[str]], str | None]
"""A function that runs ``selfknow WORDS`` to its end, and returns its error in one line, or null."""


class Worker:
    """A runner of one command at a time in other processes; leaving its ``with`` block ends them.

    Args:
        launcher: The program that starts trainings, such as ``torchrun --nproc-per-node 4 -m``; empty for this Python.
        num_threads: The number of threads of each process, unless ``OMP_NUM_THREADS`` is set; null for all cores.

    Attributes:
        say: Takes each line that a command prints on stderr.
    """

    def __init__(self, launcher: Sequence[str] = (), num_threads: int | None = None) -> None:
        self.say: Callable[[str], object] = lambda line: sys.stderr.write(f"{line}\n")
        self._launcher = launcher
        self._threads = {} if num_threads is None else {"OMP_NUM_THREADS": str(num_threads)}
        self._process: subprocess.Popen[str] | None = None
        self._is_stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def __call__(self, words: Sequence[str]) -> str | None:
        """Run ``selfknow WORDS`` to its end, and return its error in one line, or null."""
        if self._is_stopped:
            return "stopped"
        is_shared = words[0] in _SHARED
        if not is_shared:
            self.end()
        if self._process is None:
            try:
                self._process = self._start(words)
            except OSError as error:
                return f"{self._launcher[0]} cannot be started: {error.strerror}"
        process = self._process
        if process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):  # it has ended: its last lines are read below
                process.stdin.write(json.dumps(list(words)) + "\n")
                process.stdin.flush()
        code, lines = self._read(process)
        has_ended = code in (None, _INTERRUPTED)
        code = process.wait() if code is None else code
        if self._is_stopped or not is_shared or has_ended:
            self.end()
        return _error(code, lines, words[0]) if code else None

    def stop(self) -> None:
        """Interrupt the running command from another thread; it saves its results."""
        self._is_stopped = True
        if (process := self._process) is not None:
            process.send_signal(signal.SIGINT)

    def end(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        if not self._is_stopped:  # a stopped process is still saving its results
            process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_SECONDS_TO_END)
        process.kill()
        process.wait()
        for pipe in filter(None, (process.stdin, process.stderr)):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()

    def _start(self, words: Sequence[str]) -> "subprocess.Popen[str]":
        program, stdin = [sys.executable, "-m", "selfknow.cli.worker"], subprocess.PIPE
        if self._launcher and words[0] == "train":
            program, stdin = [*self._launcher, "selfknow", *words], subprocess.DEVNULL
        return subprocess.Popen(
            program,
            stdin=stdin,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            env={**self._threads, **os.environ},
            start_new_session=True,  # a terminal's Ctrl-C reaches it only once, through `stop`
        )

    def _read(self, process: "subprocess.Popen[str]") -> tuple[int | None, Sequence[str]]:
        """Return the exit code of a command, null if its process has ended, and the last lines that it printed."""
        assert process.stderr is not None
        last_lines: deque[str] = deque(maxlen=_LAST_LINES)
        for line in process.stderr:  # a carriage return ends a line, too
            if line.startswith(END):
                return int(line.removeprefix(END)), last_lines
            if line.strip():
                last_lines.append(line.strip())
                self.say(line.rstrip())
        return None, last_lines


def _error(code: int, lines: Sequence[str], command: str) -> str:
    """Return why a process failed: its own one line, a traceback's last line, or the signal that ended it."""
    if code < 0:
        name = signal.Signals(-code).name
        return f"ended by {name}" + (" (too little memory?)" if name == "SIGKILL" else "")
    if errors := [line.removeprefix("selfknow: ") for line in lines if line.startswith("selfknow: ")]:
        return errors[-1]
    is_crash = any(line.startswith("Traceback") for line in lines)
    if command == "evaluate" and code == _REQUESTS_FAILED and not is_crash:
        return "some requests failed: run the same command again to ask them again"
    return lines[-1] if lines else f"exit code {code}"
