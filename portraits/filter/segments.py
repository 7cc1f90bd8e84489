"""Segments of texts: long texts are cut into pieces that overlap by one n-gram less a character.

A segment is a run of bytes whose n-grams are hashed in one go, so that many threads can share one long text and buffers
stay small. The n-grams of a text's segments, one after the other, are exactly the text's own.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

MAX_SEGMENT_BYTES = 1 << 16

Bytes = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Segments:
    """Runs of bytes of texts.

    Attributes:
        starts: Index of each segment's first byte, which starts a code point.
        ends: Index one past each segment's last byte.
        skips: Code points before the segment's first n-gram (a piece can begin within a tile).
        firsts: Index of each text's first segment; shape (texts + 1,).
    """

    starts: Positions
    ends: Positions
    skips: Positions
    firsts: Positions


def cut(data: Bytes, offsets: Positions, width: int, stride: int) -> Segments:
    """Cut texts into segments.

    Args:
        data: UTF-8 bytes of all texts.
        offsets: Start of each text and end of the last, in bytes; shape (texts + 1,).
        width: Characters of an n-gram.
        stride: Characters from one n-gram to the next.
    """
    lengths = np.diff(offsets)
    (long_texts,) = np.nonzero(lengths > max(MAX_SEGMENT_BYTES, 8 * width) * 2)
    if not len(long_texts):
        texts = len(lengths)
        return Segments(offsets[:-1], offsets[1:], np.zeros(texts, np.int64), np.arange(texts + 1, dtype=np.int64))
    pieces = {
        text: list(_pieces(data, int(offsets[text]), int(offsets[text + 1]), width, stride))
        for text in long_texts.tolist()
    }
    counts = np.ones(len(lengths), np.int64)
    counts[long_texts] = [len(pieces[text]) for text in long_texts.tolist()]
    firsts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    starts, ends = np.repeat(offsets[:-1], counts), np.repeat(offsets[1:], counts)
    skips = np.zeros(len(starts), np.int64)
    for text, rows in pieces.items():
        indices = slice(firsts[text], firsts[text + 1])
        starts[indices], ends[indices], skips[indices] = np.array(rows, dtype=np.int64).T
    return Segments(starts, ends, skips, firsts)


def text_offsets(counts: Positions, segments: Segments) -> Positions:
    """Return the index of each text's first n-gram, from the number of n-grams of each segment."""
    return np.asarray(np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])[segments.firsts])


def _pieces(data: Bytes, start: int, end: int, width: int, stride: int) -> Iterator[tuple[int, int, int]]:
    """Yield start, end and skip of each piece of one text."""
    size = max(MAX_SEGMENT_BYTES, 8 * width)
    code_points = 0  # before `start`
    while start < end:
        next_start = _find_code_point(data, min(start + size, end), end, 0)
        yield start, _find_code_point(data, next_start, end, width - 1), -code_points % stride
        code_points += int(np.count_nonzero((data[start:next_start] & 0xC0) != 0x80))
        start = next_start


def _find_code_point(data: Bytes, position: int, end: int, code_points: int) -> int:
    """Return the next start of a code point from ``position`` on, ``code_points`` further, and at most ``end``."""
    window = data[position : min(end, position + 4 * code_points + 4)]
    (leads,) = np.nonzero((window & 0xC0) != 0x80)
    return position + int(leads[code_points]) if len(leads) > code_points else end
