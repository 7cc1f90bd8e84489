"""Requests, answers, accounts, and who may do what."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .storage import RefusalError, Storage


@dataclass(frozen=True)
class Account:
    """Someone with a token: they write under their own name and under their organisations'."""

    name: str
    token: str
    organisations: tuple[str, ...] = ()
    role: str = "write"

    def may_write(self, namespace: str) -> bool:
        """Return true if their token may write to repos under `namespace`."""
        return self.role == "write" and namespace in (self.name, *self.organisations)


@dataclass(frozen=True)
class Request:
    """A request as far as the answers need it."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    endpoint: str

    def json(self) -> Any:
        """Return the body as JSON."""
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    """An answer: JSON, or bytes of a file."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)

    def content(self) -> bytes:
        """Return the body as bytes."""
        if isinstance(self.body, Path):
            return self.body.read_bytes()
        return json.dumps(self.body if self.body is not None else {}).encode()


class Hub:
    """The Hub's HTTP API as far as `huggingface_hub` and `datasets` ask for it.

    Args:
        storage: The repos.
        accounts: Who may do what.
        lfs_from_bytes: Files of this size and more travel as large files; None lets every file travel inside the
            commit, so that clients with hf_xet, which would send large files to another server, work unchanged.
        entries_per_page: How many files a page of a listing holds.
    """

    def __init__(
        self, storage: Storage, accounts: list[Account], lfs_from_bytes: int | None = None, entries_per_page: int = 1000
    ) -> None:
        self.storage = storage
        self.accounts = {account.token: account for account in accounts}
        self.lfs_from_bytes = lfs_from_bytes
        self.entries_per_page = entries_per_page

    def account(self, request: Request) -> Account | None:
        """The owner of the token that came along; null if none came."""
        token = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
        if token and token not in self.accounts:
            raise RefusalError(401, "Invalid credentials in Authorization header")
        return self.accounts.get(token)

    def check_access(self, request: Request, repo: str, *, writing: bool) -> None:
        """Refuse who may not read or write the repo, in the Hub's words."""
        account = self.account(request)
        namespace = repo.split("/")[1]
        try:
            private = self.storage.references(repo)["private"]
        except RefusalError as refusal:
            raise RefusalError(404 if account else 401, refusal.message, refusal.code) from None
        if private and not (account and namespace in (account.name, *account.organisations)):
            raise RefusalError(404 if account else 401, "Repository not found", "RepoNotFound")
        if writing and not account:
            raise RefusalError(401, "Invalid username or password.")
        if writing and account and not account.may_write(namespace):
            raise RefusalError(403, "Forbidden: you must use a write token to upload to a repository.")
