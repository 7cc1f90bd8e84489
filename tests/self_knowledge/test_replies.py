"""Replies are read by published rules; near misses and refusals are null, with a reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.replies.thinking import without_thinking
from selfknow.evaluate.tasks.self_knowledge.replies import KINDS, parse


@given(st.sampled_from(KINDS), st.text(), st.sampled_from([None, "stop", "length"]))
def test_every_reply_is_a_value_or_a_reason(kind: str, reply: str, finish: str | None) -> None:
    parsed = parse(kind, reply, finish)
    assert (parsed.value is None) == (parsed.reason is not None)


@given(st.integers(0, 10**6), st.sampled_from(["{}", "**{}**", "There are {} words.", "So...\nAnswer: {}.", "`{}`"]))
def test_a_number_is_read_however_it_is_wrapped(number: int, wrapping: str) -> None:
    assert parse("number", wrapping.format(number)) == Outcome(str(number))
    assert parse("number", wrapping.format(f"{number:,}")) == Outcome(str(number))


@given(
    st.text(alphabet=st.characters(blacklist_categories=["Cs"])).filter(lambda text: without_thinking(text).is_whole)
)
def test_a_reply_that_closes_with_an_answer_is_read_from_there(reasoning: str) -> None:
    assert parse("number", f"{reasoning}\nAnswer: 42") == Outcome("42")


@pytest.mark.parametrize(
    ("kind", "reply", "expected"),
    [
        ("number", "I count 3 sentences and 56 words.", "several numbers"),
        ("number", "1 + 2 + 53\n**Answer:** 56", 56),
        ("number", "There is one answer: 56", 56),
        ("number", "about fifty", 50),
        ("number", "many", "no number"),
        ("number", "I'm sorry, but I can't count.", "refusal"),
        ("number", "  \n", "empty"),
        ("number", "Answer:", "no number"),
        ("yes-no", "Yes, it is.", "yes"),
        ("yes-no", "**No**", "no"),
        ("yes-no", "False.", "no"),
        ("yes-no", "The statement is not true.", "no"),
        ("yes-no", "The statement isn't correct", "no"),
        ("yes-no", "The answer is yes", "yes"),
        ("yes-no", "Nobody knows.", "no yes or no"),
        ("yes-no", "It is true and it is false.", "says both yes and no"),
        ("yes-no", "Let me see.\nAnswer: no", "no"),
        ("yes-no", "Yesterday", "no yes or no"),
        ("word", "River.", "river"),
        ("word", 'The fifth word is "river".', "river"),
        ("word", "The fifth word is river.", "river"),
        ("word", "**river**", "river"),
        ("word", "the quick brown fox", "several words"),
        ("word", '"the" or "a"', "several words"),
        ("arxiv-id", "arXiv:2406.06140v2", "2406.06140"),
        ("arxiv-id", "math/0309136", "math/0309136"),
        ("arxiv-id", "2413.06140", "no arXiv identifier"),
        ("arxiv-id", "2406.06140 or 2406.06141", "several arXiv identifiers"),
        ("arxiv-id", "12406.06140", "no arXiv identifier"),
        ("output", "```\n[1, 2]\n```", "[1, 2]"),
        ("output", "`42`", "42"),
        ("output", "42 \n", "42"),
        ("output", "```\n1\n```\n```\n2\n```", "several code blocks"),
        ("output", "I cannot run code.", "refusal"),
        ("color", "It is Red, a warm red.", "red"),
        ("color", "red or blue", "several colours"),
        ("color", "covered", "no colour"),
        ("letter", "B", "B"),
        ("letter", "B) a stack", "B"),
        ("letter", "The answer is C.", "C"),
        ("letter", "Option D is right", "D"),
        ("letter", "It is a stack, or B) a queue", "B"),
        ("letter", "(B) or (C)", "several letters"),
        ("letter", "A stack", "no letter"),
    ],
)
def test_near_misses(kind: str, reply: str, expected: object) -> None:
    parsed = parse(kind, reply)
    assert expected in (parsed.value, parsed.reason) or parsed.value == str(expected), parsed


def test_a_reply_that_was_cut_off_has_no_answer() -> None:
    assert parse("number", "56", "length") == Outcome(None, "cut off")
