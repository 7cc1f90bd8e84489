import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfknow.builders.randomness import RandomKey, Stream, permute

KEY = RandomKey(seed=0, size=994)


def test_the_words_of_a_key_never_change() -> None:
    # These words decide every corpus that was ever published.
    assert KEY.words(Stream.ENTRIES, 0, 1).tolist() == [
        882782091158959674,
        12783860057503849192,
        4489301313723772273,
        6772794103532615518,
    ]


def test_words_are_those_of_philox_as_numpy_documents_it() -> None:
    generator = np.random.Philox(key=np.array([7, 8], dtype=np.uint64), counter=np.array([5, 0, 0, 2], dtype=np.uint64))
    expected = generator.random_raw(8)
    assert (RandomKey(7, 8).words(Stream.ROW_ORDER, 5, 2) == expected).all()


@given(first=st.integers(0, 2**63), count=st.integers(1, 20), cut=st.integers(0, 20))
def test_words_have_an_address_and_do_not_depend_on_where_one_starts(first: int, count: int, cut: int) -> None:
    cut = min(cut, count)
    whole = KEY.words(Stream.ENTRIES, first, count)
    parts = [KEY.words(Stream.ENTRIES, first, cut), KEY.words(Stream.ENTRIES, first + cut, count - cut)]
    assert (whole == np.concatenate(parts)).all()


@pytest.mark.parametrize("other", [RandomKey(1, 994), RandomKey(0, 995), RandomKey(2**64 - 1, 994)])
def test_another_seed_or_size_gives_other_words(other: RandomKey) -> None:
    assert not (KEY.words(Stream.ENTRIES, 0, 4) == other.words(Stream.ENTRIES, 0, 4)).any()


def test_the_two_largest_seeds_give_different_words() -> None:
    first, second = (RandomKey(seed, 994).words(Stream.ENTRIES, 0, 4) for seed in (2**64 - 2, 2**64 - 1))
    assert not (first == second).any()


def test_streams_never_share_words() -> None:
    words = [KEY.words(stream, 0, 64) for stream in Stream]
    assert len(np.unique(np.concatenate(words))) == len(Stream) * 256


@given(domain_size=st.integers(2, 5_000), seed=st.integers(0, 2**64 - 1))
def test_a_permutation_sends_every_number_to_another_one(domain_size: int, seed: int) -> None:
    permuted = permute(np.arange(domain_size, dtype=np.uint64), domain_size, RandomKey(seed, domain_size))
    assert np.array_equal(np.sort(permuted), np.arange(domain_size))


def test_a_permutation_of_sixteen_million_names_repeats_none_of_ten_million() -> None:
    permuted = permute(np.arange(10_000_000, dtype=np.uint64), 16_000_000, KEY)
    assert permuted.max() < 16_000_000
    assert np.bincount(permuted.astype(np.int64), minlength=16_000_000).max() == 1
