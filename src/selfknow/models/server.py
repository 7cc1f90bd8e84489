"""An HTTP client that sends a server the credentials for its address, and no others.

Other clients also read saved tokens, ``.netrc`` and proxies from the environment. This one reads only the trusted
certificates, and a proxy for ``https`` addresses, as a proxy cannot read a token in an encrypted tunnel. A redirect to
another server is followed without the token.
"""

import json
from typing import TYPE_CHECKING, Any

from selfknow.models.address import Address

if TYPE_CHECKING:
    import httpx2

_LONGEST_MESSAGE_IN_BYTES = 1 << 20
LARGEST_ANSWER_IN_BYTES = 64 << 20
"""A limit far above any reply of a model."""


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
    """Return a client without credentials; :func:`post` adds those of the address to each request."""
    import httpx2

    direct: dict[str, httpx2.AsyncBaseTransport | None] = {"http://": None}  # overrides a proxy of the environment
    return httpx2.AsyncClient(timeout=timeout_seconds, follow_redirects=True, mounts=direct)


async def post(
    client: "httpx2.AsyncClient", address: Address, url: str, body: object, most_bytes: int = LARGEST_ANSWER_IN_BYTES
) -> bytes:
    """Send a JSON body with the address's credentials and return the answer's bytes.

    Args:
        client: The client, from :func:`open_client`.
        address: The address with the credentials.
        url: The call's URL at that address.
        body: The request's body, as JSON.
        most_bytes: The largest answer to read.

    Raises:
        RefusedError: The server refuses.
        ValueError: The answer is larger.
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
        ValueError: There are more than ``most_bytes``.
    """
    content = bytearray()
    async for chunk in response.aiter_bytes():
        content += chunk
        if len(content) > most_bytes:
            raise ValueError(f"the answer has more than {most_bytes:,} bytes")
    return bytes(content)


def _message(content: bytes) -> str:
    """Return the message in a server's refusal: OpenAI's ``error.message``, another's ``error``, or the text itself."""
    text = content[:_LONGEST_MESSAGE_IN_BYTES].decode(errors="replace")
    try:
        answer: Any = json.loads(content)
    except (ValueError, RecursionError):
        return text
    error = answer.get("error", answer) if isinstance(answer, dict) else answer
    return str(error.get("message", error)) if isinstance(error, dict) else str(error)
