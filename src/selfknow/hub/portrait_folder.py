"""A portrait's folder as the Hub holds it: its description, its bits, its card."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfknow.errors import UserError
from selfknow.hub.remote import LocalFile, local_file

DESCRIPTION = "portrait.json"
CARD = "README.md"
_FORMAT_VERSION = 1
_KEYS = {
    "width": int,
    "stride": int,
    "items": int,
    "size_in_bits": int,
    "ones": int,
    "hashes": int,
    "sha256": str,
    "bits_file": str,
    "corpus": dict,
}


@dataclass(frozen=True)
class PortraitFolder:
    """A portrait that is ready to be published under its name."""

    name: str
    description: Mapping[str, Any]
    files: tuple[LocalFile, ...]


def read_portrait_folders(folder: Path) -> list[PortraitFolder]:
    """The portrait that a folder is, or the portraits that lie in it, each named like its folder.

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


def read_description(content: bytes, name: str) -> dict[str, Any]:
    """Read the bytes of a description as far as publishing needs it; ``name`` stands in the messages.

    Raises:
        UserError: It is damaged, or in a newer format than this version reads.
    """
    try:
        value = json.loads(content)
        format_version = int(value["format_version"])
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{name} is damaged: {type(error).__name__}: {error}") from error
    if format_version > _FORMAT_VERSION:
        raise UserError(
            f"{name} has format version {format_version}; this selfknow reads up to {_FORMAT_VERSION}: upgrade it"
        )
    for key, kind in _KEYS.items():
        if not isinstance(value.get(key), kind):
            raise UserError(f"{name} is damaged: {key} is {value.get(key)!r}")
    if Path(value["bits_file"]).name != value["bits_file"]:
        raise UserError(f"{name} is damaged: {value['bits_file']!r} is no file of its folder")
    return dict(value)


def _read(folder: Path) -> PortraitFolder:
    description = read_description((folder / DESCRIPTION).read_bytes(), str(folder / DESCRIPTION))
    bits = description["bits_file"]
    for path in (bits, CARD):
        if not (folder / path).is_file():
            raise UserError(f"{folder} misses {path}: build the portrait again")
    files = tuple(local_file(f"{folder.name}/{path}", folder / path) for path in (bits, DESCRIPTION, CARD))
    if files[0].sha256 != description["sha256"]:
        raise UserError(f"{folder / bits} are not the bits that {DESCRIPTION} describes: build the portrait again")
    return PortraitFolder(folder.name, description, files)
