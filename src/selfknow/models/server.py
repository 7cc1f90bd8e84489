"""An HTTP client that sends a server only the credentials for its address.

Other clients also take saved tokens, ``.netrc`` and proxies from the environment. This one takes only the trusted
certificates, and a proxy for ``https`` addresses, as a proxy cannot read a token in an encrypted tunnel. It follows a
redirect to another server without the token.
"""

import json
from typing import TYPE_CHECKING, Any

from selfknow.models.address import Address

if TYPE_CHECKING:
    import httpx2

_LONGEST_MESSAGE_IN_BYTES = 1 << 20
LARGEST_ANSWER_IN_BYTES = 64 << 20
"""The default limit of an answer, far above any reply of a model."""


class RefusedError(Exception):
    """A server's refusal, with the server's own message.

    Args:
        response: The response, with its status and headers.
        content: The response's body.
    """

    def __init__(self, response: "httpx2.Response", content: bytes) -> None:
        super().__init__(_message(content) or response.reason_phrase)
        self.response = response


def open_client(timeout_seconds: float) -> "httpx2.AsyncClient":
    """Return a client without credentials; :func:`post` adds the address's credentials to each request."""
    import httpx2

    # None overrides a proxy for http that the environment names.
    no_proxy: dict[str, httpx2.AsyncBaseTransport | None] = {"http://": None}
    return httpx2.AsyncClient(timeout=timeout_seconds, follow_redirects=True, mounts=no_proxy)


async def post(
    client: "httpx2.AsyncClient", address: Address, url: str, body: object, most_bytes: int = LARGEST_ANSWER_IN_BYTES
) -> bytes:
    """Send a JSON body with the address's credentials and return the answer's bytes.

    Args:
        client: The client, from :func:`open_client`.
        address: The address with the credentials.
        url: The URL of the call at that address.
        body: The request's body, a value that JSON can hold.
        most_bytes: The size of the largest answer to read.

    Raises:
        RefusedError: The server refuses the request.
        ValueError: The answer is larger than ``most_bytes``.
    """
    headers = {"Authorization": address.authorization} if address.authorization else {}
    query = tuple(address.query) or None
    async with client.stream("POST", url, json=body, headers=headers, params=query) as response:
        content = await read(response, most_bytes)
        if response.is_success:
            return content
        raise RefusedError(response, content)


async def read(response: "httpx2.Response", most_bytes: int = LARGEST_ANSWER_IN_BYTES) -> bytes:
    """Return an answer's bytes.

    Raises:
        ValueError: The answer has more than ``most_bytes`` bytes.
    """
    content = bytearray()
    async for chunk in response.aiter_bytes():
        content += chunk
        if len(content) > most_bytes:
            raise ValueError(f"the answer has more than {most_bytes:,} bytes")
    return bytes(content)


def _message(content: bytes) -> str:
    """Return the message of a refusal: ``error.message`` (as OpenAI sends it), ``error``, or the whole text."""
    text = content[:_LONGEST_MESSAGE_IN_BYTES].decode(errors="replace")
    try:
        answer: Any = json.loads(content)
    except (ValueError, RecursionError):
        return text
    error = answer.get("error", answer) if isinstance(answer, dict) else answer
    return str(error.get("message", error)) if isinstance(error, dict) else str(error)
