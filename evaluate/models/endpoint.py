"""Models behind a server: OpenAI-compatible chat endpoints and TGI, through ``huggingface_hub``'s async client."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from selfknow.errors import UserError
from selfknow.evaluate.models.endpoint_calls import Calls, Endpoint, server_seed
from selfknow.evaluate.models.images.showing import parts_of
from selfknow.evaluate.models.interface import Decoding, Reply, Request

if TYPE_CHECKING:
    from huggingface_hub import AsyncInferenceClient


class EndpointModel:
    """A model behind a server."""

    def __init__(self, endpoint: Endpoint) -> None:
        if endpoint.url is None and endpoint.model is None:
            raise UserError("name the endpoint's address, its model, or both")
        if endpoint.url is not None and not endpoint.url.startswith(("http://", "https://")):
            raise UserError(
                f"{endpoint.url!r} is not the address of an endpoint: write one such as http://127.0.0.1:8000"
            )
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
            if request.image is not None and self.endpoint.text:
                raise UserError(f"{self.name} takes plain text and cannot see pictures: leave out --text")
        calls = Calls(
            self.endpoint,
            self.name,
            self._open_client,
            lambda client, request: self._ask(client, request, decoding),
            lambda request, reason: Reply(
                None, rendered_prompt=self._prompt(request), messages=self._messages(request), error=reason
            ),
        )
        yield from calls.answers(requests)

    def _open_client(self) -> "AsyncInferenceClient":
        from huggingface_hub import AsyncInferenceClient

        where = self.endpoint.url or self.endpoint.model
        return AsyncInferenceClient(model=where, token=self.endpoint.token, timeout=self.endpoint.timeout_seconds)

    def _messages(self, request: Request) -> tuple[dict[str, str], ...] | None:
        """The chat messages as they are recorded: of a picture its name alone."""
        if self.endpoint.text:
            return None
        return request.messages

    def _prompt(self, request: Request) -> str | None:
        """Return the text that was sent; null where messages were."""
        return request.completion_text + request.started_answer if self.endpoint.text else None

    async def _ask(self, client: "AsyncInferenceClient", request: Request, decoding: Decoding) -> Reply:
        messages = self._messages(request)
        if messages is None:
            return await self._ask_text(client, request, decoding)
        return await self._ask_chat(client, request, messages, decoding)

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
            [{"role": "user", "content": parts_of(request)}] if request.image else list(messages),
            model=self.endpoint.model if self.endpoint.url else None,
            max_tokens=decoding.max_new_tokens,
            seed=server_seed(request, decoding.seed),
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
            self._prompt(request) or "",
            details=True,
            max_new_tokens=decoding.max_new_tokens,
            seed=server_seed(request, decoding.seed),
            stop=list(request.stops(decoding, chat=False)) or None,
            return_full_text=False,
            **sampling,
        )
        details = output.details
        logprobs = [token.logprob for token in details.tokens] if details else []
        text = output.generated_text
        for stop in request.stops(decoding, chat=False):
            text = text.removesuffix(stop)  # TGI leaves the stop text in place
        return Reply(
            generation=text,
            finish_reason="length" if details and details.finish_reason == "length" else "stop",
            rendered_prompt=self._prompt(request),
            prompt_tokens=len(details.prefill) or None if details else None,
            completion_tokens=details.generated_tokens if details else None,
            logprob=sum(logprobs) if logprobs else None,
        )
