"""Models behind a server: OpenAI-compatible chat endpoints and TGI, through ``huggingface_hub``'s async client.

At most so many requests are under way at once and so many are started a minute. A failed try is a reply of its own.
What may pass (429, 5xx, a lost connection, a time-out) is tried again after a back-off that doubles, or after as long
as the server asks for; what will not pass for any request (401, 403, 404) ends the run with one clear line.
"""

import asyncio
import itertools
import queue
import random
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from selfknow.errors import UserError
from selfknow.evaluate.models import Decoding, Reply, Request

if TYPE_CHECKING:
    from huggingface_hub import AsyncInferenceClient

_HOPELESS = {401: "the token is missing or wrong", 403: "the token may not use it", 404: "there is no such model"}
_PASSING = {408, 409, 425, 429}
_LONGEST_BACK_OFF_SECONDS = 60.0
_SECONDS_A_MINUTE = 60.0


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
class _Failure:
    """Why one try failed, and what to make of it."""

    reason: str
    passing: bool = False
    wait_seconds: float | None = None
    hopeless: bool = False


class EndpointModel:
    """A model behind a server."""

    def __init__(self, endpoint: Endpoint) -> None:
        if endpoint.url is None and endpoint.model is None:
            raise UserError("name the endpoint's address, its model, or both")
        self.endpoint = endpoint
        self.name = " ".join(part for part in (endpoint.url, endpoint.model) if part)
        self.revision: str | None = None

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        """Answer requests as their replies come in; every failed try is a reply of its own.

        Raises:
            UserError: The server refuses every request of this kind, or a request is of a kind it cannot answer.
        """
        for request in requests:
            if request.forced is not None or (request.started_answer and not self.endpoint.text):
                what = "give log-probabilities" if request.forced is not None else "take a started answer"
                raise UserError(f"{self.name} cannot {what}: leave out --probes and --stop, or use a local checkpoint")
        if requests:
            yield from _from_thread(lambda emit: self._ask_all(requests, decoding, emit))

    async def _ask_all(self, requests: Sequence[Request], decoding: Decoding, emit: "_Emit") -> None:
        from huggingface_hub import AsyncInferenceClient

        where = self.endpoint.url or self.endpoint.model
        pending = iter(requests)
        pace = _Pace(self.endpoint.requests_per_minute)
        async with AsyncInferenceClient(
            model=where, token=self.endpoint.token, timeout=self.endpoint.timeout_seconds
        ) as client:

            async def work() -> None:
                for request in pending:  # the workers share one iterator
                    await self._ask(client, request, decoding, pace, emit)

            async with asyncio.TaskGroup() as workers:
                for _ in range(max(1, self.endpoint.concurrency)):
                    workers.create_task(work())

    async def _ask(
        self, client: "AsyncInferenceClient", request: Request, decoding: Decoding, pace: "_Pace", emit: "_Emit"
    ) -> None:
        messages = None
        if not self.endpoint.text:
            messages = ({"role": "user", "content": request.prompt.removesuffix("\n")},)
        for number in itertools.count(1):
            await pace.wait()
            try:
                async with asyncio.timeout(self.endpoint.timeout_seconds):
                    reply = await (
                        self._ask_text(client, request, decoding)
                        if messages is None
                        else self._ask_chat(client, request, messages, decoding)
                    )
                emit((request, reply))
                return
            except Exception as error:
                failure = _explain(error)
            emit((request, Reply(None, messages=messages, error=failure.reason)))
            if failure.hopeless:
                raise UserError(f"{self.name} answers no request: {failure.reason}")
            if not failure.passing or number >= self.endpoint.tries:
                return
            back_off = min(self.endpoint.first_back_off_seconds * 2 ** (number - 1), _LONGEST_BACK_OFF_SECONDS)
            jitter = random.uniform(0.5, 1.0)  # noqa: S311
            await asyncio.sleep(back_off * jitter if failure.wait_seconds is None else failure.wait_seconds)

    async def _ask_chat(
        self,
        client: "AsyncInferenceClient",
        request: Request,
        messages: tuple[dict[str, str], ...],
        decoding: Decoding,
    ) -> Reply:
        sampling: dict[str, Any] = {} if decoding.temperature is None else {"temperature": decoding.temperature}
        if decoding.temperature:
            sampling["top_p"] = decoding.top_p
        output = await client.chat_completion(
            list(messages),
            model=self.endpoint.model if self.endpoint.url else None,
            max_tokens=decoding.max_new_tokens,
            seed=_seed(request, decoding),
            stop=list(decoding.stop) or None,
            **sampling,
        )
        choice, usage = output.choices[0], output.usage
        return Reply(
            generation=choice.message.content or "",
            finish_reason=choice.finish_reason,
            messages=messages,
            prompt_tokens=usage.prompt_tokens if usage else None,
            completion_tokens=usage.completion_tokens if usage else None,
        )

    async def _ask_text(self, client: "AsyncInferenceClient", request: Request, decoding: Decoding) -> Reply:
        sampling: dict[str, Any] = {}
        if decoding.temperature:
            sampling = {"do_sample": True, "temperature": decoding.temperature}
            sampling |= {"top_p": decoding.top_p} if decoding.top_p < 1 else {}
        output = await client.text_generation(
            request.prompt + request.started_answer,
            details=True,
            max_new_tokens=decoding.max_new_tokens,
            seed=_seed(request, decoding),
            stop=list(decoding.stop) or None,
            return_full_text=False,
            **sampling,
        )
        details = output.details
        logprobs = [token.logprob for token in details.tokens] if details else []
        text = output.generated_text
        for stop in decoding.stop:
            text = text.removesuffix(stop)  # TGI leaves the stop text in place
        return Reply(
            generation=text,
            finish_reason="length" if details and details.finish_reason == "length" else "stop",
            prompt_tokens=len(details.prefill) or None if details else None,
            completion_tokens=details.generated_tokens if details else None,
            logprob=sum(logprobs) if logprobs else None,
        )


def _seed(request: Request, decoding: Decoding) -> int:
    return request.seed(decoding.seed) % 2**31  # servers differ in the seeds they take


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
    first_line = str(error).strip().split("\n")[0] or type(error).__name__
    if isinstance(error, TimeoutError):
        return _Failure("no answer in time", passing=True)
    if response is None:
        # A connection that broke, or an answer that is no JSON: neither says anything about the request.
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


_Item = tuple[Request, Reply]
_Emit = Callable[[_Item], None]


def _from_thread(run: Callable[[_Emit], Coroutine[Any, Any, None]]) -> Iterator[_Item]:
    """Run a coroutine in a thread and yield what it emits; works inside a running event loop, as in a notebook."""
    items: queue.SimpleQueue[_Item | None] = queue.SimpleQueue()
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
        with suppress(RuntimeError):  # the loop has come to its end already
            loop.call_soon_threadsafe(task.cancel)
        thread.join()
    for failure in failures:
        raise _first_cause(failure)


def _first_cause(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
