"""A reader of untrusted zip archives. It limits the inflated size of members, whatever size the archive declares."""

import io
import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pyarrow as pa

from selfknow.errors import UserError

LARGEST_MEMBER_IN_BYTES = 256 << 20
LARGEST_ARCHIVE_IN_BYTES = 4 << 30
_PIECE_IN_BYTES = 1 << 20
_ZSTD = 93  # zip's number for Zstandard, which Python's zipfile reads from 3.14 on
_LOCAL_HEADER_IN_BYTES = 30  # the last four bytes are the lengths of the member's name and extra field, which follow


def check_sizes(path: Path) -> None:
    """Check the inflated size of an archive, piece by piece and without storing anything.

    Raises:
        UserError: A member, or the sum of all members, is larger than the limit.
        OSError, ValueError, zipfile.BadZipFile: The archive cannot be read.
    """
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        _check_total(path, sum(entry.file_size for entry in entries))
        total = 0
        for entry in entries:
            total += sum(map(len, _pieces(archive, entry)))
            _check_total(path, total)


def read_member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """Return one member's bytes.

    Raises:
        UserError: The member is larger than the limit.
        OSError, ValueError, zipfile.BadZipFile: The member cannot be read.
    """
    return b"".join(_pieces(archive, entry))


def _pieces(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield a member's bytes, and check their real size, as the declared size may be wrong."""
    _check_member(entry, entry.file_size)
    size = 0
    with _open_member(archive, entry) as file:
        while piece := file.read(_PIECE_IN_BYTES):
            size += len(piece)
            _check_member(entry, size)
            yield piece


@contextmanager
def _open_member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[IO[bytes]]:
    if entry.compress_type != _ZSTD:
        with archive.open(entry) as file:
            yield file
        return
    archive_file = archive.fp
    assert archive_file is not None, "the archive is open"
    archive_file.seek(entry.header_offset + _LOCAL_HEADER_IN_BYTES - 4)
    name_length, extra_length = struct.unpack("<HH", archive_file.read(4))
    archive_file.seek(name_length + extra_length, io.SEEK_CUR)
    with pa.CompressedInputStream(pa.BufferReader(archive_file.read(entry.compress_size)), "zstd") as file:
        yield file


def _check_member(entry: zipfile.ZipInfo, size_in_bytes: int) -> None:
    if size_in_bytes > LARGEST_MEMBER_IN_BYTES:
        raise UserError(
            f"{entry.filename} in the archive is larger than {LARGEST_MEMBER_IN_BYTES >> 20} MiB when it is inflated"
        )


def _check_total(path: Path, size_in_bytes: int) -> None:
    if size_in_bytes > LARGEST_ARCHIVE_IN_BYTES:
        raise UserError(f"{path} is larger than {LARGEST_ARCHIVE_IN_BYTES >> 30} GiB when it is inflated: split it")
