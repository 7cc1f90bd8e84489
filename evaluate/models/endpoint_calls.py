"""Calls of a server, whatever it serves: how many at once, how fast, and which failures are tried again.

At most so many requests are under way at once and so many are started a minute. A failed try is an answer of its own.
What may pass (429, 5xx, a lost connection, a time-out) is tried again after a back-off that doubles, or after as long
as the server asks for; what will not pass for any request (401, 403, 404) ends the run with one clear line.
"""

import asyncio
import itertools
import queue
import random
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from selfknow.errors import UserError
from selfknow.evaluate.models.interface import Request

_HOPELESS = {401: "the token is missing or wrong", 403: "the token may not use it", 404: "there is no such model"}
_PASSING = {408, 409, 425, 429}
_LONGEST_BACK_OFF_SECONDS = 60.0
_SECONDS_A_MINUTE = 60.0

Client = TypeVar("Client")
Answer = TypeVar("Answer")
Item = TypeVar("Item")


@dataclass(frozen=True)
class Endpoint:
    """Where a served model is, and how it is treated.

    Attributes:
        url: Address of the server (``http://host:8000``), or null for Hugging Face's inference providers.
        model: The model that the server should use; a TGI server has only one.
        text: Send plain prompts to a TGI server, instead of chat messages.
        token: For the server, if it wants one.
        concurrency: Requests under way at once.
        requests_per_minute: Requests started a minute; null is no limit.
        timeout_seconds: For one try.
        tries: Of one request, before it is left as failed.
        first_back_off_seconds: Before the second try; doubled for every further one.
    """

    url: str | None
    model: str | None = None
    text: bool = False
    token: str | None = field(default=None, repr=False)
    concurrency: int = 8
    requests_per_minute: float | None = None
    timeout_seconds: float = 120.0
    tries: int = 5
    first_back_off_seconds: float = 1.0


@dataclass(frozen=True)
class Calls(Generic[Client, Answer]):
    """What is called, and how.

    Attributes:
        endpoint: How the server is treated.
        name: What the user called it.
        open_client: Opens the connection that all calls share.
        ask: One try of one request.
        failed: The answer that stands for a failed try, from its request and the reason.
    """

    endpoint: Endpoint
    name: str
    open_client: Callable[[], AbstractAsyncContextManager[Client]]
    ask: Callable[[Client, Request], Awaitable[Answer]]
    failed: Callable[[Request, str], Answer]

    def answers(self, requests: Sequence[Request]) -> Iterator[tuple[Request, Answer]]:
        """Answers as they come in; of a request all failed tries stand before the one that did not fail.

        Raises:
            UserError: The server refuses every request of this kind.
        """

        def run(emit: Callable[[tuple[Request, Answer]], None]) -> Coroutine[Any, Any, None]:
            return self._ask_all(requests, emit)

        if requests:
            yield from _from_thread(run)

    async def _ask_all(self, requests: Sequence[Request], emit: Callable[[tuple[Request, Answer]], None]) -> None:
        pending = iter(requests)
        pace = _Pace(self.endpoint.requests_per_minute)
        async with self.open_client() as client:

            async def work() -> None:
                for request in pending:  # the workers share one iterator
                    await self._ask(client, request, pace, emit)

            async with asyncio.TaskGroup() as workers:
                for _ in range(max(1, self.endpoint.concurrency)):
                    workers.create_task(work())

    async def _ask(
        self, client: Client, request: Request, pace: "_Pace", emit: Callable[[tuple[Request, Answer]], None]
    ) -> None:
        for number in itertools.count(1):
            await pace.wait()
            try:
                async with asyncio.timeout(self.endpoint.timeout_seconds):
                    answer = await self.ask(client, request)
                emit((request, answer))
                return
            except Exception as error:
                failure = _explain(error)
            emit((request, self.failed(request, failure.reason)))
            if failure.hopeless:
                raise UserError(f"{self.name} answered no request: {failure.reason}")
            if not failure.passing or number >= self.endpoint.tries:
                return
            back_off = min(self.endpoint.first_back_off_seconds * 2 ** (number - 1), _LONGEST_BACK_OFF_SECONDS)
            jitter = random.uniform(0.5, 1.0)  # noqa: S311
            await asyncio.sleep(back_off * jitter if failure.wait_seconds is None else failure.wait_seconds)


def server_seed(request: Request, seed: int) -> int:
    """A request's own seed, as small as every server takes it."""
    return request.seed(seed) % 2**31


@dataclass(frozen=True)
class _Failure:
    """Why one try failed, and what to make of it."""

    reason: str
    passing: bool = False
    wait_seconds: float | None = None
    hopeless: bool = False


class _Pace:
    """Spaces the starts of requests evenly."""

    def __init__(self, requests_per_minute: float | None) -> None:
        self._interval = _SECONDS_A_MINUTE / requests_per_minute if requests_per_minute else 0.0
        self._next = 0.0

    async def wait(self) -> None:
        """Wait for this request's turn."""
        now = asyncio.get_running_loop().time()
        start = max(now, self._next)
        self._next = start + self._interval
        if start > now:
            await asyncio.sleep(start - now)


def _explain(error: Exception) -> _Failure:
    """What a failed try says about the next one."""
    response = getattr(error, "response", None)
    first_line, *others = str(error).strip().splitlines() or [type(error).__name__]
    if first_line.endswith(":") and others:  # "Bad request:", and below it what the server says
        first_line = f"{first_line} {others[0].strip()}"
    if isinstance(error, TimeoutError):
        return _Failure("no answer in time", passing=True)
    if response is None:
        # A connection that broke, or an answer that is not JSON: neither says anything about the request.
        return _Failure(f"{type(error).__name__}: {first_line}", passing=True)
    status = int(response.status_code)
    reason = f"HTTP {status}: {first_line}"
    if status in _HOPELESS:
        return _Failure(f"{reason} ({_HOPELESS[status]})", hopeless=True)
    passing = status in _PASSING or status >= 500
    return _Failure(reason, passing=passing, wait_seconds=_retry_after(response.headers.get("Retry-After")))


def _retry_after(value: str | None) -> float | None:
    try:
        return max(0.0, float(value)) if value else None
    except ValueError:  # a date: our own back-off does as well
        return None


def _from_thread(run: Callable[[Callable[[Item], None]], Coroutine[Any, Any, None]]) -> Iterator[Item]:
    """Run a coroutine in a thread and yield what it emits; works inside a running event loop, as in a notebook."""
    items: queue.SimpleQueue[Item | None] = queue.SimpleQueue()
    loop = asyncio.new_event_loop()
    task = loop.create_task(run(items.put))
    failures: list[BaseException] = []

    def drive() -> None:
        try:
            loop.run_until_complete(task)
        except BaseException as error:
            failures.append(error)
        finally:
            loop.close()
            items.put(None)

    thread = threading.Thread(target=drive, name="endpoint", daemon=True)
    thread.start()
    try:
        while (item := items.get()) is not None:
            yield item
    finally:
        with suppress(RuntimeError):  # the loop is closed: everything was answered
            loop.call_soon_threadsafe(task.cancel)
        thread.join()
    for failure in failures:
        raise _first_cause(failure)


def _first_cause(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
