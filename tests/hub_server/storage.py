"""Repos on disk: commits as JSON files, contents by their SHA-256, references in one file per repo.

    ROOT/objects/<sha256>                        every content once
    ROOT/datasets/org/name/references.json       {"private": false, "branches": {"main": "<commit>"}, "tags": {}}
    ROOT/datasets/org/name/commits/<commit>.json {"parent": …, "title": …, "date": …, "files": {path: Entry}}

Every write goes to a temporary name first, so that a killed server leaves whole repos.
"""

import hashlib
import json
import threading
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

MAIN = "main"


class RefusalError(Exception):
    """An answer that is an error, with the code by which the clients choose the exception they raise."""

    def __init__(self, status: int, message: str, code: str | None = None, **fields: str) -> None:
        super().__init__(message)
        self.status, self.message, self.code, self.fields = status, message, code, fields


@dataclass(frozen=True)
class Entry:
    """A file of a commit: where its content lies, and the hash by which Git would call it."""

    sha256: str
    size: int
    blob_id: str
    lfs: bool


@dataclass(frozen=True)
class Commit:
    """A commit with all its files."""

    oid: str
    parent: str | None
    title: str
    date: str
    files: dict[str, Entry]


class Storage:
    """All repos of one Hub under a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._lock = threading.RLock()
        (root / "objects").mkdir(parents=True, exist_ok=True)

    # Contents

    def add_object(self, content: bytes) -> Entry:
        """Keep a content and say how a commit would list it as a regular file."""
        sha256 = hashlib.sha256(content).hexdigest()
        if not self.object_path(sha256).exists():
            _write(self.object_path(sha256), content)
        return Entry(sha256, len(content), _git_blob_id(content), lfs=False)

    def object_path(self, sha256: str) -> Path:
        """Return where a content lies, or would lie."""
        return self.root / "objects" / sha256

    def lfs_entry(self, sha256: str) -> Entry:
        """Return a large file of a commit, whose content was sent before; Git itself would hold a pointer."""
        path = self.object_path(sha256)
        if not path.exists():
            raise RefusalError(400, f"The large file {sha256} was never uploaded")
        size = path.stat().st_size
        pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {size}\n"
        return Entry(sha256, size, _git_blob_id(pointer.encode()), lfs=True)

    # Repos

    def create_repo(self, repo: str, *, private: bool) -> None:
        """Make a repo with the first commit that the Hub gives every repo."""
        with self._lock:
            if self._references_path(repo).exists():
                raise RefusalError(409, "You already created this repo")
            files = {".gitattributes": self.add_object(b"*.parquet filter=lfs diff=lfs merge=lfs -text\n")}
            oid = self._write_commit(repo, None, "initial commit", files)
            self._write_references(repo, {"private": private, "branches": {MAIN: oid}, "tags": {}})

    def references(self, repo: str) -> dict[str, Any]:
        """Return the branches and tags of a repo, and whether it is private."""
        path = self._references_path(repo)
        if not path.exists():
            raise RefusalError(404, "Repository not found", "RepoNotFound")
        return json.loads(path.read_text())

    def commit_at(self, repo: str, revision: str) -> Commit:
        """Return the commit that a branch, a tag or a full commit hash names."""
        references = self.references(repo)
        oid = references["branches"].get(revision) or references["tags"].get(revision) or revision
        path = self._folder(repo) / "commits" / f"{oid}.json"
        if not path.exists():
            raise RefusalError(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        facts = json.loads(path.read_text())
        files = {name: Entry(**entry) for name, entry in facts.pop("files").items()}
        return Commit(oid=oid, files=files, **facts)

    def commit(
        self, repo: str, branch: str, title: str, add: dict[str, Entry], delete: list[str], parent: str | None = None
    ) -> Commit:
        """Add and delete files in one commit, or nothing at all.

        Raises:
            RefusalError: 412 when the branch has moved on from `parent`; 404 for a deletion of what is not there.
        """
        with self._lock:
            head = self.commit_at(repo, branch)
            if parent and not head.oid.startswith(parent):
                raise RefusalError(412, "A commit has happened since. Please refresh and try again.")
            files = dict(head.files)
            for path in delete:
                inside = _under(head, path.rstrip("/"))
                if not inside:
                    raise RefusalError(404, f"A file with this name doesn't exist: {path}", "EntryNotFound")
                for name in inside:
                    files.pop(name, None)
            files |= add
            oid = self._write_commit(repo, head.oid, title, files)
            references = self.references(repo)
            references["branches"][branch] = oid
            self._write_references(repo, references)
        return self.commit_at(repo, oid)

    def last_change(self, repo: str, commit: Commit, path: str) -> Commit:
        """Return the commit, at or before `commit`, that last changed a file or anything in a folder."""
        while commit.parent:
            before = self.commit_at(repo, commit.parent)
            if _under(commit, path) != _under(before, path):
                break
            commit = before
        return commit

    def create_reference(self, repo: str, kind: str, name: str, revision: str) -> None:
        """Let a tag (`kind` "tags") or a branch ("branches") name the commit at `revision`."""
        with self._lock:
            references = self.references(repo)
            if name in references[kind]:
                raise RefusalError(409, f"Reference already exists: {name}")
            references[kind][name] = self.commit_at(repo, revision).oid
            self._write_references(repo, references)

    def delete_reference(self, repo: str, kind: str, name: str) -> None:
        """Forget a tag or a branch."""
        with self._lock:
            references = self.references(repo)
            if references[kind].pop(name, None) is None:
                raise RefusalError(404, f"Invalid rev id: {name}", "RevisionNotFound")
            self._write_references(repo, references)

    def _folder(self, repo: str) -> Path:
        return self.root / repo

    def _references_path(self, repo: str) -> Path:
        return self._folder(repo) / "references.json"

    def _write_references(self, repo: str, references: dict[str, Any]) -> None:
        _write(self._references_path(repo), json.dumps(references).encode())

    def _write_commit(self, repo: str, parent: str | None, title: str, files: dict[str, Entry]) -> str:
        date = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        entries = {name: asdict(entry) for name, entry in sorted(files.items())}
        facts = json.dumps({"parent": parent, "title": title, "date": date, "files": entries}).encode()
        oid = hashlib.sha1(facts).hexdigest()
        _write(self._folder(repo) / "commits" / f"{oid}.json", facts)
        return oid


def _under(commit: Commit, path: str) -> dict[str, Entry]:
    return {name: entry for name, entry in commit.files.items() if name == path or name.startswith(path + "/")}


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{threading.get_ident()}")
    temporary.write_bytes(content)
    temporary.replace(path)


def _git_blob_id(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
