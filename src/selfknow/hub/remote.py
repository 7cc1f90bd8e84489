"""A dataset repo on the Hub. Publishing and pulling call the Hub's client library only through this module."""

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, constants, errors
from huggingface_hub.hf_api import RepoFile

from selfknow.builders.folder.manifest import FileEntry
from selfknow.downloads import hub_file, is_transient, repeat_request
from selfknow.errors import UserError
from selfknow.hub.failures import HOW_TO_LOG_IN, TOKEN_PAGE
from selfknow.hub.waiting import bound_requests

GIT_ATTRIBUTES = ".gitattributes"  # the Hub's own file, in every repo
_MAIN = "main"
_WAITS_IN_SECONDS = (1, 2, 4)


@dataclass(frozen=True)
class LocalFile:
    """A file to send: its path in the repo, and its bytes or its local path."""

    path: str
    content: Path | bytes
    num_bytes: int
    sha256: str

    @property
    def entry(self) -> FileEntry:
        """The file as a manifest lists it."""
        return FileEntry(self.path, self.num_bytes, self.sha256)


@dataclass(frozen=True)
class ServedFile:
    """A file in the Hub's listing, which has the SHA-256 of a large file, and the Git id of a small file's content."""

    num_bytes: int
    sha256: str | None
    git_blob_id: str

    def holds(self, file: LocalFile) -> bool:
        """Return True if the content equals that of a local file."""
        if self.num_bytes != file.num_bytes:
            return False
        if self.sha256 is not None:
            return self.sha256 == file.sha256
        return self.git_blob_id == _git_blob_id(file.content)

    def holds_path(self, path: Path) -> bool:
        """Return True if the content equals that of a file on disk."""
        if self.num_bytes != path.stat().st_size:
            return False
        if self.sha256 is not None:
            return self.sha256 == sha256_of(path)
        return self.git_blob_id == _git_blob_id(path)


@dataclass(frozen=True)
class Snapshot:
    """A commit of the repo and its files, by path."""

    commit: str
    files: Mapping[str, ServedFile]


class Remote:
    """A dataset repo on the Hub.

    HF_ENDPOINT sets the Hub's address; HF_TOKEN or `hf auth login` sets the token.

    The client library repeats uploads, downloads and listings that failed for a temporary reason. This class repeats
    the other requests: the user's name, a repo's head and tags, and the creation of a repo, a commit or a tag.

    Args:
        repo: ``org/name``.
    """

    def __init__(self, repo: str) -> None:
        self.repo = repo
        bound_requests()
        self._api = HfApi()

    def check_token(self) -> str:
        """Check that the token may write, and return the name of the user who is logged in.

        Raises:
            UserError: Nobody is logged in, or the token may only read.
        """
        try:
            user = repeat_request(self._api.whoami)
        except errors.LocalTokenNotFoundError:
            raise UserError(f"publishing to {self.repo} needs a token: {HOW_TO_LOG_IN}") from None
        role = user.get("auth", {}).get("accessToken", {}).get("role")
        if role == "read":
            raise UserError(f"the token of {user['name']} may only read: make one that may write at {TOKEN_PAGE}")
        return str(user["name"])

    def snapshot(self, revision: str = _MAIN) -> Snapshot | None:
        """Return the commit that a revision names, with its files; None if there is no such repo."""
        try:
            info = repeat_request(self._api.repo_info, self.repo, repo_type="dataset", revision=revision)
        except errors.RevisionNotFoundError:
            raise
        except errors.RepositoryNotFoundError as error:
            if error.response.status_code == 401:
                raise
            return None
        tree = self._api.list_repo_tree(self.repo, repo_type="dataset", revision=info.sha, recursive=True)
        files = {
            entry.path: ServedFile(entry.size, entry.lfs.sha256 if entry.lfs else None, entry.blob_id)
            for entry in tree
            if isinstance(entry, RepoFile)
        }
        return Snapshot(info.sha, files)

    def tags(self) -> dict[str, str]:
        """Return the commit of each tag, by the tag's name."""
        references = repeat_request(self._api.list_repo_refs, self.repo, repo_type="dataset")
        return {tag.name: tag.target_commit for tag in references.tags}

    def fetch(self, path: str, snapshot: Snapshot, folder: Path | None = None) -> Path:
        """Download a file of a commit and compare it with the Hub's listing.

        Args:
            path: The file's path in the repo.
            snapshot: The commit.
            folder: Folder to download into, bypassing the client's cache; by default the file goes into that cache.

        Raises:
            UserError: The repo has no such file; or the file differs from the Hub's listing, and was removed.
        """
        if path not in snapshot.files:
            raise UserError(f"{self.repo} has no {path}: its release is incomplete, so publish it again")
        local_path = hub_file(self.repo, path, snapshot.commit, folder)
        if not snapshot.files[path].holds_path(local_path):
            local_path.resolve().unlink()
            local_path.unlink(missing_ok=True)
            raise UserError(
                f"{path} of {self.repo} arrived damaged: its hash is not the one the Hub lists. It was removed; "
                "run the command again"
            )
        return local_path

    def create(self, *, private: bool) -> Snapshot:
        """Make the repo unless it exists, and return its latest commit."""
        repeat_request(self._api.create_repo, self.repo, repo_type="dataset", private=private or None, exist_ok=True)
        snapshot = self.snapshot()
        if snapshot is None:
            raise UserError(f"{self.repo} was made, but this token may not see it: check the token's rights")
        return snapshot

    def commit(self, title: str, send: Sequence[LocalFile], delete: Sequence[str], parent: str) -> str:
        """Send and delete files in one commit on top of `parent`.

        Returns:
            The new commit's hash.

        Raises:
            HfHubHTTPError: Somebody else committed on top of `parent` first (status 412).
        """
        additions = [CommitOperationAdd(file.path, file.content) for file in send]
        deletions = [CommitOperationDelete(path) for path in delete]
        # Upload large files first: the client repeats these uploads itself, so only the commit is repeated below.
        self._api.preupload_lfs_files(self.repo, additions, repo_type="dataset", revision=_MAIN, free_memory=False)
        for wait in (*_WAITS_IN_SECONDS, None):
            try:
                commit = self._api.create_commit(
                    self.repo,
                    [*deletions, *additions],
                    commit_message=title,
                    repo_type="dataset",
                    parent_commit=parent,
                )
            except Exception as error:
                if wait is None or not is_transient(error):
                    raise
                time.sleep(wait)
                # The response may have been lost after the commit was made, so check before trying again.
                head = self.snapshot()
                if head and head.commit != parent and _is_committed(head, send, delete):
                    return head.commit
            else:
                return str(commit.oid)
        raise AssertionError("the last attempt returns or raises")

    def tag(self, name: str, commit: str) -> None:
        """Tag a commit.

        Raises:
            UserError: Somebody else gave the tag to another commit meanwhile.
        """
        repeat_request(self._api.create_tag, self.repo, tag=name, revision=commit, repo_type="dataset", exist_ok=True)
        if self.tags().get(name) != commit:
            raise UserError(f"somebody else gave the tag {name} of {self.repo} to another commit: give another --tag")

    def url(self, commit: str) -> str:
        """Return the address of a commit's page."""
        return f"{constants.ENDPOINT}/datasets/{self.repo}/tree/{commit}"


def local_file(path: str, content: Path | bytes) -> LocalFile:
    """Measure and hash a file to send."""
    num_bytes = len(content) if isinstance(content, bytes) else content.stat().st_size
    return LocalFile(path, content, num_bytes, sha256_of(content))


def sha256_of(content: Path | bytes) -> str:
    """Return the SHA-256 of a file or of bytes, as 64 hex digits."""
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    with content.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _git_blob_id(content: Path | bytes) -> str:
    data = content if isinstance(content, bytes) else content.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _is_committed(head: Snapshot, send: Sequence[LocalFile], delete: Sequence[str]) -> bool:
    has_all_files = all(file.path in head.files and head.files[file.path].holds(file) for file in send)
    return has_all_files and not any(path in head.files for path in delete)
