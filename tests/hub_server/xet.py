"""What `hf_xet` asks before it sends large files, and where it sends them; nothing that comes is kept."""

import time

from .api import Answer, Hub, Request
from .storage import RefusalError

PLACE = "/_xet"
_SECONDS = 3600


def write_token(hub: Hub, request: Request, repo: str, revision: str) -> Answer:
    """Where the storage is, and a token for it."""
    place, ends = f"{request.endpoint}{PLACE}", int(time.time()) + _SECONDS
    headers = {"X-Xet-Cas-Url": place, "X-Xet-Access-Token": "xet", "X-Xet-Token-Expiration": str(ends)}
    return Answer({"casUrl": place, "accessToken": "xet", "exp": ends}, headers=headers)


def find_chunk(hub: Hub, request: Request) -> Answer:
    """Whether the storage has a chunk already: it has none."""
    raise RefusalError(404, "Chunk not found")


def add_chunks(hub: Hub, request: Request) -> Answer:
    """Many chunks in one request."""
    return Answer({"was_inserted": True})


def add_files(hub: Hub, request: Request) -> Answer:
    """Which chunks make which files."""
    return Answer({"result": 1})
