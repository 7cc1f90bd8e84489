"""Arrow columns of many texts, made from pieces of a small pool without a Python object for each text."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_LARGEST_COLUMN_IN_BYTES = 2**31 - 1


class PiecePool:
    """Strings that texts are made of, addressed by number.

    >>> pool = PiecePool(greetings=pa.array(["Hello ", "Bye "]), names=pa.array(["Ann", "Bob"]))
    >>> pieces = np.array([pool.start("greetings"), pool.start("names") + 1])
    >>> pool.texts(pieces, np.array([0, 2])).to_pylist()
    ['Hello Bob']
    """

    def __init__(self, **groups: pa.Array) -> None:
        starts = np.cumsum([0, *map(len, groups.values())])
        self._starts = dict(zip(groups, starts.tolist(), strict=False))
        self._pieces = pa.concat_arrays(list(groups.values()))

    def start(self, group: str) -> int:
        """Return the number of a group's first piece; the others follow it."""
        return int(self._starts[group])

    def texts(self, pieces: NDArray[np.integer], boundaries: NDArray[np.int64]) -> pa.StringArray:
        """Concatenate pieces to texts: text i is made of ``pieces[boundaries[i]:boundaries[i + 1]]``.

        Args:
            pieces: Piece numbers, shape (p,).
            boundaries: Increasing positions in ``pieces`` from 0 to p, shape (t + 1,).

        Returns:
            The t texts, which share one buffer of bytes.
        """
        joined = self._pieces.take(pa.array(pieces))
        assert joined.nbytes < _LARGEST_COLUMN_IN_BYTES, "a block's texts fit 32-bit offsets"
        _, offsets, data = joined.buffers()
        ends = np.frombuffer(offsets, dtype=np.int32)[boundaries]
        return pa.StringArray.from_buffers(len(boundaries) - 1, pa.py_buffer(ends), data)


def concatenated_ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the numbers of each range [start, start + length), one range after the other.

    They have 32 bits: a block's ranges are its largest arrays, so wider numbers would raise its peak memory.

    >>> concatenated_ranges(np.array([5, 1]), np.array([2, 3])).tolist()
    [5, 6, 1, 2, 3]
    """
    assert (starts + lengths).max(initial=0) <= np.iinfo(np.int32).max, "a block has fewer pieces"
    before = np.cumsum(lengths) - lengths
    ranges = np.repeat((starts - before).astype(np.int32), lengths)
    ranges += np.arange(len(ranges), dtype=np.int32)
    return ranges
