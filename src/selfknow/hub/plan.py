"""The plan of a push. It is made before anything is sent; `diff` and `--dry-run` print it, and the push follows it."""

import re
from dataclasses import dataclass
from typing import Literal

from selfknow.builders.folder.manifest import FileEntry
from selfknow.errors import UserError
from selfknow.hub.remote import LocalFile


@dataclass(frozen=True)
class SplitChange:
    """The difference of a split from the one that the Hub serves.

    The card, the manifest and other files share a row without config and split, whose counts of rows are None.
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
    """The difference of a portrait from the one that the Hub serves; the card stands in a row without a portrait."""

    portrait: str | None
    change: Literal["added", "removed", "changed", "unchanged", "kept"]
    files_to_send: int
    files_to_delete: int
    bytes_to_send: int


@dataclass(frozen=True)
class Plan:
    """A release that is ready to be pushed.

    Attributes:
        repo: ``org/name``.
        title: The commit's first line.
        parent_commit: The repo's head when the plan was made; None if the repo does not exist yet.
        changes: The changes: one for each split or portrait, and one for the other files.
        send: Files of the commit, the card last.
        delete: Paths that the commit removes.
        served: All files of the commit, to compare with those read back.
        tag: Tag of the release.
        tag_exists: True if the repo has that tag already, for the same content.
        private: True if a new repo is to be private.
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
        """True if a file has to be sent or deleted."""
        return bool(self.send or self.delete)

    @property
    def is_done(self) -> bool:
        """True if the Hub already serves this release with its tag."""
        return not self.makes_commit and self.tag_exists

    def summary(self) -> str:
        """Return the plan as one line of text."""
        if self.is_done:
            return f"{self.repo}: the Hub serves this release already, as {self.tag}"
        if not self.makes_commit:
            return f"{self.repo}: the Hub serves these files already; the tag {self.tag} is missing and will be made"
        num_bytes = sum(file.num_bytes for file in self.send)
        commit = "a new repo" if self.parent_commit is None else f"a commit on top of {self.parent_commit[:8]}"
        tag = "keeps the tag" if self.tag_exists else "then the tag"
        return (
            f"{self.repo}: {commit} with {len(self.send)} files ({num_bytes:,} bytes) and {len(self.delete)} "
            f"deletions, {tag} {self.tag}"
        )


def check_tag(tag: str) -> str:
    """Return the tag if it is a valid name for Git.

    Raises:
        UserError: Git would refuse the name.
    """
    if not re.fullmatch(r"[A-Za-z0-9][\w.+-]*", tag, re.ASCII) or tag.endswith((".", ".lock")) or ".." in tag:
        raise UserError(f"{tag!r} is not the name of a tag: use letters, digits, '.', '-' and '_', such as v1.0.0")
    return tag
