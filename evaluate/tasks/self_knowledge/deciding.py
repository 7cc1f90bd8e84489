"""Deciding mathematics in a process of its own, which is killed if it takes too long."""

import json
import selectors
import subprocess
import sys
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

from selfknow.errors import UserError
from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.tasks.self_knowledge import arithmetic, inequalities

_KINDS: Mapping[str, Callable[..., Outcome[bool] | Outcome[str]]] = {
    "inequality": inequalities.decide,
    "arithmetic": arithmetic.decide,
    "solution": arithmetic.solve,
}
_SECONDS = 20.0
_SECONDS_TO_START = 300.0  # a busy machine imports SymPy slowly
_MEMORY_IN_BYTES = 4 * 1024**3


class Decider:
    """A process that decides mathematics, as a context manager.

    The process starts with the first question. It starts again after a question that took too long.

    Raises:
        UserError: The process does not start; raised by the first question.

    Example:
        >>> with Decider() as decider:
        ...     decider.arithmetic("What is 6 * 7?", "42").value
        True
    """

    def __init__(self, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[str] | None = None

    def inequality(self, text: str) -> Outcome[bool]:
        """Return true if the inequality in a text holds."""
        return self._ask(["inequality", text])

    def arithmetic(self, question: str, answer: str) -> Outcome[bool]:
        """Return true if an answer to a mathematics question is correct."""
        return self._ask(["arithmetic", question, answer])

    def solution(self, question: str) -> Outcome[str]:
        """Return the answer to a mathematics question."""
        return self._ask(["solution", question])

    def _ask(self, question: list[str]) -> Outcome[Any]:
        if self._process is None:
            command = [sys.executable, "-m", "selfknow.evaluate.tasks.self_knowledge.deciding"]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            if not self._answer(self._process, _SECONDS_TO_START):  # the process answers once it has imported SymPy
                raise UserError("the process that decides mathematics does not start: see that SymPy can be imported")
        assert self._process.stdin is not None, "its stdin is a pipe"
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        line = self._answer(self._process, self._seconds)
        return Outcome(*json.loads(line)) if line else Outcome(None, "took too long to decide")

    def _answer(self, process: "subprocess.Popen[str]", seconds: float) -> str:
        assert process.stdout is not None, "its stdout is a pipe"
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            line = process.stdout.readline() if selector.select(seconds) else ""
        if not line:
            self.close()
        return line

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _serve() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_IN_BYTES, _MEMORY_IN_BYTES))
    print("ready", flush=True)  # noqa: T201
    for line in sys.stdin:
        kind, *arguments = json.loads(line)
        try:
            outcome = _KINDS[kind](*arguments)
        except Exception as error:
            outcome = Outcome(None, f"SymPy cannot decide it: {type(error).__name__}")
        print(json.dumps([outcome.value, outcome.reason]), flush=True)  # noqa: T201


if __name__ == "__main__":
    _serve()
