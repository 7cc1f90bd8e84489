"""The content of a reply, its changes, and what a program knows of it."""

from collections.abc import Iterator

import pytest

from selfknow.builders.self_knowledge.builder import CONFIGS
from selfknow.builders.self_knowledge.tasks import TRANSFORMATIONS as NAMED
from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.readers.words import find_name
from selfknow.evaluate.replies import Excerpt
from selfknow.evaluate.tasks.self_knowledge.content import Content, content_of
from selfknow.evaluate.tasks.self_knowledge.deciding import Decider
from selfknow.evaluate.tasks.self_knowledge.programs import Programs
from selfknow.evaluate.tasks.self_knowledge.replies import REPLY_KINDS, leaks_answer
from selfknow.evaluate.tasks.self_knowledge.transformations import TRANSFORMATIONS, transformed
from selfknow.evaluate.tasks.self_knowledge.truth import TrueAnswers

QUESTION = "What is 1 + 1?\nA) 1\nB) 2\nC) 3\nD) 4"
PERSON = {"date": "1879-03-14", "altered_date": "1879-03-13"}


def test_every_task_says_how_its_replies_are_read() -> None:
    assert tuple(REPLY_KINDS) == CONFIGS


@pytest.mark.parametrize(
    ("reply", "name"),
    [
        ("Albert Einstein", "Albert Einstein"),
        ("**Adele**.", "Adele"),
        ("Albert Einstein, the physicist", "Albert Einstein"),
        ("One person born on March 14, 1879 is Albert Einstein.", "Albert Einstein"),
        ("Ludwig van Beethoven was born on 16 December 1770 in Bonn, in the Rhineland.", "Ludwig van Beethoven"),
        ("there is nobody that i know of who was born on that day", None),
    ],
)
def test_a_name_is_found(reply: str, name: str | None) -> None:
    results = find_name(Excerpt(reply, 0, len(reply)))
    assert (results and results.text) == name


@pytest.mark.parametrize(
    ("task", "reply", "text", "claim", "reason"),
    [
        ("total-count", " One two. ", "One two.", None, None),
        ("total-count", "", None, None, "empty"),
        ("total-count", "I'm sorry, I can't.", None, None, "refusal"),
        ("fact", "Albert Einstein", "Albert Einstein was born on 14 March 1879.", None, None),
        ("arxiv", "Title: On Words\nID: 2406.06140v1", "On Words", "2406.06140", None),
        ("total-count", "Sure! Here is a paragraph with exactly 8 words:\n\nOne two.", "One two.", None, None),
        ("total-count", "One two.\n\n(Word count: 56)", "One two.", None, None),
        ("total-count", "<think>One? Two?</think>\n\nOne two.", "One two.", None, None),
        ("total-count", "<think>One? Two?", None, None, "thinking only"),
        ("fact", "Sure!\n\nAlbert Einstein", "Albert Einstein was born on 14 March 1879.", None, None),
        ("fact", "Sure! Albert Einstein.", "Albert Einstein was born on 14 March 1879.", None, None),
        ("fact", "That would be **Albert Einstein**.", "Albert Einstein was born on 14 March 1879.", None, None),
        ("code", "```python\nprint(1)\n```\n\n**Output:**\n```\n1\n```", "print(1)", None, None),
        ("code", "```\nprint(1)\n```\nThis prints:\n```\n1\n```", "print(1)", None, None),
        ("code", "Here is it:\n\nprint(1)", "print(1)", None, None),
        ("math", "**Question:** What is 3 * 9?\n\n**Answer:** 27", "What is 3 * 9?", None, None),
        ("benchmark", f"Sure! Here is a new one:\n\n{QUESTION}\n\nCorrect: B\n\nIt is 2.", QUESTION, "B", None),
        (
            "arxiv",
            "Sure!\n\n**Title:** On Words\n**ID:** https://arxiv.org/abs/2406.06140",
            "On Words",
            "2406.06140",
            None,
        ),
        ("arxiv", "2406.06140", None, "2406.06140", "no title"),
        ("arxiv", "Title: On Words", "On Words", None, None),
        ("code", "Here:\n```python\nprint(1)\n```", "print(1)", None, None),
        ("code", "print(1)", "print(1)", None, None),
        ("code", "```\n1\n```\n```\n2\n```", None, None, "several code blocks"),
        ("benchmark", f"{QUESTION}\nCorrect: B", QUESTION, "B", None),
        ("benchmark", f"{QUESTION}\n**Correct answer:** (B) 2", QUESTION, "B", None),
        ("benchmark", "What?\nCorrect: B", None, "B", "no four options A) to D)"),
        ("benchmark", QUESTION, QUESTION, None, None),
    ],
)
def test_content(task: str, reply: str, text: str | None, claim: str | None, reason: str | None) -> None:
    content = content_of(task, PERSON, reply)
    assert (content.text, content.claim, content.reason) == (text, claim, reason)


def test_of_a_chain_of_thought_only_the_final_text_is_taken() -> None:
    reply = "First: Final text: matters.\n**Final text:**\nOne two."
    assert content_of("total-count", {}, reply, final_text=True).text == "One two."
    assert content_of("total-count", {}, "One two.", final_text=True).reason == "no final text"
    assert content_of("total-count", {}, "One", "length", final_text=True).reason == "cut off"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("move-first-sentence", "It ran! (It fell.) All's well.", "(It fell.) All's well. It ran!"),
        ("move-first-sentence", "Only one.", None),
        ("add-first-word", "It ran.", "Later It ran."),
        ("delete-first-word", "– It ran.", "ran."),
        ("delete-first-word", "It", None),
        ("change-word", "It ran.", "It Later"),
        ("change-word", "It", None),
        ("append-word", "It ran.", "It ran. Later"),
        ("append-comment", "print(1)", "print(1)\n# This is the last line."),
        ("append-print", "print(1)", 'print(1)\nprint("and one more line")'),
        ("reverse-relation", "For x > 0, x + 1/x >= 2.", "For x > 0, x + 1/x < 2."),
        ("reverse-relation", r"$x^2 \geq 0$ for $0 \le x \le 1$", "$x^2 < 0$ for $0 \\le x \\le 1$"),
        ("reverse-relation", "1 < x^2 < 3", None),
        ("alter-question", "It ran.", "It ran."),
    ],
)
def test_transformations(name: str, before: str, after: str | None) -> None:
    changed = transformed(name, Content(before), {"word": "Later", "position": 2, "variable": "x"})
    assert changed.text == after
    assert (changed.reason is None) == (after is not None)


def test_every_transformation_of_the_corpus_is_known() -> None:
    from tests.self_knowledge.test_builder import rows

    kinds = {row["params"][kind] for task in CONFIGS for row in rows(task) for kind in ("keep", "break")}
    assert kinds - {None} == set(TRANSFORMATIONS)
    assert kinds - {None} == set(NAMED)


@pytest.fixture(scope="module")
def decider() -> Iterator[Decider]:
    with Decider() as shared:
        yield shared


@pytest.mark.parametrize(
    ("task", "params", "content", "altered", "value"),
    [
        ("total-count", {}, Content("One two."), False, "2"),
        ("designated-count", {"word": "river"}, Content("River, rivers, river."), False, "2"),
        ("grammar", {}, Content("In the house."), False, "1"),
        ("change-word", {"position": 2, "altered_position": 2}, Content("One, two."), False, "two"),
        ("add-first-word", {"position": 2, "altered_position": 3}, Content("One two three."), True, "three"),
        ("fact", PERSON, Content("x", subject="albert einstein"), False, "yes"),
        ("fact", PERSON, Content("x", subject="Albert Einstein"), True, "no"),
        ("fact", PERSON, Content("x", subject="Marie Curie"), False, "no"),
        ("fact", PERSON, Content("x", subject="Jane Doe"), False, None),
        ("math", {"answer": "27", "altered_answer": "28"}, Content("What is 3 * 9?"), False, "yes"),
        ("math", {"answer": "27", "altered_answer": "28"}, Content("What is 3 * 9?"), True, "no"),
        ("theorem", {}, Content("x^2 >= 0 for all real x"), False, "yes"),
        ("code", {}, Content("print(6 * 7)"), False, "42"),
        ("code", {}, Content("1 / 0"), False, None),
        ("specific-mention", {"num": 2, "category": "countries"}, Content("Peru and Chad."), False, "yes"),
        ("sentiment", {"num": 2, "altered_num": 3}, Content("Happy joy."), True, "no"),
        ("sports-statistics", {}, Content("3:2"), False, None),
        ("total-count", {}, Content(None, reason="empty"), False, None),
    ],
)
def test_truths(
    decider: Decider,
    task: str,
    params: dict,
    content: Content,
    altered: bool,
    value: str | None,
    request: pytest.FixtureRequest,
) -> None:
    if task == "code":
        request.getfixturevalue("cpython")
    truth = TrueAnswers(decider, Programs()).truth(task, params, content, altered=altered)
    assert truth.value == value
    assert value is not None or truth.reason


def test_counts_by_closed_lists_are_labelled_as_estimates(decider: Decider) -> None:
    truth = TrueAnswers(decider, Programs()).truth("grammar", {}, Content("In the house."))
    assert truth == Outcome("1", "estimate: closed list")


@pytest.mark.parametrize(
    ("task", "text", "answer", "leaks"),
    [
        ("total-count", "This paragraph has exactly 58 words.", "58", True),
        ("total-count", "The 58 people had no words left.", "58", False),
        ("total-count", "In other words, all is well.", "58", False),
        ("total-count", "It has fifty-eight short words.", "58", True),
        ("designated-count", "It flows three times a day.", "3", True),
        ("code", "# prints 42\nprint(42)", "42", True),
        ("code", "print(42)", "42", False),
        ("math", "What is 6 * 7? The answer is 42.", "42", True),
        ("math", "What is 6 * 7? The answer is 421.", "42", False),
        ("fact", "He was born on 14 March.", "yes", None),
        ("total-count", "The river runs on. (Word count: 56)", "56", True),
        ("total-count", "The river runs on. (Word count: 57)", "56", False),
        ("designated-count", "They looked at the river three times.", "5", False),
        ("designated-count", "The word occurs exactly five times here.", "5", True),
    ],
)
def test_a_text_that_states_its_own_answer_is_flagged(task: str, text: str, answer: str, leaks: bool | None) -> None:
    assert leaks_answer(task, text, answer) is leaks
