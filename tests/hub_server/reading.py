"""Requests that read from the Hub: one function each."""

from typing import Any
from urllib.parse import parse_qs

from .api import Answer, Hub, Request
from .storage import Commit, Entry, RefusalError


def who_am_i(hub: Hub, request: Request) -> Answer:
    account = hub.account(request)
    if account is None:
        raise RefusalError(401, "Invalid username or password.")
    organisations = [{"type": "org", "name": name, "roleInOrg": "write"} for name in account.organisations]
    token = {"type": "access_token", "accessToken": {"displayName": "loopback", "role": account.role}}
    return Answer({"type": "user", "name": account.name, "orgs": organisations, "auth": token})


def repo_info(hub: Hub, request: Request, repo: str, revision: str = "main") -> Answer:
    commit = hub.storage.commit_at(repo, revision)
    siblings = [{"rfilename": path} for path in commit.files]
    name = repo.partition("/")[2]
    return Answer(
        {
            "id": name,
            "author": name.split("/")[0],
            "sha": commit.oid,
            "lastModified": commit.date,
            "private": hub.storage.references(repo)["private"],
            "gated": False,
            "disabled": False,
            "tags": [],
            "siblings": siblings,
        }
    )


def references(hub: Hub, request: Request, repo: str) -> Answer:
    known = hub.storage.references(repo)
    return Answer(
        {"converts": [], "pullRequests": []}
        | {
            kind: [
                {"name": name, "ref": f"refs/{folder}/{name}", "targetCommit": oid} for name, oid in known[kind].items()
            ]
            for kind, folder in (("branches", "heads"), ("tags", "tags"))
        }
    )


def tree(hub: Hub, request: Request, repo: str, revision: str, path: str = "") -> Answer:
    commit = hub.storage.commit_at(repo, revision)
    entries = _below(commit, path.strip("/"), recursive=request.query.get("recursive", "").lower() == "true")
    if path and not entries:
        raise RefusalError(404, f"{path} does not exist on {revision}", "EntryNotFound")
    start = int(request.query.get("cursor", "0"))
    end = start + hub.entries_per_page
    query = "&".join(f"{name}={value}" for name, value in {**request.query, "cursor": str(end)}.items())
    link = {"Link": f'<{request.endpoint}{request.path}?{query}>; rel="next"'} if end < len(entries) else {}
    page = entries[start:end]
    return Answer(_with_last_commits(hub, request.query, repo, commit, page), headers=link)


def paths_info(hub: Hub, request: Request, repo: str, revision: str) -> Answer:
    commit = hub.storage.commit_at(repo, revision)
    form = parse_qs(request.body.decode())
    rows = []
    for path in form.get("paths", []):
        if path in commit.files:
            rows.append(_described(path, commit.files[path]))
        elif any(name.startswith(path + "/") for name in commit.files):
            rows.append(_described_folder(path))
    return Answer(_with_last_commits(hub, {"expand": form.get("expand", [""])[0]}, repo, commit, rows))


def resolve(hub: Hub, request: Request, repo: str, revision: str, path: str) -> Answer:
    commit = hub.storage.commit_at(repo, revision)
    headers = {"X-Repo-Commit": commit.oid, "Accept-Ranges": "bytes"}
    if path not in commit.files:
        raise RefusalError(404, f"Entry not found: {path}", "EntryNotFound", commit=commit.oid)
    entry = commit.files[path]
    headers["ETag"] = f'"{entry.sha256 if entry.lfs else entry.blob_id}"'
    if entry.lfs:
        headers |= {"X-Linked-Etag": f'"{entry.sha256}"', "X-Linked-Size": str(entry.size)}
    return Answer(hub.storage.object_path(entry.sha256), headers=headers)


def _below(commit: Commit, folder: str, *, recursive: bool) -> list[dict[str, Any]]:
    prefix = f"{folder}/" if folder else ""
    entries: dict[str, dict[str, Any]] = {}
    for path, entry in commit.files.items():
        if not path.startswith(prefix):
            continue
        parts = path[len(prefix) :].split("/")
        for depth in range(1, len(parts) if recursive else min(2, len(parts))):
            name = prefix + "/".join(parts[:depth])
            entries.setdefault(name, _described_folder(name))
        if recursive or len(parts) == 1:
            entries[path] = _described(path, entry)
    return list(entries.values())


def _with_last_commits(
    hub: Hub, query: dict[str, str], repo: str, commit: Commit, entries: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the entries and, with `expand`, the time of each one's last change (DuckDB asks through HfFileSystem)."""
    if query.get("expand", "").lower() != "true":
        return entries
    changes = [hub.storage.last_change(repo, commit, entry["path"]) for entry in entries]
    return [
        {**entry, "lastCommit": {"id": change.oid, "title": change.title, "date": change.date}}
        for entry, change in zip(entries, changes, strict=True)
    ]


def _described(path: str, entry: Entry) -> dict[str, Any]:
    lfs = {"lfs": {"oid": entry.sha256, "size": entry.size, "pointerSize": 130}} if entry.lfs else {}
    return {"type": "file", "path": path, "size": entry.size, "oid": entry.blob_id, **lfs}


def _described_folder(path: str) -> dict[str, Any]:
    return {"type": "directory", "path": path, "size": 0, "oid": "0" * 40}
