"""A portrait's folder: the bits, the card, and ``portrait.json``, written last so that its presence means complete."""

import hashlib
import mmap
import os
import warnings
from pathlib import Path

import numpy as np

from selfknow.errors import SelfknowWarning, UserError
from selfknow.files import remove_unfinished, write_whole, written_whole
from selfknow.portraits.card import card_text
from selfknow.portraits.checkpoint import discard_checkpoint
from selfknow.portraits.description import DESCRIPTION, Description, read_description
from selfknow.portraits.filter.segments import Bytes

CARD = "README.md"
_CHUNK_BYTES = 1 << 24


class UncheckedDescriptionWarning(SelfknowWarning):
    """A portrait's description has no hash of its own, so nothing tells whether it is as it was written."""


def write_folder(description: Description, array: Bytes, folder: Path, *, overwrite: bool) -> None:
    """Write a portrait; a reader never sees half of one.

    Raises:
        UserError: The folder holds a portrait already and ``overwrite`` is not given, or holds something else.
    """
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file, not a folder")
    held = {path.name for path in folder.iterdir()} if folder.exists() else set()
    if DESCRIPTION in held and not overwrite:
        raise UserError(f"{folder} holds a portrait already: give another folder, or use --overwrite")
    if held - {DESCRIPTION, CARD} and DESCRIPTION not in held and not _only_left_overs(held):
        raise UserError(f"{folder} is not empty and holds no portrait: give another folder")
    folder.mkdir(parents=True, exist_ok=True)
    remove_unfinished(folder)
    with written_whole(folder / description.bits_file) as file:
        file.write(description.header)
        for start in range(0, len(array), _CHUNK_BYTES):
            file.write(array[start : start + _CHUNK_BYTES].data)
        # The earlier description goes before its bits do.
        (folder / DESCRIPTION).unlink(missing_ok=True)
    write_whole(folder / CARD, card_text(description).encode())
    write_whole(folder / DESCRIPTION, description.to_json().encode())
    discard_checkpoint(folder)


def _only_left_overs(held: set[str]) -> bool:
    """Whether a killed write is all that a folder holds."""
    return all(name.startswith((".", "bits.", CARD)) for name in held)


def read_folder(folder: Path) -> tuple[Description, Bytes]:
    """Map a portrait's bits after checking header and size; nothing else is read.

    Raises:
        UserError: There is no portrait, or the files do not fit each other.
    """
    description = read_description(folder / DESCRIPTION)
    path = folder / description.bits_file
    if not path.is_file():
        raise UserError(f"{folder} has no {path.name}: download or build the portrait again")
    expected = len(description.header) + description.shape.size_in_bytes
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size != expected:
            raise UserError(f"{path} has {size:,} bytes, not the {expected:,} of its description: it was cut short")
        if file.read(len(description.header)) != description.header:
            raise UserError(f"{path} has another number of hashes than its description")
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return description, np.frombuffer(mapped, np.uint8, offset=len(description.header))


def verify(description: Description, array: Bytes) -> None:
    """Read every bit and compare with the description, which was compared with its own hash when it was read.

    Raises:
        UserError: The bits are not those that were described.

    Warns:
        UncheckedDescriptionWarning: The description has no hash, since an earlier version wrote it.
    """
    if sha256_of(description.header, array) != description.sha256:
        raise UserError("the portrait's bits are not those of its description: download or build it again")
    if count_ones(array) != description.ones:
        raise UserError("the portrait's description counts another number of ones: download or build it again")
    if not description.is_checked:
        warnings.warn(
            f"the portrait's bits are sound, but its {DESCRIPTION} is unchecked: an earlier selfknow wrote it without "
            "a hash (build the portrait again, or save it again if you trust it)",
            UncheckedDescriptionWarning,
            stacklevel=3,
        )


def read_verified(folder: Path) -> Description:
    """The description of a portrait folder whose every bit and card were checked.

    Raises:
        UserError: There is no portrait, it is not as described, or it has no card.
    """
    description, array = read_folder(folder)
    try:
        verify(description, array)
    except UserError as error:
        raise UserError(f"{folder}: {error}") from error
    if not (folder / CARD).is_file():
        raise UserError(f"{folder} has no {CARD}: build the portrait again")
    return description


def sha256_of(header: bytes, array: Bytes) -> str:
    """The sha256 of the file that holds these bits."""
    digest = hashlib.sha256(header)
    for start in range(0, len(array), _CHUNK_BYTES):
        digest.update(array[start : start + _CHUNK_BYTES].data)
    return digest.hexdigest()


def count_ones(array: Bytes) -> int:
    """How many bits are set."""
    ones = 0
    for start in range(0, len(array), _CHUNK_BYTES):
        chunk = array[start : start + _CHUNK_BYTES]
        whole = len(chunk) // 8 * 8
        ones += int(np.bitwise_count(chunk[:whole].view(np.uint64)).sum(dtype=np.int64))
        ones += int(np.bitwise_count(chunk[whole:]).sum(dtype=np.int64))
    return ones
