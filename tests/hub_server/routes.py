"""Routes: the function that answers each request."""

import re
from collections.abc import Callable
from urllib.parse import unquote

from . import reading, writing, xet
from .api import Answer, Hub, Request
from .storage import RefusalError

_REPO = r"(?P<repo>[^/]+/[^/]+?)"
_API = rf"/api/(?P<kind>models|datasets)/{_REPO}"
_FILES = rf"/(?P<kind>datasets/)?{_REPO}"
_REVISION = r"(?P<revision>[^/]+)"

ROUTES: list[tuple[str, str, Callable[..., Answer]]] = [
    ("GET", r"/api/whoami-v2", reading.who_am_i),
    ("POST", r"/api/repos/create", writing.create_repo),
    ("POST", r"/api/validate-yaml", writing.validate_yaml),
    ("GET", _API, reading.repo_info),
    ("GET", rf"{_API}/revision/{_REVISION}", reading.repo_info),
    ("GET", rf"{_API}/refs", reading.references),
    ("GET", rf"{_API}/tree/{_REVISION}(?P<path>/.+)?", reading.tree),
    ("POST", rf"{_API}/paths-info/{_REVISION}", reading.paths_info),
    ("POST", rf"{_API}/preupload/{_REVISION}", writing.preupload),
    ("POST", rf"{_API}/commit/{_REVISION}", writing.commit),
    ("POST", rf"{_API}/tag/{_REVISION}", writing.create_tag),
    ("DELETE", rf"{_API}/tag/{_REVISION}", writing.delete_tag),
    ("POST", rf"{_API}/branch/{_REVISION}", writing.create_branch),
    ("DELETE", rf"{_API}/branch/{_REVISION}", writing.delete_branch),
    ("POST", rf"{_FILES}\.git/info/lfs/objects/batch", writing.lfs_batch),
    ("PUT", r"/_objects/(?P<sha256>[0-9a-f]{64})", writing.put_object),
    ("GET", rf"{_API}/xet-write-token/{_REVISION}", xet.write_token),
    ("GET", rf"{xet.PLACE}/v1/chunks/.+", xet.find_chunk),
    ("POST", rf"{xet.PLACE}/v1/xorbs/.+", xet.add_chunks),
    ("POST", rf"{xet.PLACE}/(v1/)?shards", xet.add_files),
    ("GET", rf"{_FILES}/resolve/{_REVISION}/(?P<path>.+)", reading.resolve),
]
WRITING = {
    writing.preupload,
    writing.lfs_batch,
    writing.commit,
    writing.create_tag,
    writing.delete_tag,
    writing.create_branch,
    writing.delete_branch,
    xet.write_token,
}


def answer(hub: Hub, request: Request) -> Answer:
    """Answer a request; what is refused is raised as a `RefusalError`."""
    for method, pattern, function in ROUTES:
        match = re.fullmatch(pattern, request.path)
        if method == request.method and match:
            groups = {name: unquote(value) for name, value in match.groupdict().items() if value is not None}
            if "repo" in groups:
                kind = groups.pop("kind", "models").strip("/")
                groups["repo"] = f"{kind}/{groups['repo']}"
                hub.check_access(request, groups["repo"], writing=function in WRITING)
            return function(hub, request, **groups)
    raise RefusalError(404, f"Sorry, we can't find the page you are looking for: {request.path}")
