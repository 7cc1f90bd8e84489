import hashlib
import json
import struct
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfknow.builders.folder.content_hash import content_hash, content_hash_of_files
from selfknow.errors import UserError

SCHEMA = pa.schema(
    {
        "text": pa.string(),
        "number": pa.int32(),
        "share": pa.float64(),
        "flag": pa.bool_(),
        "items": pa.list_(pa.string()),
    }
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "text": st.none() | st.text(max_size=9),
            "number": st.none() | st.integers(-(2**31), 2**31 - 1),
            "share": st.none() | st.floats(allow_nan=False),
            "flag": st.none() | st.booleans(),
            "items": st.none() | st.lists(st.none() | st.text(max_size=3), max_size=3),
        }
    ),
    min_size=1,
    max_size=12,
)


def reference(values: list[object]) -> list[str]:
    """Return the same digests, from one Python object after the other."""
    lengths, content, items, is_list = hashlib.sha256(), hashlib.sha256(), list[object](), False
    for value in values:
        if isinstance(value, str):
            encoded = value.encode()
        elif isinstance(value, float):
            encoded = struct.pack("<d", value)
        elif isinstance(value, int):
            encoded = struct.pack("<q", value)
        else:
            encoded = b""
        if isinstance(value, list):
            is_list = True
            items += value
        length = -1 if value is None else len(value) if isinstance(value, list) else len(encoded)
        lengths.update(struct.pack("<q", length))
        content.update(encoded)
    return [lengths.hexdigest(), content.hexdigest(), *(reference(items) if is_list else [])]


@given(rows=ROWS, cut=st.integers(0, 12))
def test_the_hash_is_the_documented_one_however_rows_are_cut_into_batches(rows: list[dict], cut: int) -> None:
    table = pa.Table.from_pylist(rows, SCHEMA)
    table = table.filter(pa.array([row["items"] is not None for row in rows]))  # a column of nothing has no items
    rows = [row for row in rows if row["items"] is not None]
    columns = [[name, reference([row[name] for row in rows])] for name in SCHEMA.names]
    expected = hashlib.sha256(json.dumps([["test", len(rows), columns if rows else []]]).encode()).hexdigest()
    batches = table.slice(0, cut).combine_chunks().to_batches() + table.slice(cut).combine_chunks().to_batches()
    assert content_hash({"test": [batch for batch in batches if batch.num_rows]}) == expected


def one_column(values: list[object], type_: pa.DataType) -> str:
    return content_hash({"train": [pa.record_batch({"value": pa.array(values, type_)})]})


@pytest.mark.parametrize(
    ("first", "second", "type_"),
    [
        (["ab", "c"], ["a", "bc"], pa.string()),  # another boundary
        ([None], [""], pa.string()),  # null is not empty
        (["é"], ["e\u0301"], pa.string()),  # other code points that look the same
        (["a", "b"], ["b", "a"], pa.string()),  # another order
        ([None], [0], pa.int32()),
        ([[1], [2]], [[1, 2], []], pa.list_(pa.int32())),
        ([None], [[]], pa.list_(pa.int32())),
    ],
)
def test_what_differs_has_another_hash(first: list[object], second: list[object], type_: pa.DataType) -> None:
    assert one_column(first, type_) != one_column(second, type_)


def test_integers_have_one_hash_whatever_their_width() -> None:
    assert one_column([1, None, -2], pa.int32()) == one_column([1, None, -2], pa.int64())


def test_another_name_of_a_split_or_column_gives_another_hash() -> None:
    batch = pa.record_batch({"a": ["x"]})
    hashes = {
        content_hash({"train": [batch]}),
        content_hash({"test": [batch]}),
        content_hash({"train": [batch.rename_columns(["b"])]}),
    }
    assert len(hashes) == 3


def test_the_hash_does_not_depend_on_files_or_row_groups(tmp_path: Path) -> None:
    table = pa.table({"text": [f"row {i}" for i in range(100)], "items": [[i, None] for i in range(100)]})
    pq.write_table(table, tmp_path / "whole.parquet", compression="none")
    for index, start in enumerate(range(0, 100, 30)):
        pq.write_table(table.slice(start, 30), tmp_path / f"part-{index}.parquet", row_group_size=7, compression="zstd")
    whole = content_hash_of_files({"train": [tmp_path / "whole.parquet"]})
    assert content_hash_of_files({"train": sorted(tmp_path.glob("part-*"))}) == whole
    assert content_hash_of_files({"train": sorted(tmp_path.glob("part-*"), reverse=True)}) != whole


def test_a_type_that_no_corpus_has_is_refused() -> None:
    with pytest.raises(UserError, match="timestamp"):
        one_column([0], pa.timestamp("s"))
