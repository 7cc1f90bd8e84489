"""The folder of a portrait: the bits, the card, and ``portrait.json``, written last to mark the folder complete."""

import hashlib
import mmap
import os
import warnings
from pathlib import Path

import numpy as np

from selfknow.errors import SelfknowWarning, UserError, argument
from selfknow.files import remove_unfinished, write_whole, written_whole
from selfknow.portraits.card import card_text
from selfknow.portraits.checkpoint import discard_checkpoint
from selfknow.portraits.description import DESCRIPTION, Description, read_description
from selfknow.portraits.filter.segments import Bytes

CARD = "README.md"
_CHUNK_BYTES = 1 << 24


class UncheckedDescriptionWarning(SelfknowWarning):
    """A warning that a portrait's description has no hash, so a change to it would go unnoticed."""


def write_folder(description: Description, array: Bytes, folder: Path, *, overwrite: bool) -> None:
    """Write a portrait; a reader never sees half of one.

    Raises:
        UserError: The folder holds a portrait and ``overwrite`` is false, or it holds something else.
    """
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file, not a folder")
    names = {path.name for path in folder.iterdir()} if folder.exists() else set()
    if DESCRIPTION in names and not overwrite:
        raise UserError(f"{folder} holds a portrait already: give another folder, or use {argument('overwrite', True)}")
    if names - {DESCRIPTION, CARD} and DESCRIPTION not in names and not _are_left_overs(names):
        raise UserError(f"{folder} is not empty and holds no portrait: give another folder")
    folder.mkdir(parents=True, exist_ok=True)
    remove_unfinished(folder)
    with written_whole(folder / description.bits_file) as file:
        file.write(description.header)
        for start in range(0, len(array), _CHUNK_BYTES):
            file.write(array[start : start + _CHUNK_BYTES].data)
        # New bits beside an old description would look complete, so the description goes first.
        (folder / DESCRIPTION).unlink(missing_ok=True)
    write_whole(folder / CARD, card_text(description).encode())
    write_whole(folder / DESCRIPTION, description.to_json().encode())
    discard_checkpoint(folder)


def _are_left_overs(names: set[str]) -> bool:
    """Return True if a killed write could have left all these files."""
    return all(name.startswith((".", "bits.", CARD)) for name in names)


def read_folder(folder: Path) -> tuple[Description, Bytes]:
    """Read a portrait's description and map its bits; of the bits' file, only header and size are checked.

    Raises:
        UserError: There is no portrait, or its files do not match each other.
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
    """Check every bit against the description; reading has checked the description against its own hash.

    Raises:
        UserError: The bits do not match the description.

    Warns:
        UncheckedDescriptionWarning: The description has no hash, since an earlier version wrote it.
    """
    if sha256_of(description.header, array) != description.sha256:
        raise UserError("the portrait's bits do not match its description: download or build it again")
    if count_ones(array) != description.ones:
        raise UserError("the portrait has another number of ones than its description: download or build it again")
    if not description.is_checked:
        warnings.warn(
            f"the portrait's bits are sound, but its {DESCRIPTION} is unchecked, since an earlier selfknow wrote it "
            "without a hash: build the portrait again, or save it again if you trust it",
            UncheckedDescriptionWarning,
            stacklevel=3,
        )


def read_verified(folder: Path) -> Description:
    """Check a portrait folder, every bit and the card, and return its description.

    Raises:
        UserError: There is no portrait, its bits do not match the description, or it has no card.
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
    """Return the SHA-256 of the file that holds these bits."""
    digest = hashlib.sha256(header)
    for start in range(0, len(array), _CHUNK_BYTES):
        digest.update(array[start : start + _CHUNK_BYTES].data)
    return digest.hexdigest()


def count_ones(array: Bytes) -> int:
    """Count the bits that are set."""
    ones = 0
    for start in range(0, len(array), _CHUNK_BYTES):
        chunk = array[start : start + _CHUNK_BYTES]
        num_in_words = len(chunk) // 8 * 8
        ones += int(np.bitwise_count(chunk[:num_in_words].view(np.uint64)).sum(dtype=np.int64))
        ones += int(np.bitwise_count(chunk[num_in_words:]).sum(dtype=np.int64))
    return ones
