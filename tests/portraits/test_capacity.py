"""Estimating how many distinct n-grams a corpus has."""

import numpy as np
import pytest

from selfknow.portraits import Portrait
from selfknow.portraits.filter import capacity
from selfknow.portraits.filter.capacity import DistinctCounter
from selfknow.portraits.filter.hashing import mix


def hashes(first: int, last: int) -> np.ndarray:
    return np.array([mix(i) for i in range(first, last)], np.uint64)


def count(*parts: np.ndarray) -> int:
    counter = DistinctCounter()
    for part in parts:
        counter.add(part)
    return counter.upper_bound()


def test_few_are_counted_exactly() -> None:
    assert count(hashes(0, 1000), hashes(500, 1500)) == 1500
    assert count() == 0
    assert Portrait.build(["a" * 100 + "b"]).description.capacity == 2


def test_many_are_estimated_from_above_alike_in_any_order_and_partition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity, "_EXACT_NGRAMS", 1000)
    parts = [hashes(i * 20_000, (i + 2) * 20_000) for i in range(10)]
    distinct = 220_000
    upper = count(*parts)
    assert distinct <= upper <= distinct * 1.15
    assert count(*reversed(parts)) == upper
    split = [DistinctCounter() for _ in range(3)]
    for i, part in enumerate(parts):
        split[i % 3].add(part[::-1])
    merged = split[2].close().merge(split[0].close()).merge(split[1].close())
    assert merged.upper_bound() == upper


def test_the_bound_never_exceeds_the_number_of_ngrams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity, "_EXACT_NGRAMS", 1000)
    assert count(hashes(0, 5000)) <= 5000
