import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from selfknow.builders.text_columns import PiecePool, concatenated_ranges

TEXT = st.text(max_size=5)


@given(
    first=st.lists(TEXT, min_size=1),
    second=st.lists(TEXT, min_size=1),
    texts=st.lists(st.lists(st.integers(0, 10_000))),
)
def test_texts_are_their_pieces_joined(first: list[str], second: list[str], texts: list[list[int]]) -> None:
    pool = PiecePool(first=pa.array(first, pa.string()), second=pa.array(second, pa.string()))
    pieces = first + second
    chosen = [[number % len(pieces) for number in text] for text in texts]
    flat = np.array([number for text in chosen for number in text], dtype=np.int64)
    boundaries = np.cumsum([0, *map(len, chosen)])
    assert pool.texts(flat, boundaries).to_pylist() == ["".join(pieces[number] for number in text) for text in chosen]
    assert pool.start("second") == len(first)


@given(st.lists(st.tuples(st.integers(0, 1_000), st.integers(0, 9)), min_size=1))
def test_concatenated_ranges_are_the_ranges_one_after_the_other(ranges: list[tuple[int, int]]) -> None:
    starts, lengths = np.array(ranges).T
    expected = [number for start, length in ranges for number in range(start, start + length)]
    assert concatenated_ranges(starts, lengths).tolist() == expected
