"""Faults between a client and the Hub, on demand: `POST /_faults` takes a list of these.

{"method": "POST", "path": "/commit/", "action": "status", "status": 500, "times": 2}
"""

import re
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

Action = Literal[
    "status",  # read the request, answer with `status`
    "cut_request",  # hang up after `after_bytes` of the request's body
    "cut_response",  # hang up after `after_bytes` of the answer's body
    "corrupt",  # flip the middle byte of the answer
    "lose_answer",  # do what was asked, then hang up without a word
    "rival_commit",  # let somebody else commit to the repo first
    "hold",  # never answer, so that the client can be killed meanwhile
]


@dataclass
class Fault:
    """A fault that meets the next `times` requests whose method is `method` and whose path matches `path`."""

    method: str
    path: str
    action: Action
    times: int = 1
    status: int = 500
    after_bytes: int = 0


class Faults:
    """The faults that are still to come, and the requests that came."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pending: list[Fault] = []
        self.requests: list[str] = []

    def plan(self, faults: Iterable[dict[str, Any]]) -> None:
        """Replace the planned faults and start a new list of requests."""
        with self._lock:
            self._pending = [Fault(**fault) for fault in faults]
            self.requests = []

    def next_for(self, method: str, path: str) -> Fault | None:
        """Note the request; the fault that meets it, if one does."""
        with self._lock:
            self.requests.append(f"{method} {path}")
            for fault in self._pending:
                if fault.times > 0 and fault.method == method and re.search(fault.path, path):
                    fault.times -= 1
                    return fault
        return None
