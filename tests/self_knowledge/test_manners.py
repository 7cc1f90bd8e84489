"""A perfect model that talks as chat models do is read as a perfect model, in every task and in both wordings."""

import pytest

from selfknow.evaluate.tasks.self_knowledge.content import content_of
from selfknow.evaluate.tasks.self_knowledge.replies import COUNTED, REPLY_KINDS, read
from tests.self_knowledge.manners import READINGS, WRITINGS
from tests.self_knowledge.scripted import rows, written

VALUES = {
    "number": ("56", "4", "1", "0", "1024"),
    "yes-no": ("yes", "no"),
    "word": ("river", "word4"),
    "arxiv-id": ("2406.06140", "math/0309136"),
    "output": ("42", "[1, 2, 3]", "apple", "{'a': 1}", "hello\nand one more line"),
    "letter": ("A", "B", "D"),
    "color": ("red", "blue"),
}


@pytest.mark.parametrize("manner", READINGS)
@pytest.mark.parametrize("task", REPLY_KINDS)
def test_a_value_is_read_in_every_manner(task: str, manner: str) -> None:
    for value in VALUES[REPLY_KINDS[task]]:
        reply = READINGS[manner](task, value)
        reading = read(REPLY_KINDS[task], reply, "stop", noun=COUNTED.get(task))
        assert reading.outcome.value == value, reply
        assert reading.excerpt.text == reply[reading.excerpt.start : reading.excerpt.end]


@pytest.mark.parametrize("task", [task for task in REPLY_KINDS if not task.startswith("image-")])
def test_a_text_is_the_same_in_every_manner_and_wording(task: str) -> None:
    row = next(row for row in rows(task).values() if row["style"] == "plain")
    text = written(row, 0)
    plain = content_of(task, row["params"], text)
    assert plain.text is not None
    for manner, write in WRITINGS.items():
        reply = write(text)
        content = content_of(task, row["params"], reply)
        assert (content.text, content.claim) == (plain.text, plain.claim), manner
        assert content.excerpt is not None
        assert content.excerpt.text in text, "nothing is invented"
