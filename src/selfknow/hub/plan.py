"""What a push would do: made before anything is sent, printed by `diff` and `--dry-run`, carried out by the push."""

import re
from dataclasses import dataclass
from typing import Literal

from selfknow.builders.folder.manifest import FileEntry
from selfknow.errors import UserError
from selfknow.hub.remote import LocalFile


@dataclass(frozen=True)
class SplitChange:
    """How a split differs from the one that the Hub serves; the card and the manifest stand in a row without a config.

    The counts of rows are None in that row.
    """

    config: str | None
    split: str | None
    rows_added: int | None
    rows_removed: int | None
    rows_changed: int | None
    files_to_send: int
    files_to_delete: int
    bytes_to_send: int


@dataclass(frozen=True)
class PortraitChange:
    """How a portrait differs from the one that the Hub serves; the repo's card stands in a row without a portrait."""

    portrait: str | None
    change: Literal["added", "removed", "changed", "unchanged", "kept"]
    files_to_send: int
    files_to_delete: int
    bytes_to_send: int


@dataclass(frozen=True)
class Plan:
    """A release as it will be pushed.

    Attributes:
        repo: ``org/name``.
        title: The commit's first line.
        parent_commit: The head of the repo when the plan was made; None where the repo is yet to be made.
        changes: What changes, a row each.
        send: The files of the commit, the card last.
        delete: The paths that the commit removes.
        served: The commit's files as they must be read back, unchanged ones among them.
        tag: The tag of the release.
        tag_exists: Whether the repo has that tag already, for the same content.
        private: Whether a repo that is yet to be made is made private.
    """

    repo: str
    title: str
    parent_commit: str | None
    changes: tuple[SplitChange, ...] | tuple[PortraitChange, ...]
    send: tuple[LocalFile, ...]
    delete: tuple[str, ...]
    served: tuple[FileEntry, ...]
    tag: str
    tag_exists: bool
    private: bool = False

    @property
    def makes_commit(self) -> bool:
        """Whether anything has to be sent or deleted."""
        return bool(self.send or self.delete)

    @property
    def is_done(self) -> bool:
        """Whether the Hub serves this release already, tag and all."""
        return not self.makes_commit and self.tag_exists

    def summary(self) -> str:
        """The plan in one line."""
        if self.is_done:
            return f"{self.repo}: the Hub serves this release already, as {self.tag}"
        if not self.makes_commit:
            return f"{self.repo}: the Hub serves these files already; the tag {self.tag} is missing and will be made"
        num_bytes = sum(file.num_bytes for file in self.send)
        where = "a new repo" if self.parent_commit is None else f"a commit upon {self.parent_commit[:8]}"
        tag = "keeps the tag" if self.tag_exists else "then the tag"
        return (
            f"{self.repo}: {where} with {len(self.send)} files ({num_bytes:,} bytes) and {len(self.delete)} deletions, "
            f"{tag} {self.tag}"
        )


def check_tag(tag: str) -> str:
    """The tag, if Git would take it as one.

    Raises:
        UserError: It would not.
    """
    if not re.fullmatch(r"[A-Za-z0-9][\w.+-]*", tag, re.ASCII) or tag.endswith((".", ".lock")) or ".." in tag:
        raise UserError(f"{tag!r} is not the name of a tag: use letters, digits, '.', '-' and '_', such as v1.0.0")
    return tag
