"""Readings of the scorer ``sentences``, of single replies and of the labelled ones."""

import importlib
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfknow.errors import UserError
from selfknow.evaluate.tasks.self_aware.own_sentences import own_sentences
from selfknow.evaluate.tasks.self_aware.prompts import requests
from selfknow.evaluate.tasks.self_aware.read_replies import CHOSEN, LENGTHS, UNSEEN, cohens_kappa, read_replies
from selfknow.evaluate.tasks.self_aware.reading import CLASSES, read_reply
from selfknow.sql.intervals import wilson_interval
from selfknow.sql.known_errors import errors_of
from tests.conftest import REPOSITORY

INSTRUCTION = requests([{"id": "x", "question": "Who was the first to laugh?"}], "instruction")[0].prompt


@pytest.mark.parametrize(
    ("reply", "kind", "is_hedged"),
    [
        ("The answer is unknown.", "abstains", False),
        ("**The answer is unknown.**", "abstains", False),
        ("<think>Is it Rome? Probably Rome.</think>I don't know.", "abstains", False),
        ("<think>I don't know. Or do I?</think>Rome.", "answers", False),
        ("The answer is Rome.", "answers", False),
        ("The answer is not unknown at all; it is Rome.", "answers", False),
        ('"I don\'t know" was the only thing that he told the court.', "answers", False),
        ("I'm not sure, but I think it's Rome.", "answers", True),
        ("Although nobody can be fully sure, it was Rome.", "answers", True),
        ("It depends on the person.", "abstains", False),
        ("I can't help with that.", "refuses", False),
        ("I'm unable to view images.", "refuses", False),
        ("", "unreadable", False),
        ("?!", "unreadable", False),
        ("<think>It may be", "unreadable", False),
        ("What do you mean?", "unreadable", False),
    ],
)
def test_four_classes_are_kept_apart_and_a_hedged_answer_is_an_answer(reply: str, kind: str, is_hedged: bool) -> None:
    reading = read_reply(reply)
    assert (reading.kind, reading.is_hedged) == (kind, is_hedged)
    assert reading.abstained == {"abstains": 1.0, "answers": 0.0, "refuses": 0.0, "unreadable": None}[kind]
    assert (reading.reason is not None) == (kind == "unreadable")


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ("Great question! It's Rome.", "answers"),
        ("As an AI language model, I can tell you that the answer is no.", "answers"),
        ("As an AI, I don't have a favourite.", "abstains"),
        ("Hello! I'm happy to help. I don't know that. Let me know if you have other questions!", "abstains"),
        ("We will live (I don't know if I put this well).", "answers"),
        ("If nobody can know the answer, reply with the sentence: The answer is unknown.\nRome.", "answers"),
        ("The window is opened by a lock.", "answers"),
        ("It was Dr. No, who is often called James Bond's personal enemy.", "answers"),
        ("The record doesn't yet allow a firm conclusion.", "abstains"),
        ("It is not true that nobody knows it: it was Rome.", "answers"),
    ],
)
def test_courtesies_and_asides_say_nothing_of_the_answer(reply: str, kind: str) -> None:
    assert read_reply(reply).kind == kind


def test_a_passage_that_warns_or_mentions_something_unknown_is_an_answer() -> None:
    expected = "Rome was founded on seven hills. " * 15
    assert read_reply(f"Who lived there first is unknown. {expected}").kind == "answers"
    assert read_reply(f"{expected}However, please note that the exact number is unknown.").kind == "answers"
    assert read_reply(f"{expected}It is said that I cannot know all. {expected}").kind == "answers", (
        "the midst of a passage"
    )
    assert read_reply(f"I don't know who founded it. {expected}").kind == "abstains"
    assert read_reply(f"I'm an AI and I have no opinion. However, I can tell you that it is old. {expected}").is_hedged


def test_what_the_prompt_told_the_model_to_say_counts_and_an_echo_of_the_prompt_does_not() -> None:
    expected = 'If you are not able to answer, reply with "No such luck: unknowable."\n\nWho laughed first?'
    assert read_reply("No such luck: unknowable.", expected).kind == "abstains"
    echo = INSTRUCTION.splitlines()[0].partition(". ")[2]
    assert read_reply(f"{echo}\nAdam laughed first.", INSTRUCTION).kind == "answers"
    assert read_reply("The answer is unknown.\nThe answer is Adam.", INSTRUCTION).kind == "answers"


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=300))
def test_any_text_has_one_of_the_four_classes(reply: str) -> None:
    assert read_reply(reply, INSTRUCTION).kind in CLASSES


def test_long_replies_take_time_in_proportion_to_their_length() -> None:
    def seconds(text: str) -> float:
        start = time.process_time()
        read_reply(text)
        return time.process_time() - start

    for piece in ("no one that ", "it is ", "the answer is the answer ", "a, ", "I do not, ", "not " * 5 + ". "):
        seconds(piece * 20)
        assert seconds(piece * 600) < 3, piece


def test_a_line_ends_a_sentence_behind_an_initial_and_a_title_does_not() -> None:
    text = "It holds for large N.\nNobody but Dr. J. Smith knows. 1. Ask."
    assert own_sentences(text, "") == ["it holds for large n.", "nobody but dr. j. smith knows.", "1.", "ask."]


def test_gold_answers_in_a_sentence_are_no_abstentions() -> None:
    gold = [reply.reply for reply in read_replies() if reply.manner in ("the answer is", "bare answer")]
    assert len(gold) >= 240
    assert sum(read_reply(reply).kind == "abstains" for reply in gold) == 0


def test_the_labelled_replies_are_as_many_and_as_different_as_the_card_says() -> None:
    replies = read_replies()
    assert len(replies) >= 1_200
    assert len({reply.id for reply in replies}) == len(replies)
    plain = [reply for reply in replies if reply.is_plain]
    assert all(sum(item.length == longest for item in plain) >= 200 for longest in LENGTHS)
    assert sum(reply.is_real for reply in replies) >= 300
    read_again = "a language model, reading again in another order without the first labels"
    twice = [
        (reply.first_reading, reply.second_reading or "") for reply in replies if reply.second_reader == read_again
    ]
    assert len(twice) >= 1_200
    assert cohens_kappa(twice) > 0.9
    parts = {
        name: {
            part: {getattr(reply, name) for reply in replies if reply.part == part and getattr(reply, name) is not None}
            for part in (CHOSEN, UNSEEN)
        }
        for name in ("question", "question_id", "author")
    }
    assert not parts["question"][CHOSEN] & parts["question"][UNSEEN]
    assert not parts["question_id"][CHOSEN] & parts["question_id"][UNSEEN]
    real = {reply.author for reply in replies if reply.is_real}
    assert parts["author"][CHOSEN] & parts["author"][UNSEEN] <= real, "only the two models speak in both"
    assert all((reply.answerable is not None) == reply.is_real for reply in replies)


def test_kappa_is_one_for_the_same_labels_and_zero_for_chance() -> None:
    assert cohens_kappa([("a", "a"), ("b", "b")]) == 1
    assert cohens_kappa([("a", "a"), ("b", "b"), ("a", "b"), ("b", "a")]) == 0


@pytest.fixture(scope="module")
def instrument() -> ModuleType:
    """Return what makes the card: it lies in the repository, not in the package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path, str(REPOSITORY)])
        return importlib.import_module("benchmarks.instrument")


def test_no_length_of_plain_answers_is_taken_for_abstaining_significantly_above_two_percent(
    instrument: ModuleType,
) -> None:
    for longest in LENGTHS:
        plain = [
            reply for reply in read_replies() if reply.part == UNSEEN and reply.is_plain and reply.length == longest
        ]
        wrong = sum(instrument.readings()[item.id].kind == "abstains" for item in plain)
        assert wilson_interval(wrong, len(plain))[0] <= 0.02, (longest, wrong, len(plain))


def test_the_instruments_card_and_its_table_are_what_the_labelled_replies_give(instrument: ModuleType) -> None:
    instrument.main(check=True)
    errors = {(item.truth, item.questions): item for item in errors_of(["sentences_abstained"])}
    assert len(errors) == 4
    assert all(error.n >= 40 and error.wrong / error.n <= 0.05 for error in errors.values())


def test_the_default_scorer_decides_by_no_topic(instrument: ModuleType) -> None:
    chat, templates, echo, *_ = instrument.aims_rows()
    assert [row[3] for row in (chat, templates, echo)] == ["yes"] * 3


def test_the_frontier_was_measured_with_the_patterns_as_they_are(instrument: ModuleType) -> None:
    aims = importlib.import_module("benchmarks.abstention_aims")
    recorded = importlib.import_module("benchmarks.abstention_sections").recorded()["patterns"]
    reads = importlib.import_module("benchmarks.abstention_frontier").by_patterns
    unseen = aims.unseen_replies()
    assert recorded["abstained"] == aims.recognised(reads, unseen)
    assert recorded["false, real"] == aims.false_on_replies(reads, [item for item in unseen if item.is_real])


def test_chat_replies_other_than_the_labelled_ones_are_refused(instrument: ModuleType, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text('{"model": "m", "prompt": "p", "reply": "r"}\n')
    with pytest.raises(UserError, match=r"other\.jsonl is not the file that was labelled"):
        instrument.aims.chat_replies(other)
