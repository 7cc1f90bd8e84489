"""The number of a reply: the published rule, and its near misses."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfknow.evaluate.tasks.gsm8k.answers import number_of_reply, number_of_solution


@pytest.mark.parametrize(
    ("reply", "number"),
    [
        ("#### 7", 7),
        ("3 + 4 = 7\n#### 7\nI hope that 100 people like it.", 7),
        ("#### 5\nNo, wait.\n#### 6", 6),
        ("####25", 25),
        ("#### **25**", 25),
        ("#### $25", 25),
        ("#### 25 dollars (5 each)", 25),
        ("#### The answer is 25.", 25),
        ("#### 1,000", 1000),
        ("#### 1,234,567.50", Fraction("1234567.5")),
        ("#### 1000.0", 1000),
        ("#### -5", -5),
        ("#### -$5", -5),
        ("#### $-5", -5),
        ("#### 3/4", Fraction(3, 4)),
        ("#### .5", Fraction(1, 2)),
        ("####\n\n18", 18),
        ("#### 2*sqrt(5)", None),
        ("#### 3π", None),
        ("#### x", None),
        ("####", None),
        ("He has 12.\n#### none", None),
        ("Answer: 9 * 2 = 18", 18),
        ("**Answer:** 18 apples", 18),
        ("Final answer:\n18", 18),
        ("So 5 + 6 = 11.\nAnswer: 11\n#### 12", 12),
        ("The answer: 5? It is 6.", 6),
        ("It is 48-24", 24),
        ("It is 5 and then 25.", 25),
        ("It costs $1,000.", 1000),
        ("1,0000", 0),
        ("48/2=24", 24),
        ("5/0", None),
        ("In 25%", 25),
        ("\\boxed{18}", 18),
        ("I cannot say.", None),
        ("", None),
        ("9" * 5000, None),
    ],
)
def test_a_replys_number(reply: str, number: int | Fraction | None) -> None:
    assert number_of_reply(reply) == number


@given(st.text())
def test_any_text_has_a_number_or_none(text: str) -> None:
    assert isinstance(number_of_reply(text), Fraction | None)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=2))
def test_every_number_is_read_with_and_without_separators(number: object) -> None:
    assert number_of_reply(f"#### {number:,}") == number_of_reply(f"It is {number}.") == Fraction(str(number))


def test_a_solution_needs_its_number_behind_its_marker() -> None:
    assert number_of_solution("3 + 4 = <<3+4=7>>7\n#### 7") == 7
    assert number_of_solution("3 + 4 = 7") is None
    assert number_of_solution("3 + 4 = 7 ####") is None


def test_a_bold_zero_is_the_answer_though_another_number_follows() -> None:
    assert number_of_reply("He sold all of them, so **0** apples are left of the 5 that he had.") == 0
