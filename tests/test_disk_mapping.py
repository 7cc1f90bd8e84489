"""Facts about calls lie on disk: any key and value comes back as it was, and memory stays the same."""

import tracemalloc

import pytest

from selfknow.disk_mapping import DiskMapping
from selfknow.errors import UserError


def test_values_come_back_by_keys_that_are_told_apart() -> None:
    values = {
        ("a", 1): [0.1, None, "no\0number"],
        ("a", "1"): "\ud800",
        ("a", None): float("-inf"),
        ("a",): {"b": 1},
        ("a,", 1): 0,
    }
    with DiskMapping() as mapping:
        mapping.update(values.items())
        assert {key: mapping.get(*key) for key in values} == values
        assert mapping.get("a", 2) is None


def test_a_later_value_replaces_an_earlier_one() -> None:
    with DiskMapping() as mapping:
        mapping.update([(["key"], 1), (["other"], 0), (["key"], 2)])
        mapping.update([(["other"], 3)])
        assert [mapping.get(key) for key in ("key", "other", "k")] == [2, 3, None]


def test_ten_thousand_values_take_no_memory_of_python() -> None:
    with DiskMapping() as mapping:
        tracemalloc.start()
        try:
            mapping.update(([f"a rather long key {number}"], f"a value {number}") for number in range(10_000))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 100_000


def test_a_full_disk_is_told_in_one_line() -> None:
    with DiskMapping() as mapping:
        mapping._database.execute("pragma max_page_count = 2")
        with pytest.raises(UserError, match=r"^a temporary file of facts about calls cannot be written: .*full$"):
            mapping.update([(["key"], "x" * 100_000)])


def test_a_required_key_without_a_value_is_refused_by_its_name() -> None:
    with DiskMapping() as mapping:
        mapping.update([(("text", "a"), 1)])
        assert mapping.require("text", "a") == 1
        with pytest.raises(UserError, match="refers to 'b', which is not in the run"):
            mapping.require("text", "b")
