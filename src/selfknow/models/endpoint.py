"""Models behind a server: OpenAI-compatible chat endpoints, TGI, and Hugging Face's inference providers."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from selfknow.errors import UserError, argument
from selfknow.models.address import Address
from selfknow.models.any_reply import writable_reply
from selfknow.models.chat_response import reply_from_chat_response, reply_from_tgi_response
from selfknow.models.endpoint_calls import Calls, Endpoint, server_seed
from selfknow.models.images.showing import request_parts
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.models.server import open_client, post

if TYPE_CHECKING:
    import httpx2

# The address of Hugging Face's inference providers, which the Hub's client uses, too.
HUB_ROUTER = "https://router.huggingface.co/v1"
# Some servers require the field although they serve only one model.
_ANY_MODEL = "dummy"


class EndpointModel:
    """A model behind a server.

    Args:
        endpoint: The server's address and limits. Without an address, requests go to Hugging Face's inference
            providers, with the user's Hub token unless the endpoint has a token.

    Raises:
        UserError: Neither an address nor a model is named, or the address is not valid.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        if endpoint.url is None and (endpoint.model is None or endpoint.text):
            raise UserError("name the endpoint's address")
        self.endpoint = endpoint
        self.address = _hub_address(endpoint) if endpoint.url is None else Address.read(endpoint.url, endpoint.token)
        self.name = " ".join(part for part in (endpoint.url and self.address.url, endpoint.model) if part)
        self.revision: str | None = None

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        """Send requests and yield replies as they come in; every failed try is also a reply.

        Raises:
            UserError: The server refuses every request, or it cannot answer a request of this kind.
        """
        for request in requests:
            if request.forced is not None or (request.started_answer and not self.endpoint.text):
                feature = "give log-probabilities" if request.forced is not None else "take a started answer"
                raise UserError(
                    f"{self.name} cannot {feature}: leave out "
                    f"{argument('probes')} and {argument('stop')}, or use a local checkpoint"
                )
            if request.image is not None and self.endpoint.text:
                raise UserError(
                    f"{self.name} takes plain text and cannot see pictures: leave out {argument('text', True)}"
                )
        calls = Calls(
            self.endpoint,
            self.address,
            self.name,
            lambda: open_client(self.endpoint.timeout_seconds),
            lambda client, request: self._ask(client, request, decoding),
            self._failed_reply,
        )
        yield from calls.answers(requests)

    def _messages(self, request: Request) -> tuple[dict[str, str], ...] | None:
        """Return the chat messages to record, with a picture's name in place of its bytes; null for plain text."""
        return None if self.endpoint.text else request.messages

    def _prompt(self, request: Request) -> str | None:
        """Return the text that was sent; null if messages were sent."""
        return request.completion_text + request.started_answer if self.endpoint.text else None

    async def _ask(self, client: "httpx2.AsyncClient", request: Request, decoding: Decoding) -> Reply:
        reply = await self._reply(client, request, decoding)
        return _without_secrets(self.address, writable_reply(request, reply))

    def _failed_reply(self, request: Request, reason: str) -> Reply:
        reply = Reply(None, rendered_prompt=self._prompt(request), messages=self._messages(request), error=reason)
        return _without_secrets(self.address, writable_reply(request, reply))

    async def _reply(self, client: "httpx2.AsyncClient", request: Request, decoding: Decoding) -> Reply:
        prompt = self._prompt(request)
        if prompt is not None:
            body = tgi_body(prompt, request, decoding)
            answer = json.loads(await post(client, self.address, self.address.url, body))
            reply = reply_from_tgi_response(answer, request.stops(decoding, chat=False))
            return replace(reply, rendered_prompt=prompt)
        body = chat_body(request, decoding, self.endpoint.model)
        answer = json.loads(await post(client, self.address, chat_url(self.address.url), body))
        return replace(reply_from_chat_response(answer), messages=self._messages(request))


def chat_url(url: str) -> str:
    """Return the address at which a server takes chat completions.

    Example:
        >>> chat_url("http://127.0.0.1:8000"), chat_url("https://host/api/v1/")
        ('http://127.0.0.1:8000/v1/chat/completions', 'https://host/api/v1/chat/completions')
    """
    url = url.rstrip("/")
    if url.endswith("/chat/completions"):
        return url
    return f"{url.removesuffix('/v1')}/v1/chat/completions"


def chat_body(request: Request, decoding: Decoding, model: str | None) -> dict[str, object]:
    """Return the JSON body of a request for OpenAI's chat completions; settings that are null are left out."""
    messages: list[object] = list(request.messages)
    if request.image:
        messages = [{"role": "user", "content": request_parts(request)}]
    body: dict[str, object] = {
        "model": model or _ANY_MODEL,
        "messages": messages,
        "max_tokens": request.limit(decoding),
        "seed": server_seed(request, decoding.seed),
    }
    if decoding.stop:
        body["stop"] = list(decoding.stop)
    if decoding.temperature is not None:
        body["temperature"] = decoding.temperature
    if decoding.temperature:
        body["top_p"] = decoding.top_p
    return body


def tgi_body(prompt: str, request: Request, decoding: Decoding) -> dict[str, object]:
    """Return the JSON body of a request for TGI."""
    parameters: dict[str, object] = {
        "details": True,
        "max_new_tokens": request.limit(decoding),
        "return_full_text": False,
        "seed": server_seed(request, decoding.seed),
    }
    if stops := request.stops(decoding, chat=False):
        parameters["stop"] = list(stops)
    if decoding.temperature:
        parameters |= {"do_sample": True, "temperature": decoding.temperature}
        if decoding.top_p < 1:
            parameters["top_p"] = decoding.top_p
    return {"inputs": prompt, "parameters": parameters, "stream": False}


def _hub_address(endpoint: Endpoint) -> Address:
    from huggingface_hub import constants, get_token

    if constants.HF_HUB_OFFLINE:
        raise UserError(f"{endpoint.model} needs the Hub, but HF_HUB_OFFLINE is set: name the endpoint's address")
    return Address.read(HUB_ROUTER, endpoint.token or get_token())


def _without_secrets(address: Address, reply: Reply) -> Reply:
    """Remove credentials that the server repeated from a reply."""
    if not address.secrets:
        return reply
    return replace(
        reply,
        generation=reply.generation and address.without_long_secrets(reply.generation),
        finish_reason=reply.finish_reason and address.without_long_secrets(reply.finish_reason),
        error=reply.error and address.without_secrets(reply.error),
    )
