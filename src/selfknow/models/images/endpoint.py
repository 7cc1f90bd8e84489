"""Image generators behind a server that answers ``POST /v1/images/generations``, as OpenAI's does.

The server returns a picture as base64 or as an address; in the second case we fetch it. Requests have a seed and a
response format; if a server does not know one of these fields, the request is sent again without it.
"""

import base64
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from selfknow.errors import UserError
from selfknow.models.address import Address
from selfknow.models.endpoint_calls import Calls, Endpoint, server_seed
from selfknow.models.images.generators import DrawResult, ImageSettings
from selfknow.models.images.pictures import LARGEST_PICTURE_IN_BYTES
from selfknow.models.interface import Request
from selfknow.models.server import RefusedError, open_client, post, read

if TYPE_CHECKING:
    import httpx2

_UNKNOWN_FIELD_STATUSES = (400, 422)
# base64 takes four bytes for three; the rest is room for the other fields of the JSON.
_LARGEST_ANSWER_IN_BYTES = 2 * LARGEST_PICTURE_IN_BYTES


class EndpointImageGenerator:
    """An image generator behind a server.

    Args:
        endpoint: The server's address and limits.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        if endpoint.url is None:
            raise UserError("name the image endpoint's address, such as http://127.0.0.1:8000")
        self.endpoint = endpoint
        self.address = Address.read(endpoint.url, endpoint.token)
        self.name = " ".join(part for part in (self.address.url, endpoint.model) if part)
        self.revision: str | None = None
        self._url = self.address.url.rstrip("/").removesuffix("/v1") + "/v1/images/generations"
        self._unknown_fields: set[str] = set()

    @staticmethod
    def check(settings: ImageSettings) -> None:
        """Refuse settings for which the protocol has no field.

        Raises:
            UserError: The settings hold steps or guidance.
        """
        if settings.steps is not None or settings.guidance is not None:
            raise UserError("an image endpoint takes no steps or guidance: leave them out")

    def draw(
        self, requests: Sequence[Request], settings: ImageSettings, seed: int
    ) -> Iterator[tuple[Request, DrawResult]]:
        """Yield pictures as they come in; a failed try is also yielded, with its reason.

        Raises:
            UserError: The server refuses every request, or the protocol has no field for a setting.
        """
        self.check(settings)
        calls = Calls(
            self.endpoint,
            self.address,
            self.name,
            open_client=lambda: open_client(self.endpoint.timeout_seconds),
            ask=lambda client, request: self._draw(client, request, settings, seed),
            failed=lambda _, reason: DrawResult(None, reason),
        )
        yield from calls.answers(requests)

    async def _draw(
        self, client: "httpx2.AsyncClient", request: Request, settings: ImageSettings, seed: int
    ) -> DrawResult:
        body: dict[str, object] = {"prompt": request.prompt, "n": 1}
        if self.endpoint.model is not None:
            body["model"] = self.endpoint.model
        if settings.width is not None:
            body["size"] = f"{settings.width}x{settings.height}"
        optional = {"seed": server_seed(request, seed), "response_format": "b64_json"}
        while True:
            options = {name: value for name, value in optional.items() if name not in self._unknown_fields}
            try:
                answer = json.loads(
                    await post(client, self.address, self._url, {**body, **options}, _LARGEST_ANSWER_IN_BYTES)
                )
            except RefusedError as error:
                if error.response.status_code not in _UNKNOWN_FIELD_STATUSES:
                    raise
                unknown = {name for name in options if name in str(error)}
                if not unknown:
                    raise
                self._unknown_fields |= unknown
                continue
            return DrawResult(await self._picture(client, answer))

    async def _picture(self, client: "httpx2.AsyncClient", answer: Any) -> bytes:
        picture = answer["data"][0] if isinstance(answer, dict) and answer.get("data") else {}
        if encoded := picture.get("b64_json"):
            return base64.b64decode(str(encoded).rpartition(",")[2], validate=True)  # some servers send a data: URL
        if address := picture.get("url"):
            return await self._fetch(client, urljoin(self._url, str(address)))
        raise ValueError("the answer holds no picture")

    async def _fetch(self, client: "httpx2.AsyncClient", address: str) -> bytes:
        """Fetch a picture from its URL, without our token; the server may have put its own token into the URL."""
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https"):
            raise ValueError(f"the picture's address begins with {parts.scheme}:")
        async with client.stream("GET", address) as response:
            if not response.is_success:
                public_address = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
                raise ValueError(f"HTTP {response.status_code} instead of the picture at {public_address}")
            return await read(response, _LARGEST_ANSWER_IN_BYTES)
