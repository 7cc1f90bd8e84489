"""A larger limit of self-aware asks all that a smaller one asks, in the shares of the whole."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfknow.errors import UserError
from selfknow.evaluate.dataset import ConfigFiles, open_dataset
from selfknow.evaluate.run import ask
from selfknow.evaluate.tasks.self_aware.questions import _in_proportion, _spread, read_questions


def test_worked_examples_that_a_larger_limit_changes_make_another_run(
    aware_folder: ConfigFiles, tmp_path: Path
) -> None:
    ask(str(aware_folder.folder), lambda prompt: "unknown", out=tmp_path / "run", form="icl", limit=2, quiet=True)
    settings = json.loads((tmp_path / "run" / "run.json").read_text())["settings"]
    assert len(settings["shots"]) == 6
    path = tmp_path / "run" / "run.json"
    path.write_text(path.read_text().replace(settings["shots"][0], "Another question?"))
    with pytest.raises(UserError, match=r"its settings\.shots is"):
        ask(str(aware_folder.folder), lambda prompt: "unknown", out=tmp_path / "run", form="icl", limit=3, quiet=True)


def test_a_larger_limit_of_self_aware_asks_all_that_a_smaller_one_asks() -> None:
    dataset = open_dataset("self-aware")
    whole = read_questions(dataset)
    smaller: set[str] = set()
    for limit in (1, 2, 6, 20, 30, 300, len(whole)):
        rows = read_questions(dataset, limit)
        ids = set(rows["id"].to_pylist())
        assert len(ids) == limit
        assert smaller < ids
        answerable = rows["answerable"].to_pylist().count(True)
        assert abs(answerable - limit * whole["answerable"].to_pylist().count(True) / len(whole)) < 1
        smaller = ids


@given(st.lists(st.lists(st.integers(), min_size=1, max_size=30), min_size=1, max_size=6))
def test_every_beginning_of_merged_groups_has_about_the_share_of_each(groups: list[list[int]]) -> None:
    merged, total = _in_proportion(groups), sum(map(len, groups))
    assert [member for number, member in merged if number == 0] == groups[0], "a group's own order stays"
    assert sorted(number for number, _ in merged) == [number for number, group in enumerate(groups) for _ in group]
    for end in range(total + 1):
        for number, group in enumerate(groups):
            share = sum(of == number for of, _ in merged[:end])
            assert abs(share - end * len(group) / total) < max(1, len(groups) / 2)


@pytest.mark.parametrize("size", [1, 2, 7, 64, 100])
def test_every_beginning_of_spread_places_reaches_over_all_of_them(size: int) -> None:
    order = _spread(range(size))
    assert sorted(order) == list(range(size))
    quarters = {place * 4 // size for place in order[: max(8, size // 2)]}
    assert quarters == {place * 4 // size for place in range(size)}
