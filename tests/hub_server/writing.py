"""Requests that change the Hub: one function each."""

import base64
import json

from .api import Answer, Hub, Request
from .storage import Entry, RefusalError


def create_repo(hub: Hub, request: Request) -> Answer:
    wanted, account = request.json(), hub.account(request)
    if account is None:
        raise RefusalError(401, "Invalid username or password.")
    kind, namespace = f"{wanted.get('type', 'model')}s", wanted.get("organization") or account.name
    name = f"{namespace}/{wanted['name']}"
    url = f"{request.endpoint}/{'' if kind == 'models' else kind + '/'}{name}"
    if not account.may_write(namespace):
        raise RefusalError(403, f'You don\'t have the rights to create a {kind[:-1]} under the namespace "{namespace}"')
    try:
        hub.storage.create_repo(f"{kind}/{name}", private=wanted.get("visibility") == "private")
    except RefusalError as refusal:
        raise RefusalError(refusal.status, refusal.message, url=url) from None
    return Answer({"url": url, "name": name, "id": name})


def validate_yaml(hub: Hub, request: Request) -> Answer:
    lines = request.json()["content"].splitlines()
    if lines[:1] == ["---"] and "---" not in lines[1:]:
        return Answer({"errors": [{"message": "The metadata block is never closed by a line ---"}]}, status=400)
    warnings = [] if lines[:1] == ["---"] else [{"message": "empty or missing yaml metadata in repo card"}]
    return Answer({"errors": [], "warnings": warnings})


def preupload(hub: Hub, request: Request, repo: str, revision: str) -> Answer:
    commit = hub.storage.commit_at(repo, revision)
    files = []
    for file in request.json()["files"]:
        large = hub.lfs_from_bytes is not None and file["size"] >= hub.lfs_from_bytes
        known = commit.files.get(file["path"])
        oid = known and (known.sha256 if known.lfs else known.blob_id)
        mode = "lfs" if large else "regular"
        files.append({"path": file["path"], "uploadMode": mode, "shouldIgnore": False, "oid": oid})
    return Answer({"files": files})


def lfs_batch(hub: Hub, request: Request, repo: str) -> Answer:
    objects = []
    for wanted in request.json()["objects"]:
        upload = {"upload": {"href": f"{request.endpoint}/_objects/{wanted['oid']}"}}
        here = hub.storage.object_path(wanted["oid"]).exists()
        objects.append(wanted if here else {**wanted, "actions": upload})
    return Answer({"transfer": "basic", "objects": objects})


def put_object(hub: Hub, request: Request, sha256: str) -> Answer:
    if hub.storage.add_object(request.body).sha256 != sha256:
        raise RefusalError(400, "The content does not match its SHA-256")
    return Answer()


def commit(hub: Hub, request: Request, repo: str, revision: str) -> Answer:
    title, parent, add, delete = "", None, dict[str, Entry](), list[str]()
    for line in request.body.splitlines():
        operation = json.loads(line)
        value = operation["value"]
        match operation["key"]:
            case "header":
                title, parent = value["summary"], value.get("parentCommit")
            case "file":
                add[value["path"]] = hub.storage.add_object(base64.b64decode(value["content"]))
            case "lfsFile":
                add[value["path"]] = hub.storage.lfs_entry(value["oid"])
            case "deletedFile" | "deletedFolder":
                delete.append(value["path"])
    made = hub.storage.commit(repo, revision, title, add, delete, parent)
    return Answer({"success": True, "commitOid": made.oid, "commitUrl": f"{request.endpoint}/{repo}/commit/{made.oid}"})


def create_tag(hub: Hub, request: Request, repo: str, revision: str) -> Answer:
    hub.storage.create_reference(repo, "tags", request.json()["tag"], revision)
    return Answer()


def delete_tag(hub: Hub, request: Request, repo: str, revision: str) -> Answer:
    hub.storage.delete_reference(repo, "tags", revision)
    return Answer()


def create_branch(hub: Hub, request: Request, repo: str, revision: str) -> Answer:
    start = json.loads(request.body or b"{}").get("startingPoint", "main")
    hub.storage.create_reference(repo, "branches", revision, start)
    return Answer()


def delete_branch(hub: Hub, request: Request, repo: str, revision: str) -> Answer:
    hub.storage.delete_reference(repo, "branches", revision)
    return Answer()
