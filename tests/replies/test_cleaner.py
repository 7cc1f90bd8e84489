"""The cleaner returns a slice of the reply: it invents nothing, in time linear in the reply's length."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfknow.evaluate.replies import (
    asked_text,
    explicit_answers,
    fenced_blocks,
    measured_text,
    plain,
    without_thinking,
)
from selfknow.evaluate.tasks.according_to.answers import answer_match
from selfknow.evaluate.tasks.diary_recall.typography import read_answer
from selfknow.evaluate.tasks.gsm8k.answers import number_of_reply
from selfknow.evaluate.tasks.self_knowledge.replies import KINDS, read

TEXT = "The river runs on, and nobody asks it why."
PIECES = st.sampled_from(
    [
        *("<think>", "</think>", "<|channel|>analysis<|message|>", "<|channel|>final<|message|>", "<|im_end|>"),
        *("```", "```python\n", "**", '"', "\n", "\n\n", "Sure! ", "Here is a text:\n", "(Word count: 5)", "---\n"),
        *("Answer: ", r"\boxed{", "}", "#### ", "$", "_", "Let me know.", "word ", "analysis", "assistantfinal", "💧"),
    ]
)
REPLIES = st.one_of(st.text(), st.lists(PIECES | st.text(max_size=5), max_size=30).map("".join))


@given(REPLIES, st.sampled_from(["", "<|im_start|>assistant\n<think>\n"]))
def test_what_is_kept_is_a_slice_of_what_came(reply: str, prompt: str) -> None:
    spoken, text = without_thinking(reply, prompt), asked_text(reply, prompt)
    inner = [*explicit_answers(spoken), *(block for _, block in fenced_blocks(spoken))]
    for remaining in (spoken, text, *inner):
        assert 0 <= remaining.start <= remaining.end <= len(reply)
        assert remaining.text == reply[remaining.start : remaining.end]
        assert remaining is spoken or spoken.start <= remaining.start <= remaining.end <= spoken.end
    assert plain(reply) is not None


@given(st.text(st.characters(categories=["L", "N", "Zs"]), min_size=1).filter(str.strip))
def test_a_text_without_anything_around_it_is_kept_whole(text: str) -> None:
    assert asked_text(text).is_whole


@pytest.mark.parametrize(
    "reply",
    [
        TEXT,
        f"<think>A text… about a river?</think>\n\n{TEXT}",
        f"<thinking>one\n\ntwo</thinking>{TEXT}",
        f"[THINK]one[/THINK]{TEXT}</s>",
        f"◁think▷one◁/think▷{TEXT}",
        f"one, two</think>\n{TEXT}<|im_end|>",
        f"<|channel|>analysis<|message|>one<|end|><|start|>assistant<|channel|>final<|message|>{TEXT}<|return|>",
        f"analysisWe write about a river.assistantfinal{TEXT}",
        f"<|channel>thought\none\n<channel|>{TEXT}<end_of_turn>",
        f"{TEXT}\n<think>Was that right? I should",
        f"Sure! Here is a paragraph with exactly 9 words:\n\n{TEXT}",
        f"Sure, here's one:\n{TEXT}",
        f"Certainly!\n\n{TEXT}",
        f"Here is a short paragraph about a river: {TEXT}",
        f"**Paragraph:**\n\n{TEXT}",
        f"## A river\n\n{TEXT}",
        f"**A river**\n\n{TEXT}",
        f"{TEXT}\n\n(Word count: 9)",
        f"{TEXT} (Word count: 9)",
        f"{TEXT} (9 words)",
        f"{TEXT}\n\n**Word count:** 9",
        f"{TEXT}\n\nLet me know if you would like another one!",
        f"{TEXT}\n\nThis paragraph contains exactly 9 words.",
        f"{TEXT}\n\n---\n\nI counted them twice.",
        f'"{TEXT}"',
        f"“{TEXT}”",
        f"**{TEXT}**",
        f"```\n{TEXT}\n```",
        f"Of course! Here's the text:\n\n---\n\n{TEXT}\n\n---\n\nI hope this helps!",
    ],
)
def test_what_stands_around_a_text_is_taken_off(reply: str) -> None:
    assert asked_text(reply).text == TEXT


@pytest.mark.parametrize(
    "text",
    [
        "This paragraph consists of precisely 58 words.",
        "Sure enough, the river rose.",
        "Here is where the river ends: the sea.",
        'He said "no" and "yes".',
        '"No," she said, and "never".',
        "She looked at the river three times.",
        "It was said: the river is deep.",
        "One.\n\nTwo: a second paragraph that belongs to it.",
        "Note how the river turns.",
    ],
)
def test_what_belongs_to_a_text_stays(text: str) -> None:
    assert asked_text(text).text == text


def test_thinking_that_the_prompt_opened_and_nothing_closed_leaves_nothing() -> None:
    assert without_thinking("One, two, three", prompt="<|im_start|>assistant\n<think>\n").text == ""
    assert without_thinking("One, two</think> 2", prompt="…<think>\n").text == "2"
    assert without_thinking("One, two, three", prompt="Explain what <think> means.").text == "One, two, three"


def test_where_raw_text_is_measured_only_thinking_is_taken_off() -> None:
    raw = "  Sure! Here it is:\n\n**as it came** (Word count: 3)\n"
    assert measured_text(raw).text == raw
    assert measured_text(f"<think>hm</think>\n{raw}").text == raw.strip()
    assert measured_text("a < b\n").text == "a < b\n"


# One of each kind: what stands around an answer, a mark, a list, a short reply, a sentence and a number.
UNITS = ("<think>", "```\n", r"\boxed{", "- -\n", "no, ", "a. b. ", "not 3 or 4 ")
MORE_UNITS = (
    *("**", "\n\n", "Answer: ", "#### ", "Sure! ", "(1 ", "yes ", "… wait, ", "one hundred ", "   ", "“x"),
    "Tom's Diary Entry 1:\n- ",
)


@pytest.mark.parametrize("unit", [*UNITS, *(pytest.param(unit, marks=pytest.mark.full) for unit in MORE_UNITS)])
def test_an_endless_reply_takes_time_in_proportion_to_its_length(unit: str) -> None:
    def seconds(length: int) -> float:
        text = "x" + unit * (length // len(unit))
        start = time.process_time()
        explicit_answers(without_thinking(text))
        asked_text(text), plain(text)
        number_of_reply(text), answer_match(text, ["Paris"]), read_answer(text, ())
        for kind in KINDS:
            read(kind, text)
        return time.process_time() - start

    # Below a millisecond the clock measures what else the machine does.
    longest = 32 * max(min(seconds(8_000) for _ in range(3)), 0.001)
    # Only a long reply that took too long is read again: on a busy machine it may be quicker then.
    assert any(seconds(64_000) < longest for _ in range(3)), "8 times as long; 64 times the time were quadratic"
