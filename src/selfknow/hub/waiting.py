"""How long a request to the Hub may stay without an answer: its client waits for ever, but for downloads."""

import os

import httpx2
from huggingface_hub import set_client_factory
from huggingface_hub.utils import _http

from selfknow.errors import UserError

VARIABLE = "SELFKNOW_HUB_SECONDS"
"""The variable that sets how many seconds nothing may arrive, or leave, before a request counts as failed."""
SECONDS = 120.0
_XET_SILENCE, _XET_PAUSE = "HF_XET_CLIENT_READ_TIMEOUT", "HF_XET_CLIENT_RETRY_MAX_DURATION"


def bound_requests() -> None:
    """Have every request of the Hub's client that sets no limit of its own fail once nothing has come for a while.

    It is then repeated as after any other fault of the network: an upload five times, and everything else three times.
    Whoever gave the client a factory of their own keeps it.

    Transfers through Xet have a client of their own, with six attempts and 300 seconds for each: 120 would cut off slow
    links, for it hears nothing while it sends up to 64 MB. Only whoever sets the variable shortens that, too. Between
    attempts it pauses for up to six minutes, here for up to eight seconds, as the Hub's own client does.

    Raises:
        UserError: The variable holds no number of seconds.
    """
    seconds = seconds_allowed()
    os.environ.setdefault(_XET_PAUSE, "8s")
    if os.environ.get(VARIABLE):
        os.environ.setdefault(_XET_SILENCE, f"{max(1, round(seconds))}s")
    if _http._GLOBAL_CLIENT_FACTORY is _http.default_client_factory:
        set_client_factory(_bounded_client)


def seconds_allowed() -> float:
    """What ``SELFKNOW_HUB_SECONDS`` says, else 120.

    Raises:
        UserError: It says something else than a positive number.
    """
    text = os.environ.get(VARIABLE) or str(SECONDS)
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise UserError(f"{VARIABLE} is a number of seconds, such as 120, not {text!r}")
    return seconds


def _bounded_client() -> httpx2.Client:
    client = _http.default_client_factory()
    client.timeout = httpx2.Timeout(seconds_allowed())
    return client
