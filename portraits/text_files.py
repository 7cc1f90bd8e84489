"""Text files as Arrow arrays: a text for each line, or one for the whole file; plain, gzip or Zstandard."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from selfknow.errors import UserError

_READ_BYTES = 8 << 20


def read_text_file(path: Path, *, whole: bool) -> Iterator[pa.Array]:
    """Read a UTF-8 text file.

    Args:
        path: ``.txt``, ``.txt.gz`` or ``.txt.zst``.
        whole: Read the file as one text, in memory; otherwise each line is a text, without its line end.

    Raises:
        UserError: The file is not UTF-8, or its compression is damaged.
    """
    try:
        if whole:
            yield _text_array([b"".join(_blocks(path))], path)
            return
        rest = b""
        for block in _blocks(path):
            *lines, rest = (rest + block).split(b"\n")
            yield _text_array([line.removesuffix(b"\r") for line in lines], path)
        if rest:
            yield _text_array([rest.removesuffix(b"\r")], path)
    except OSError as error:
        raise UserError(f"cannot read {path}: {error}") from error


def _blocks(path: Path) -> Iterator[bytes]:
    with pa.input_stream(str(path), compression="detect") as stream:
        while block := stream.read(_READ_BYTES):
            yield block


def _text_array(lines: list[bytes], path: Path) -> pa.Array:
    try:
        return pa.array(lines, pa.large_binary()).cast(pa.large_string())
    except pa.ArrowInvalid:
        raise UserError(f"{path} is not UTF-8 text: convert it first") from None
