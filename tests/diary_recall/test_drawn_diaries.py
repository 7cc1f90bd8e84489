from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfknow.builders.diary_recall.diaries import (
    Diaries,
    Shape,
    attributes,
    diaries,
    given_names,
    paper_sizes,
    sentence_texts,
    surnames,
)
from selfknow.errors import UserError

# Documents, train, validation and test questions, from Table 2 of the paper.
TABLE_2 = {
    "1k": [4_482, 894, 50, 50],
    "2k": [9_012, 1_804, 100, 100],
    "4k": [17_895, 3_577, 199, 199],
    "8k": [36_000, 7_200, 400, 400],
    "16k": [72_000, 14_400, 800, 800],
    "32k": [144_000, 28_800, 1_600, 1_600],
    "64k": [288_000, 57_600, 3_200, 3_200],
}
SHAPES = st.builds(
    Shape,
    num_diarists=st.integers(10, 400),
    seed=st.integers(0, 2**64 - 1),
    max_entries=st.integers(1, 20),
    max_attributes=st.integers(1, 8),
)


def entries(made: Diaries) -> list[list[str]]:
    """Return the sentences of every entry, in order."""
    ends = np.cumsum(made.lengths)
    texts = [sentence_texts()[sentence] for sentence in made.sentences]
    return [texts[end - length : end] for end, length in zip(ends, made.lengths, strict=True)]


@given(shape=SHAPES, start=st.integers(0, 400), stop=st.integers(0, 400))
@settings(deadline=None)
def test_any_part_of_a_corpus_can_be_made_alone(shape: Shape, start: int, stop: int) -> None:
    start, stop = sorted((start % (shape.num_diarists + 1), stop % (shape.num_diarists + 1)))
    if start == stop:
        return
    whole, part = diaries(shape, range(shape.num_diarists)), diaries(shape, range(start, stop))
    for name in ("numbers", "given_names", "surnames", "entry_counts"):
        assert np.array_equal(getattr(part, name), getattr(whole, name)[start:stop])
    first, last = (int(whole.entry_counts[:n].sum()) for n in (start, stop))
    assert np.array_equal(part.lengths, whole.lengths[first:last])
    assert entries(part) == entries(whole)[first:last]


@given(shape=SHAPES)
@settings(deadline=None)
def test_every_split_has_each_number_of_entries_as_often_as_any_other_to_within_one(shape: Shape) -> None:
    made = diaries(shape, range(shape.num_diarists))
    for members in shape.diarists_by_split.values():
        counts = np.bincount(made.entry_counts[members.start : members.stop], minlength=shape.max_entries + 1)
        assert counts[0] == 0
        assert len(counts) == shape.max_entries + 1
        assert counts[1:].max() - counts[1:].min() <= 1


@given(shape=SHAPES)
@settings(deadline=None)
def test_no_entry_repeats_an_attribute_or_is_longer_than_allowed(shape: Shape) -> None:
    for sentences in entries(diaries(shape, range(shape.num_diarists))):
        named = [sentence.split(": ")[0] for sentence in sentences]
        assert len(set(named)) == len(named)
        assert 1 <= len(named) <= shape.max_attributes


@given(num_diarists=st.integers(10, 16_000_000))
def test_the_splits_are_90_5_5_and_nobody_is_asked_twice(num_diarists: int) -> None:
    splits = Shape(num_diarists).diarists_by_split
    assert [part.start for part in splits.values()] == [0, splits["train"].stop, splits["validation"].stop]
    assert splits["test"].stop == num_diarists
    assert len(splits["validation"]) == len(splits["test"]) > 0
    assert abs(len(splits["test"]) - num_diarists / 20) <= 0.5


@pytest.mark.parametrize(("size", "expected"), TABLE_2.items())
def test_table_2_is_reached_to_the_last_document(size: str, expected: list[int]) -> None:
    shape = Shape(paper_sizes()[size].num_diarists)
    made = diaries(shape, range(shape.num_diarists))
    assert [len(made.lengths), *map(len, shape.diarists_by_split.values())] == expected


def test_table_3_is_the_papers() -> None:
    assert {name: list(values) for name, values in attributes().items()} == {
        "Location": ["City", "Countryside"],
        "Time": ["Morning", "Evening"],
        "Weather": ["Sunny", "Rain"],
        "Mood": ["Happy", "Sad"],
        "Restfulness": ["Tired", "Rested"],
        "Stress Level": ["Stressed", "Relaxed"],
        "Physical Activity": ["Running", "Weight Training"],
        "Meditated": ["Yes", "No"],
    }


def test_the_first_attribute_its_value_and_the_length_are_near_uniform() -> None:
    made = diaries(Shape(64_000), range(64_000))
    first = np.cumsum(made.lengths) - made.lengths
    for counts in (np.bincount(made.sentences[first]), np.bincount(made.lengths)[1:]):
        expected = len(made.lengths) / len(counts)
        assert np.abs(counts - expected).max() < 5 * expected**0.5  # five standard deviations


def test_orders_of_attributes_are_random_and_values_do_not_depend_on_them() -> None:
    made = diaries(Shape(32_000), range(32_000))
    pairs = Counter((text[0], text[1]) for text in entries(made) if len(text) >= 2)
    assert len(pairs) == 16 * 14
    expected = sum(pairs.values()) / len(pairs)
    assert max(abs(count - expected) for count in pairs.values()) < 6 * expected**0.5


def test_full_names_are_plausible_and_enough_for_ten_million_diarists() -> None:
    assert len(set(given_names())) * len(set(surnames())) >= 10_000_000
    for name in (*given_names(), *surnames()):
        assert name.isascii()
        assert name.isalpha()
        assert name == name.title()


def test_a_small_pool_of_names_makes_names_share_words_and_still_repeats_none() -> None:
    made = diaries(Shape(1_280, name_pool_size=36), range(1_280))
    assert len(set(zip(made.given_names.tolist(), made.surnames.tolist(), strict=True))) == 1_280
    assert len(set(made.given_names.tolist())) == len(set(made.surnames.tolist())) == 36
    assert made.given_names.max() > 3_800, "the pool is taken from the whole list"


@pytest.mark.parametrize("other", [{"seed": 1}, {"num_diarists": 995}])
def test_another_seed_or_size_tells_other_diaries(other: dict[str, int]) -> None:
    shape = Shape(994)
    first, second = (diaries(each, range(100)) for each in (shape, replace(shape, **other)))
    assert not np.array_equal(first.given_names, second.given_names)
    assert entries(first)[:50] != entries(second)[:50]


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"num_diarists": 9}, "between 10 and 16,000,000"),
        ({"num_diarists": 16_000_001}, "every name is unique"),
        ({"max_entries": 0}, "max_entries must be between 1"),
        ({"max_entries": 1_001}, "context"),
        ({"max_attributes": 9}, "no attribute comes twice"),
        ({"max_attributes": 0}, "max_attributes"),
        ({"name_pool_size": 31}, "between 10 and 961"),
        ({"name_pool_size": 4_001}, "no more names"),
        ({"seed": -1}, "64 bits"),
        ({"seed": 2**64}, "64 bits"),
    ],
)
def test_impossible_shapes_are_refused_with_the_reason(wrong: dict[str, int], reason: str) -> None:
    with pytest.raises(UserError, match=reason):
        Shape(**{"num_diarists": 994, **wrong})


def test_the_largest_possible_shapes_are_accepted() -> None:
    shape = Shape(16_000_000, seed=2**64 - 1, max_entries=1_000)
    last = diaries(shape, range(15_999_990, 16_000_000))
    assert len(last.entry_counts) == 10
