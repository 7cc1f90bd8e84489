"""A time limit for requests to the Hub, since its client limits only downloads."""

import os

import httpx2
from huggingface_hub import set_client_factory
from huggingface_hub.utils import _http

from selfknow.errors import UserError

VARIABLE = "SELFKNOW_HUB_SECONDS"
"""The variable that sets the seconds without traffic after which a request fails."""
SECONDS = 120.0  # the limit if the variable is not set
_XET_SILENCE, _XET_PAUSE = "HF_XET_CLIENT_READ_TIMEOUT", "HF_XET_CLIENT_RETRY_MAX_DURATION"


def bound_requests() -> None:
    """Make requests of the Hub's client fail after some seconds without traffic, unless they set their own limit.

    A failed request is repeated as after any other network error: an upload five times, others three times. If the user
    has set a client factory, it is kept.

    Transfers through Xet have their own client, with six attempts of 300 seconds. It receives nothing while it sends up
    to 64 MB, so a limit of 120 seconds would cut off slow connections. The variable, if set, also sets this limit. By
    default this client pauses for up to six minutes between attempts; here it pauses for up to eight seconds, like the
    Hub's client.

    Raises:
        UserError: The variable holds no number of seconds.
    """
    seconds = read_time_limit()
    os.environ.setdefault(_XET_PAUSE, "8s")
    if os.environ.get(VARIABLE):
        os.environ.setdefault(_XET_SILENCE, f"{max(1, round(seconds))}s")
    if _http._GLOBAL_CLIENT_FACTORY is _http.default_client_factory:
        set_client_factory(_bounded_client)


def read_time_limit() -> float:
    """Return the seconds in ``SELFKNOW_HUB_SECONDS``, or 120.

    Raises:
        UserError: The variable holds no positive number.
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
    client.timeout = httpx2.Timeout(read_time_limit())
    return client
