"""Every reader reads what a person reads: replies written by hand, and recorded and labelled ones of a real model."""

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from selfknow.evaluate.tasks.gsm8k.answers import gives_several, number_of_reply
from selfknow.evaluate.tasks.self_knowledge.replies import KINDS, read
from selfknow.evaluate.tasks.self_knowledge.tasks import COUNTED, REPLY_KINDS
from selfknow.evaluate.tasks.short_answers import whole_word_match

HERE = Path(__file__).parent
NULL = "null"


def written(name: str) -> list[list[str]]:
    """The rows of a file of replies written by hand; ⏎ stands for a new line."""
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
    found = {reply: read(REPLY_KINDS[task], reply, noun=COUNTED.get(task)).outcome for _, reply in replies}
    wrongly = [
        (reading, reply, found[reply].value) for reading, reply in replies if found[reply].value not in (None, reading)
    ]
    unread = [reply for reading, reply in replies if found[reply].value is None and reading != NULL]
    assert not wrongly
    assert len(unread) <= 1, unread
    assert all(found[reply].reason for reply in unread)


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
    found = Counter(compared(row) for row in rows if row["part"] == "chosen")
    assert found.total() == 91
    assert found["read as another value"] == 0
    assert found["read, and a person does not"] <= 2
    assert found["null, and a person reads it"] <= 7


def compared(row: dict[str, str]) -> str:
    """What became of a recorded reply, compared with its label."""
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
