"""Calls of a server with limits on concurrency and rate, and with retries.

Every failed try is also an answer. A transient failure (429, 5xx, a lost connection, a time-out) is retried after a
back-off that doubles, or after the time that the server asks for, but at most a minute. A failure of every request
(401, 403, 404) ends the run with one clear line.
"""

import asyncio
import itertools
import math
import os
import queue
import random
import threading
import warnings
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Generic, TypeVar

from selfknow.errors import SelfknowWarning, UserError
from selfknow.models.address import Address
from selfknow.models.interface import Request

_FATAL_STATUSES = {401: "the token is missing or wrong", 403: "the token may not use it", 404: "there is no such model"}
_TRANSIENT_STATUSES = {408, 409, 425, 429}
_LONGEST_REASON_IN_CHARACTERS = 1000
_SECONDS_A_MINUTE = 60.0

Client = TypeVar("Client")
Answer = TypeVar("Answer")
Item = TypeVar("Item")


@dataclass(frozen=True)
class Endpoint:
    """The address of a served model, and the limits of its calls.

    Attributes:
        url: Address of the server (``http://host:8000``), or null for Hugging Face's inference providers. Credentials
            in it (see :mod:`selfknow.models.address`) are sent to the server and never shown.
        model: The model that the server should use; a TGI server has only one.
        text: Send plain prompts to a TGI server, instead of chat messages.
        token: The server's token; null if it needs none.
        concurrency: The largest number of requests at once.
        requests_per_minute: The largest number of requests started in a minute; null is no limit.
        timeout_seconds: The time limit of one try.
        tries: The largest number of tries of one request.
        first_back_off_seconds: The wait before the second try; it doubles before every further try.
        longest_wait_seconds: The longest wait before a further try, even if the server asks for more.
    """

    url: str | None = field(repr=False)
    model: str | None = None
    text: bool = False
    token: str | None = field(default=None, repr=False)
    concurrency: int = 8
    requests_per_minute: float | None = None
    timeout_seconds: float = 120.0
    tries: int = 5
    first_back_off_seconds: float = 1.0
    longest_wait_seconds: float = 60.0


@dataclass(frozen=True)
class Calls(Generic[Client, Answer]):
    """Calls of one server.

    Attributes:
        endpoint: The limits of the calls.
        address: The server's address, with the credentials that no message may show.
        name: The user's name for the server.
        open_client: Function that opens the connection of all calls.
        ask: Function that makes one try of one request.
        failed: Function of a request and a reason that returns the answer of a failed try.
    """

    endpoint: Endpoint
    address: Address
    name: str
    open_client: Callable[[], AbstractAsyncContextManager[Client]]
    ask: Callable[[Client, Request], Awaitable[Answer]]
    failed: Callable[[Request, str], Answer]

    def answers(self, requests: Sequence[Request]) -> Iterator[tuple[Request, Answer]]:
        """Yield answers as they come in; the failed tries of a request come before its successful one.

        Raises:
            UserError: The server refuses every request of this kind.
        """

        def run(emit: Callable[[tuple[Request, Answer]], None]) -> Coroutine[Any, Any, None]:
            return self._ask_all(requests, emit)

        if requests:
            yield from _run_in_thread(run)

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
                failure = explain(error, self.address)
            emit((request, self.failed(request, failure.reason)))
            if failure.is_fatal:
                raise UserError(f"{self.name} answered no request: {failure.reason}")
            if not failure.is_transient or number >= self.endpoint.tries:
                return
            await asyncio.sleep(self._wait_seconds(number, failure.wait_seconds))

    def _wait_seconds(self, number: int, requested: float | None) -> float:
        """Return the seconds to wait after failed try ``number``: those that the server requested, or our back-off."""
        longest = self.endpoint.longest_wait_seconds
        if requested is None:
            exponent = min(number - 1, 60)  # any larger exponent gives the longest wait, too
            back_off = min(math.ldexp(self.endpoint.first_back_off_seconds, exponent), longest)
            return back_off * random.uniform(0.5, 1.0)  # noqa: S311
        if requested > longest:
            line = f"{self.name} asks to wait {requested:,.0f} seconds before the next try; it waits {longest:g}"
            warnings.warn(line, SelfknowWarning, stacklevel=1)
        return min(requested, longest)


def server_seed(request: Request, seed: int) -> int:
    """Return a request's own seed, below 2**31, as every server accepts it."""
    return request.seed(seed) % 2**31


@dataclass(frozen=True)
class Failure:
    """The reason of a failed try, and its consequence for the next one.

    Attributes:
        reason: The reason, in one line.
        is_transient: True if a retry may succeed.
        wait_seconds: The wait before the retry that the server requested; null if it requested none.
        is_fatal: True if every request would fail.
    """

    reason: str
    is_transient: bool = False
    wait_seconds: float | None = None
    is_fatal: bool = False


class _Pace:
    """A rate limit that spaces the starts of requests evenly."""

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


def explain(error: Exception, address: Address) -> Failure:
    """Classify the error of a failed try, and remove the address's credentials from its message."""
    response = getattr(error, "response", None)
    line = " ".join(address.without_secrets(str(error)).split())[:_LONGEST_REASON_IN_CHARACTERS] or type(error).__name__
    if isinstance(error, TimeoutError):
        return Failure("no answer in time", is_transient=True)
    if response is None:
        # A broken connection or a response that is not JSON may have nothing to do with the request.
        return Failure(_with_cause(error, f"{type(error).__name__}: {line}"), is_transient=True)
    status = int(response.status_code)
    reason = f"HTTP {status}: {line}"
    if status in _FATAL_STATUSES:
        return Failure(f"{reason} ({_FATAL_STATUSES[status]})", is_fatal=True)
    is_transient = status in _TRANSIENT_STATUSES or status >= 500
    return Failure(reason, is_transient=is_transient, wait_seconds=retry_after(response.headers.get("Retry-After")))


def _with_cause(error: BaseException, reason: str) -> str:
    """Put the operating system's message, such as "connection refused", before a reason."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno:
            # Name resolution has error numbers below 0, which os.strerror does not know.
            line = os.strerror(cause.errno) if cause.errno > 0 else str(cause.strerror)
            return reason if line.lower() in reason.lower() else f"{line[:1].lower()}{line[1:]} ({reason})"
        group = cause.exceptions if isinstance(cause, BaseExceptionGroup) else ()
        cause = group[0] if group else cause.__cause__ or cause.__context__
    return reason


def retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Return the seconds that a ``Retry-After`` header asks for (RFC 9110, 10.2.3).

    Args:
        value: The header's value: seconds or a date.
        now: The current time; null: this machine's.

    Returns:
        Seconds; null if the header is missing, cannot be read, or lies in the past.

    Example:
        >>> retry_after("2.5"), retry_after("-1"), retry_after("nan"), retry_after("soon")
        (2.5, None, None, None)
    """
    try:
        seconds = float(value or "nan")
    except ValueError:
        try:
            date = parsedate_to_datetime(value or "")
        except ValueError:
            return None
        seconds = (date.replace(tzinfo=date.tzinfo or UTC) - (now or datetime.now(UTC))).total_seconds()
    return None if math.isnan(seconds) or seconds < 0 else seconds


def _run_in_thread(run: Callable[[Callable[[Item], None]], Coroutine[Any, Any, None]]) -> Iterator[Item]:
    """Run a coroutine in a thread and yield the items that it emits; this also works in a notebook's event loop.

    After Ctrl-C it yields the items that were emitted before, and only then raises the ``KeyboardInterrupt``.
    """
    items: deque[Item] = deque()
    signals: queue.SimpleQueue[bool] = queue.SimpleQueue()  # true: there is one more item; false: there are no more
    loop = asyncio.new_event_loop()

    def emit(item: Item) -> None:
        items.append(item)
        signals.put(True)

    task = loop.create_task(run(emit))
    failures: list[BaseException] = []

    def drive() -> None:
        try:
            loop.run_until_complete(task)
        except BaseException as error:
            failures.append(error)
        finally:
            loop.close()
            signals.put(False)

    thread = threading.Thread(target=drive, name="endpoint", daemon=True)

    def stop() -> None:
        with suppress(RuntimeError):  # the loop is closed if everything was answered
            loop.call_soon_threadsafe(task.cancel)
        thread.join()

    thread.start()
    try:
        while signals.get():
            item = items[0]
            del items[0]  # no call, such as popleft: Ctrl-C within it would lose the item
            yield item
    except KeyboardInterrupt:
        stop()
        yield from items
        raise
    finally:
        stop()
    for failure in failures:
        raise _first_cause(failure)


def _first_cause(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
