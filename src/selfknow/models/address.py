"""A server's address, parsed so that its credentials are sent but never printed or recorded.

The user and password before the host (``https://user:key@host``) become a header, and the query (``?api_key=…``) is
sent with every request. Neither is in the address that is printed and recorded. A server may repeat a credential in an
error or a reply, so credentials are removed from everything that it sends.
"""

import base64
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit, urlunsplit

from selfknow.errors import UserError

REMOVED = "[removed]"
"""The text in place of a credential that a server repeated."""

_SCHEMES = ("http", "https")
_SECRET_NAME = re.compile(r"key|token|secret|sig|auth|pass|pwd|cred|jwt|^code$|^k$", re.IGNORECASE)
_ADDRESS_IN_TEXT = re.compile(
    r"(?P<scheme>https?://)(?:[^\s'\"/?#]*@)?(?P<rest>[^\s'\"?#]*)(?:[?#][^\s'\"]*)?", re.IGNORECASE
)
# Shorter secrets are placeholders such as EMPTY, which may occur in replies as words.
_SHORTEST_KEY_IN_CHARACTERS = 8


@dataclass(frozen=True)
class Address:
    """A server's address and the user's credentials for it.

    Attributes:
        url: The address without user, password, query and fragment.
        query: The names and values that are sent with every request.
        authorization: The header ``Authorization``; null if the server needs none.
        secrets: The texts that must never be shown.
    """

    url: str
    query: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    authorization: str | None = field(default=None, repr=False)
    secrets: frozenset[str] = field(default=frozenset(), repr=False)

    @classmethod
    def read(cls, text: str, token: str | None = None) -> Self:
        """Parse an address; a user and password in it take precedence over a token.

        Args:
            text: The address, such as ``http://127.0.0.1:8000``.
            token: The token to send as ``Bearer``; null or empty if there is none.

        Raises:
            UserError: The text is not the address of a server; the message repeats no credentials.

        Example:
            >>> Address.read("https://ann:s3cret@host/v1?api_key=1234").url
            'https://host/v1'
            >>> Address.read("https://ann:s3cret@host").authorization
            'Basic YW5uOnMzY3JldA=='
        """
        try:
            parts = urlsplit(text)
            is_valid = parts.scheme in _SCHEMES and bool(parts.hostname) and parts.port != 0
        except ValueError:  # such as a port that is not a number
            is_valid = False
        if not is_valid or re.search(r"\s", text):
            raise UserError(
                f"{_redact(text)!r} is not the address of an endpoint: write one such as http://127.0.0.1:8000"
            )
        query = tuple(parse_qsl(parts.query, keep_blank_values=True))
        secrets = {value for name, value in query if _SECRET_NAME.search(name)}
        authorization = None
        if parts.username is not None or parts.password is not None:
            user, password = unquote(parts.username or ""), unquote(parts.password or "")
            encoded = base64.b64encode(f"{user}:{password}".encode()).decode()
            authorization = f"Basic {encoded}"
            secrets |= {password or user, encoded}
        elif token:
            authorization = f"Bearer {token}"
            secrets.add(token)
        host = parts.netloc.rpartition("@")[2]
        url = urlunsplit((parts.scheme, host, parts.path, "", ""))
        return cls(url, query, authorization, frozenset(secrets - {""}))

    def without_secrets(self, text: str) -> str:
        """Remove every credential from a text that a server sent, such as an error.

        Example:
            >>> Address.read("http://host", token="1234").without_secrets("wrong key '1234'")
            "wrong key '[removed]'"
        """
        return _remove(text, self.secrets)

    def without_long_secrets(self, text: str) -> str:
        """Remove credentials of 8 characters or more from a reply; shorter ones may be words of the reply.

        Example:
            >>> Address.read("http://host", token="EMPTY").without_long_secrets("The set is EMPTY.")
            'The set is EMPTY.'
        """
        return _remove(text, [secret for secret in self.secrets if len(secret) >= _SHORTEST_KEY_IN_CHARACTERS])


def without_credentials(text: str) -> str:
    """Remove users, passwords and queries from the addresses in a text, such as a command.

    Example:
        >>> without_credentials("selfknow evaluate TASK --endpoint 'https://ann:key@host/v1?api_key=1' --out run")
        "selfknow evaluate TASK --endpoint 'https://host/v1' --out run"
    """
    return _ADDRESS_IN_TEXT.sub(lambda match: f"{match['scheme']}{match['rest']}", text)


def _remove(text: str, secrets: Iterable[str]) -> str:
    spellings = {spelling for secret in secrets for spelling in _spellings(secret)}
    for spelling in sorted(spellings, key=len, reverse=True):
        pattern = re.escape(spelling)
        if len(spelling) < _SHORTEST_KEY_IN_CHARACTERS:  # only as a whole word
            pattern = rf"(?<!\w){pattern}(?!\w)"
        text = re.sub(pattern, REMOVED, text)
    return text


def _spellings(secret: str) -> Iterable[str]:
    return secret, quote(secret, safe=""), quote(secret), quote_plus(secret), json.dumps(secret)[1:-1]


def _redact(text: str) -> str:
    """Remove parts that may be a user, a password or a query from a text that is not an address."""
    return re.sub(r"[^/]*@", "", text.partition("?")[0].partition("#")[0])
