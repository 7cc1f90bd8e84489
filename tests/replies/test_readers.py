"""Every reader reads what a person reads: replies written by hand, and recorded and labelled ones of a real model."""

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from selfknow.evaluate.tasks.gsm8k.answers import gives_several, number_of_reply
from selfknow.evaluate.tasks.self_knowledge.replies import COUNTED, KINDS, REPLY_KINDS, read
from selfknow.evaluate.tasks.short_answers import whole_word_match
from tests.benchmark_modules import import_benchmark

reader_errors = import_benchmark("reader_errors")
HERE = Path(__file__).parent
NULL = "null"


def written(name: str) -> list[list[str]]:
    """Return the rows of a file of replies written by hand; ⏎ stands for a new line."""
    lines = (HERE / "handwritten" / f"{name}.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return [line.replace("⏎", "\n").split("\t") for line in lines]


def number(reply: str) -> Fraction | None:
    return None if gives_several(reply) else number_of_reply(reply)


def cases(*names: str) -> list[tuple[str, str, str]]:
    return [(name, *row) for name in names for row in written(name)]


@pytest.mark.parametrize("task", REPLY_KINDS)
def test_at_least_forty_replies_of_every_task_are_written_by_hand_and_none_is_read_wrongly(task: str) -> None:
    """A task whose replies are of a kind of their own has them there; else in a file of the task."""
    alone = list(REPLY_KINDS.values()).count(REPLY_KINDS[task]) == 1
    replies = written(REPLY_KINDS[task] if alone else f"tasks/{task}")
    assert len(replies) >= 40
    assert len({reply for _, reply in replies}) == len(replies)
    rows = {reply: read(REPLY_KINDS[task], reply, noun=COUNTED.get(task)).outcome for _, reply in replies}
    wrongly = [
        (reading, reply, rows[reply].value) for reading, reply in replies if rows[reply].value not in (None, reading)
    ]
    unread = [reply for reading, reply in replies if rows[reply].value is None and reading != NULL]
    assert not wrongly
    assert len(unread) <= 1, unread
    assert all(rows[reply].reason for reply in unread)


@pytest.mark.parametrize("name", [*KINDS, "gsm8k", "short-answers"])
def test_at_least_forty_replies_of_every_kind_are_written_by_hand(name: str) -> None:
    assert len(written(name)) >= 40


@pytest.mark.parametrize(("kind", "reading", "reply"), cases(*KINDS))
def test_a_reply_is_read_as_a_person_reads_it(kind: str, reading: str, reply: str) -> None:
    outcome = read(kind, reply).outcome
    assert (NULL if outcome.value is None else outcome.value) == reading, outcome
    assert outcome.value is not None or outcome.reason


@pytest.mark.parametrize(("reading", "reply"), written("gsm8k"))
def test_a_number_of_gsm8k_is_read_as_a_person_reads_it(reading: str, reply: str) -> None:
    assert number(reply) == (None if reading == NULL else Fraction(reading))


@pytest.mark.parametrize(("reading", "answers", "reply"), written("short-answers"))
def test_a_short_answer_is_right_where_a_person_says_so(reading: str, answers: str, reply: str) -> None:
    outcome = whole_word_match(reply, answers.split(";"))
    assert outcome.value == (None if reading == NULL else float(reading)), outcome
    assert outcome.value is not None or outcome.reason


def test_what_a_real_model_said_is_hardly_ever_read_as_something_else() -> None:
    """Cut off replies are graded by that alone; here is what came to its end."""
    rows = [row for row in pq.read_table(HERE / "recorded.parquet").to_pylist() if row["finish_reason"] == "stop"]
    results = Counter(compared(row) for row in rows if row["part"] == "chosen")
    assert results.total() == 91
    assert results["read as another value"] == 0
    assert results["read, and a person does not"] <= 2
    assert results["null, and a person reads it"] <= 7


@pytest.mark.parametrize("task", ["according-to", "diary-recall", "gsm8k", "self-knowledge"])
def test_replies_in_the_manner_of_chat_models_are_hardly_ever_read_as_something_else(task: str) -> None:
    for part in ("chosen", "unseen"):
        rows = reader_errors.chat(part)[task]
        assert rows.total() >= 24
        wrongly = rows[reader_errors.WRONG] + rows[reader_errors.INVENTED]
        assert wrongly <= WRONG_OF_CHAT.get((task, part), 0), (part, rows)
        assert rows[reader_errors.UNREAD] <= 2, (part, rows)


WRONG_OF_CHAT = {("gsm8k", "chosen"): 1, ("gsm8k", "unseen"): 2}
"""Both are numbers of which only a person who knows the question says which one is the answer."""


@pytest.mark.parametrize(
    ("kind", "reading", "reply"),
    [
        ("yes-no", "no", "I think the answer is yes... wait, testing x = 0.5 gives 4, and that fails. So no."),
        ("yes-no", "yes", "They do indeed."),
        ("yes-no", NULL, "Yes and no."),
        ("yes-no", NULL, "1. No.\n2. Yes.\n3. No."),
        ("yes-no", "yes", "Answer: No\n\nWait, I misread the date. Answer: Yes"),
        ("yes-no", NULL, "Answer: No\n\nWait, I misread the date."),
        ("letter", "A", "A) circular wait"),
        ("word", "gently", "The word is “softly” – no, sorry, counting again, it is “gently”."),
        ("word", "wait", "The word is “wait”."),
        ("output", NULL, "It will raise a NameError because `x` isn't defined."),
        ("output", "inf", "The ZeroDivisionError is caught, so it prints `inf`."),
        ("output", "16", "It'll print 16 to the console."),
        ("number", "5", "There are four, hmm, wait, no: five."),
        ("color", "green", "It is green, not blue."),
        ("color", NULL, "It is green and blue."),
    ],
)
def test_a_reply_that_takes_itself_back_or_says_nothing_is_read_so(kind: str, reading: str, reply: str) -> None:
    outcome = read(kind, reply).outcome
    assert (NULL if outcome.value is None else outcome.value) == reading, outcome
    assert outcome.value is not None or outcome.reason


@pytest.mark.parametrize(
    ("value", "reply", "reading"),
    [
        ("0", "The correct answer is 3, not 0.", "no"),
        ("3", "The correct answer is 3, not 0.", "yes"),
        ("3", "The answer is 3.0.", "yes"),
        ("3", "The answer is 3.5.", "no"),
        ("9", "The answer is not 9; it is 81.", "no"),
        ("3", "The answer is 3x.", None),
        ("x", "The answer is 3.", None),
        (None, "The correct answer is 3, not 0.", None),
    ],
)
def test_a_stated_answer_is_compared_with_the_one_that_was_asked_about(
    value: str | None, reply: str, reading: str | None
) -> None:
    assert read("yes-no", reply, asked_value=value).outcome.value == reading


def compared(row: dict[str, str]) -> str:
    """Return what became of a recorded reply, compared with its label."""
    value: object
    if row["task"] == "gsm8k":
        value = number(row["reply"])
    elif row["task"] == "self-aware":
        right = whole_word_match(row["reply"], json.loads(row["answers"])).value
        value = None if right is None else int(right)
    else:
        value = read(REPLY_KINDS[row["task"]], row["reply"], noun=COUNTED.get(row["task"])).outcome.value
    if (None if value is None else str(value)) == row["label"]:
        return "as a person reads it"
    if value is None:
        return "null, and a person reads it"
    return "read, and a person does not" if row["label"] is None else "read as another value"
