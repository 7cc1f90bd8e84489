"""The import of RedisBloom dumps that the Data Portraits tool published, without a Redis server.

A dump is an index (JSON that lists the blocks, each with its part file) and the part files. In the legacy form, one
file has all blocks, and ``<file>.idx`` is a JSON list of them. The first block is the filter's header; the others are
its bits in order.
"""

import os
import re
import struct
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from selfknow.errors import UserError, argument
from selfknow.files import parse_json
from selfknow.portraits.description import REDISBLOOM_HASH, Description
from selfknow.portraits.filter.layout import FilterShape
from selfknow.portraits.filter.ngrams import Batch, shares_by_bytes
from selfknow.portraits.filter.segments import Bytes, Positions, text_offsets
from selfknow.portraits.filter.workers import run
from selfknow.portraits.storage import count_ones, sha256_of, write_folder

_HEADER = struct.Struct("=QLLLQQQddLQB")
_FORCE_64_BIT_HASH = 4
_SIZES_IN_NAME = re.compile(r"\.(\d+)-(\d+)\.bf$")


class _Header(NamedTuple):
    """The fields of a dump's first block, in their order."""

    items: int
    filters: int
    options: int
    growth: int
    size_in_bytes: int
    size_in_bits: int
    current_size: int
    error_rate: float
    bits_per_item: float
    hashes: int
    capacity: int
    log2_bits: int


def import_redisbloom(
    index: Path, folder: Path, *, width: int | None = None, stride: int | None = None, overwrite: bool = False
) -> None:
    """Convert a RedisBloom dump into a portrait folder that gives the same answers.

    Args:
        index: The path ``<name>.<width>-<stride>.bf``: an index, or a legacy file of blocks with ``<index>.idx``
            beside it.
        folder: Folder to write the portrait to; the bits pass through a temporary file beside it, not through memory.
        width: Characters of an n-gram; from the index or the file's name by default.
        stride: Characters from one n-gram to the next; from the file's name by default.
        overwrite: Replace a portrait in the folder.

    Raises:
        UserError: The dump is damaged or incomplete, or is not a single 64-bit filter.
    """
    blocks, index_width = _read_index(index)
    width, stride = _sizes(index, index_width if width is None else width, stride)
    contents = _read_blocks(index, blocks)
    header = _read_header(index, next(contents))
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder.parent) as file:
        for content in contents:
            file.write(content)
        if file.tell() != header.size_in_bytes:
            raise UserError(
                f"{index} holds {file.tell():,} bytes of bits, not the {header.size_in_bytes:,} of its header: "
                "a part is missing or cut short"
            )
        file.flush()
        array = np.asarray(np.memmap(file, np.uint8, "r"))
        description = Description(
            width=width,
            stride=stride,
            normalization="data-portraits",
            hash=REDISBLOOM_HASH,
            capacity=header.capacity,
            items=header.items,
            size_in_bits=header.size_in_bits,
            hashes=header.hashes,
            false_positive_rate=header.error_rate,
            ones=count_ones(array),
            sha256=sha256_of(b"", array),
            corpus={"path": index.name, "imported_from": "a RedisBloom dump of the Data Portraits tool"},
        )
        write_folder(description, array, folder, overwrite=overwrite)


@dataclass(frozen=True)
class _Block:
    file: Path
    size_in_bytes: int


def _read_index(index: Path) -> tuple[list[_Block], int | None]:
    legacy = index.with_name(index.name + ".idx")
    path = legacy if legacy.is_file() else index
    try:
        value = parse_json(path.read_bytes())
        rows: list[dict[str, Any]] = value if path == legacy else value["blocks"]
        blocks = [_Block(_part_file(index, row, is_legacy=path == legacy), int(row["block_size"])) for row in rows]
        width = None if path == legacy else value.get("width")
    except FileNotFoundError:
        raise UserError(f"{index} does not exist") from None
    except (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise UserError(
            f"{path} is not the index of a RedisBloom dump ({type(error).__name__}: {error}); a legacy single file "
            f"needs its index {legacy.name} beside it"
        ) from error
    if not blocks or any(block.size_in_bytes < 0 for block in blocks):
        raise UserError(f"{path} is damaged: it lists no blocks, or one of a negative size")
    return blocks, width


def _part_file(index: Path, row: dict[str, Any], *, is_legacy: bool) -> Path:
    if is_legacy:
        return index
    name = row["part_file"]
    if Path(name).name != name:
        raise ValueError(f"part file {name!r} is not a plain file name")
    return index.with_name(name)


def _read_blocks(index: Path, blocks: list[_Block]) -> Iterator[bytes]:
    """Yield each block's bytes; the blocks of one file lie one after the other."""
    ends: dict[Path, int] = {}
    for block in blocks:
        try:
            with block.file.open("rb") as file:
                start = ends.get(block.file, 0)
                if start + block.size_in_bytes > os.fstat(file.fileno()).st_size:
                    raise UserError(f"{block.file} is cut short: download it again")
                file.seek(start)
                content = file.read(block.size_in_bytes)
        except FileNotFoundError:
            raise UserError(f"{index} lacks its part {block.file.name}: download it") from None
        except OSError as error:
            raise UserError(f"{block.file} cannot be read: {error.strerror or error}") from error
        ends[block.file] = start + len(content)
        yield content


def _read_header(index: Path, content: bytes) -> _Header:
    if len(content) < _HEADER.size:
        raise UserError(f"{index}: the first block is not a RedisBloom header")
    header = _Header._make(_HEADER.unpack_from(content))
    if header.filters != 1 or len(content) != _HEADER.size:
        raise UserError(
            f"{index} holds a filter that has grown to {header.filters} layers; only a filter of fixed size can become "
            "a portrait"
        )
    if not header.options & _FORCE_64_BIT_HASH:
        raise UserError(f"{index} was made with RedisBloom's 32-bit hash, which is not supported")
    if header.size_in_bits != header.size_in_bytes * 8 or not header.size_in_bits or not 1 <= header.hashes <= 64:
        raise UserError(f"{index}: the header is damaged (its sizes contradict each other)")
    if header.log2_bits and header.size_in_bits != 1 << header.log2_bits:
        raise UserError(f"{index}: the header is damaged (its size is not the power of two that it states)")
    if not 0 < header.error_rate < 1 or header.capacity < 1:
        raise UserError(f"{index}: the header is damaged (error rate {header.error_rate}, capacity {header.capacity})")
    return header


def _sizes(index: Path, width: int | None, stride: int | None) -> tuple[int, int]:
    match = _SIZES_IN_NAME.search(index.name)
    if match and width is None:
        width = int(match[1])
    if match and stride is None:
        stride = int(match[2])
    if type(width) is not int or type(stride) is not int or width < 1 or stride < 1:
        raise UserError(
            f"the name {index.name} does not say width and stride: give {argument('width')} and {argument('stride')}"
        )
    return width, stride


class RedisBloomAsker:
    """A reader of a RedisBloom bit array, which looks up the n-grams of batches of texts."""

    def __init__(self, shape: FilterShape, array: Bytes, threads: int) -> None:
        self._shape, self._array, self._threads = shape, array, threads

    def hits(self, batch: Batch) -> tuple[Bytes, Positions]:
        """Look up the n-grams of a batch in the filter.

        Returns:
            One uint8 for each n-gram, 1 if the filter holds it, else 0; and the int64 offsets of each text's first
            n-gram, shape (texts + 1,).
        """
        from selfknow.portraits.filter.murmur import answer_segments

        segments = batch.segments()
        counts = np.zeros(len(segments.starts), np.int64)

        def answer(share: tuple[int, int]) -> Bytes:
            first, last = share
            hits = np.empty(int(np.sum(segments.ends[first:last] - segments.starts[first:last])), np.uint8)
            num_ngrams = answer_segments(
                batch.data, segments.starts, segments.ends, segments.skips, first, last, batch.width, batch.stride,
                self._shape.hashes, self._shape.size_in_bits, self._array, hits, counts,
            )  # fmt: skip
            return hits[: int(num_ngrams)]

        parts = run(answer, shares_by_bytes(segments, self._threads), self._threads)
        return np.concatenate([np.zeros(0, np.uint8), *parts]), text_offsets(counts, segments)
