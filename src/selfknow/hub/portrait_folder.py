"""A portrait's folder, checked and ready for the Hub: its bits, its description, its card."""

from dataclasses import dataclass
from pathlib import Path

from selfknow.errors import UserError
from selfknow.hub.remote import LocalFile, Remote, Snapshot, local_file
from selfknow.portraits.description import DESCRIPTION, Description, read_description
from selfknow.portraits.portrait import Portrait

CARD = "README.md"


@dataclass(frozen=True)
class PortraitFolder:
    """A portrait that is ready to be published under its name."""

    name: str
    description: Description
    files: tuple[LocalFile, ...]


def read_portrait_folders(folder: Path) -> list[PortraitFolder]:
    """The portrait that a folder is, or the portraits that lie in it, each named like its folder.

    Every bit is read and compared with the description.

    Raises:
        UserError: There is none, or one does not match its description.
    """
    if not folder.is_dir():
        raise UserError(f"{folder} is no folder")
    if (folder / DESCRIPTION).is_file():
        return [_read(folder.resolve())]
    found = sorted(path.parent for path in folder.glob(f"*/{DESCRIPTION}"))
    if not found:
        raise UserError(f"{folder} holds no {DESCRIPTION}: it is no portrait folder, nor a folder of portraits")
    return [_read(path) for path in found]


def served_description(remote: Remote, snapshot: Snapshot, name: str) -> tuple[Path, Description]:
    """The description of a portrait on the Hub, and where it was downloaded to.

    Raises:
        UserError: It is damaged, or in a newer format than this version reads.
    """
    path = remote.fetch(f"{name}/{DESCRIPTION}", snapshot)
    try:
        return path, read_description(path)
    except UserError as error:
        raise UserError(str(error).replace(str(path), f"{remote.repo}/{name}/{DESCRIPTION}")) from error


def _read(folder: Path) -> PortraitFolder:
    portrait = Portrait.load(folder)
    try:
        portrait.verify()
    except UserError as error:
        raise UserError(f"{folder}: {error}") from error
    if not (folder / CARD).is_file():
        raise UserError(f"{folder} misses {CARD}: build the portrait again")
    paths = (portrait.description.bits_file, DESCRIPTION, CARD)
    files = tuple(local_file(f"{folder.name}/{path}", folder / path) for path in paths)
    return PortraitFolder(folder.name, portrait.description, files)
