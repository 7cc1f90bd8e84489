"""The requests of `hf_xet` before it sends large files, and their targets; nothing that comes is stored."""

import time

from .api import Answer, Hub, Request
from .storage import RefusalError

PLACE = "/_xet"
_SECONDS = 3600


def write_token(hub: Hub, request: Request, repo: str, revision: str) -> Answer:
    """Return where the storage is, and a token for it."""
    place, ends = f"{request.endpoint}{PLACE}", int(time.time()) + _SECONDS
    headers = {"X-Xet-Cas-Url": place, "X-Xet-Access-Token": "xet", "X-Xet-Token-Expiration": str(ends)}
    return Answer({"casUrl": place, "accessToken": "xet", "exp": ends}, headers=headers)


def find_chunk(hub: Hub, request: Request) -> Answer:
    """Return true if the storage has a chunk already: it has none."""
    raise RefusalError(404, "Chunk not found")


def add_chunks(hub: Hub, request: Request) -> Answer:
    """Many chunks in one request."""
    return Answer({"was_inserted": True})


def add_files(hub: Hub, request: Request) -> Answer:
    """Return which chunks make which files."""
    return Answer({"result": 1})
