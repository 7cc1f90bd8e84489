"""Models that got stuck repeat themselves for pages: everything that reads a reply is done with it at once."""

from collections.abc import Callable, Iterator

import pytest

from selfknow.evaluate.tasks.self_knowledge import counting, replies
from selfknow.evaluate.tasks.self_knowledge.agents.prompts import read_proposal
from selfknow.evaluate.tasks.self_knowledge.content import Content, content_of
from selfknow.evaluate.tasks.self_knowledge.replies import leaks_answer
from selfknow.evaluate.tasks.self_knowledge.transformations import TRANSFORMATIONS, transformed
from tests.conftest import REPOSITORY
from tests.warm_python import WarmPython

LENGTH = 16_000
SECONDS = 120.0  # a few are needed; what is quadratic in the length takes minutes
PARAMS = {
    "num": 3,
    "word": "river",
    "variable": "x",
    "position": 3,
    "category": "countries",
    "answer": "3",
    "date": "1879-03-14",
    "altered_date": "1879-03-13",
}
REPEATED = (
    *("a", "A", "1", "|", "\n", "*", "#", ".", '"', "`", "- ", "Ab ", "A of ", "1,", "x<", "-1<x ", "answer "),
    *("Answer: ", "one hundred and ", "Title: ", "```\n", "\\frac{", "word words "),
)


def readings(text: str) -> Iterator[Callable[[], object]]:
    for task in ("total-count", "designated-count", "grammar", "specific-mention", "sentiment", "code", "benchmark"):
        yield lambda task=task: leaks_answer(task, text, "B")
    for kind in replies.KINDS:
        yield lambda kind=kind: replies.parse(kind, text)
    for task in ("fact", "arxiv", "code", "benchmark", "total-count"):
        yield lambda task=task: content_of(task, PARAMS, text)
    yield lambda: content_of("total-count", PARAMS, text, final_text=True)
    for name in TRANSFORMATIONS:
        yield lambda name=name: transformed(name, Content(text, subject="x"), PARAMS)
    yield lambda: counting.count_words(text)
    yield lambda: counting.count_occurrences(text, ["river"])
    yield lambda: counting.count_prepositions(text)
    yield lambda: counting.count_mentions(text, "countries")
    yield lambda: counting.count_positive_words(text)
    yield lambda: read_proposal(text)


def read_all(repeated: str) -> None:
    for text in ((repeated * LENGTH)[:LENGTH], "x" + (repeated * LENGTH)[:LENGTH] + "y"):
        for reading in readings(text):
            reading()


@pytest.mark.full
def test_a_reply_without_end_is_read_without_one(python: WarmPython) -> None:
    """In a process that is ended, since a regular expression cannot be interrupted."""
    result = python.run("-m", "tests.self_knowledge.test_endless_replies", cwd=REPOSITORY, timeout=SECONDS)
    assert result.returncode == 0, result.stderr


def test_endless_digits_are_no_number() -> None:
    assert replies.parse("number", "1" * 5000).reason == "no number"
    assert replies.parse("number", "5, and not " + "1" * 5000).value == "5"


@pytest.mark.parametrize(
    ("reply", "output"), [("`42`", "42"), ("``a`b``", "a`b"), ("`x", "`x"), ("``x`", "`x"), ("``", ""), ("`", "`")]
)
def test_ticks_around_an_output_are_no_part_of_it(reply: str, output: str) -> None:
    assert replies.parse("output", reply).value == output


if __name__ == "__main__":
    for text in REPEATED:
        read_all(text)
