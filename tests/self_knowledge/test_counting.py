"""Counting by stated rules."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfknow.evaluate.readers.numbers import numerals, whole_numbers
from selfknow.evaluate.tasks.self_knowledge.counting import (
    count_mentions,
    count_occurrences,
    count_positive_words,
    count_prepositions,
    count_words,
    word_at,
)

WORDS = st.lists(st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9'-]{0,6}[A-Za-z0-9])?", fullmatch=True), max_size=30)


@settings(max_examples=50, deadline=None)
@given(WORDS, st.sampled_from([" ", "\n", " – ", " ... ", "  "]))
def test_as_many_words_are_counted_as_were_joined(words: list[str], between: str) -> None:
    assert count_words(between.join(words)) == len(words)
    for position, word in enumerate(words, start=1):
        assert word_at(between.join(words), position) == word.casefold()
    assert word_at(between.join(words), len(words) + 1) is None


@given(st.text())
def test_no_text_breaks_a_count(text: str) -> None:
    assert count_words(text) <= len(text.split())
    assert count_prepositions(text) >= 0
    assert count_positive_words(text) >= 0


@pytest.mark.parametrize(
    ("text", "count"),
    [("river", 1), ("rivers", 0), ("River's", 1), ("river_bed", 0), ("river-bed RIVER.", 2), ("driver", 0), ("", 0)],
)
def test_a_keyword_is_a_whole_word(text: str, count: int) -> None:
    assert count_occurrences(text, ["river"]) == count


def test_prepositions_and_positive_words_come_from_closed_lists() -> None:
    assert count_prepositions("He walked from the house to the river, into it, without a word.") == 4
    assert count_positive_words("A happy, sunny day of joy; unhappy nobody.") == 3


def test_a_name_is_told_from_a_longer_name_that_holds_it() -> None:
    assert count_mentions("Guinea and Guinea-Bissau, and Papua New Guinea.", "countries") == 3
    assert count_mentions("South Sudan is not Sudan; New Mexico is no country.", "countries") == 2
    assert count_mentions("West Virginia and Virginia, Virginia!", "states of the United States") == 2
    assert count_mentions("mars bars on Mars", "planets of the Solar System") == 1


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("56", [56]),
        ("56.", [56]),
        ("1,024 words", [1024]),
        ("56.5", []),
        ("-3", []),
        ("50-60", []),
        ("2nd", []),
        ("7/8", []),
        ("x25", []),
        ("fifty-six", [56]),
        ("One hundred and seven words", [107]),
        ("someone", []),
        ("often", []),
        ("twenty one 3", [3]),
    ],
)
def test_whole_numbers_are_told_from_what_looks_like_them(text: str, numbers: list[int]) -> None:
    assert whole_numbers(text) == numbers


def test_every_numeral_below_1000_is_read() -> None:
    ones = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    ones += ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
    tens = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")

    def spell(number: int) -> str:
        if number >= 100:
            rest = f" and {spell(number % 100)}" if number % 100 else ""
            return f"{ones[number // 100]} hundred{rest}"
        return (
            ones[number] if number < 20 else tens[number // 10 - 2] + (f"-{ones[number % 10]}" if number % 10 else "")
        )

    assert [numerals(spell(number)) for number in range(1000)] == [[number] for number in range(1000)]
