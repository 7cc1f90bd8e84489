"""Counting rows that differ: given rows, expected counts."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.errors import UserError
from selfknow.hub.dataset_changes import count_row_changes
from selfknow.hub.plan import check_tag

ROW = {"id": "a", "text": "one", "lengths": [1, 2], "entry": None}


@pytest.mark.parametrize(
    ("served", "expected"),
    [
        ([ROW], (0, 0, 0)),
        ([], (1, 0, 0)),
        ([{**ROW, "text": "One"}], (0, 0, 1)),
        ([{**ROW, "text": None}], (0, 0, 1)),
        ([{**ROW, "entry": 0}], (0, 0, 1)),
        ([{**ROW, "lengths": [2, 1]}], (0, 0, 1)),
        ([{**ROW, "lengths": [1, 2, None]}], (0, 0, 1)),
        ([{**ROW, "id": "A"}], (1, 1, 0)),
        ([ROW, {**ROW, "id": "b"}], (0, 1, 0)),
    ],
)
def test_rows_are_told_apart_by_id_and_compared_whole(tmp_path: Path, served, expected) -> None:
    assert count_row_changes([_write(tmp_path / "local", [ROW])], [_write(tmp_path / "served", served)]) == expected


def test_a_column_more_changes_every_row(tmp_path: Path) -> None:
    more = pa.table({"id": ["a", "b"], "extra": [None, None]}, pa.schema([("id", pa.string()), ("extra", pa.int64())]))
    pq.write_table(more, tmp_path / "more")
    pq.write_table(more.select(["id"]), tmp_path / "less")
    assert count_row_changes([tmp_path / "more"], [tmp_path / "less"]) == (0, 0, 2)


def test_rows_may_lie_in_any_number_of_files_in_any_order(tmp_path: Path) -> None:
    rows = [{**ROW, "id": str(number)} for number in range(10)]
    halves = [_write(tmp_path / "0", rows[7:]), _write(tmp_path / "1", rows[:7][::-1])]
    assert count_row_changes(halves, [_write(tmp_path / "whole", rows)]) == (0, 0, 0)


def test_files_without_an_id_cannot_be_compared(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["a"]}), tmp_path / "table")
    with pytest.raises(UserError, match="cannot be compared"):
        count_row_changes([tmp_path / "table"], [tmp_path / "table"])


@pytest.mark.parametrize("tag", ["", "v 1", "-v1", "v1..2", "a/b", "v1.lock", "v1.", "vé", "v1\n"])
def test_what_git_takes_for_no_tag_is_refused(tag) -> None:
    with pytest.raises(UserError, match="is not the name of a tag"):
        check_tag(tag)


@pytest.mark.parametrize("tag", ["v1.0.0", "v2", "seed-1", "1.0.0rc1", "v1.0.0+cpu"])
def test_what_git_takes_for_a_tag_is_taken(tag) -> None:
    assert check_tag(tag) == tag


def _write(path: Path, rows: list[dict]) -> Path:
    schema = pa.schema(
        [("id", pa.string()), ("text", pa.string()), ("lengths", pa.list_(pa.int64())), ("entry", pa.int64())]
    )
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path)
    return path
