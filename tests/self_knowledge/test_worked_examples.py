"""The worked examples that completion models are shown: true, of the right form, and none of them asked."""

import pytest

from selfknow.builders.self_knowledge.builder import task_config
from selfknow.builders.self_knowledge.prompts import STYLES
from selfknow.evaluate.tasks.self_knowledge.counting import words_of
from selfknow.evaluate.tasks.self_knowledge.replies import REPLY_KINDS, read
from selfknow.evaluate.tasks.self_knowledge.worked import shots, worked_examples

TASKS = worked_examples()["tasks"]


def test_every_task_about_texts_has_two_examples() -> None:
    assert {task for task in REPLY_KINDS if not task.startswith("image-")} == set(TASKS)
    assert {len(entries) for entries in TASKS.values()} == {2}


@pytest.mark.parametrize("task", TASKS)
def test_examples_are_read_as_replies_are_and_say_what_stands_in_the_file(task: str) -> None:
    for style in STYLES:
        for shot, entry in zip(shots(task, style, "ours", "verify"), TASKS[task], strict=True):
            assert read(REPLY_KINDS[task], shot[-1].content, "stop").outcome.value == entry["reply"]
            assert "{" not in shot[0].content.replace("{'", "")


@pytest.mark.parametrize("task", ["fact", "math", "theorem", "specific-mention", "sentiment", "sports-statistics"])
def test_of_two_examples_one_says_yes_and_one_no(task: str) -> None:
    assert [shot[-1].content for shot in shots(task, "plain", "ours", "verify")] == ["yes", "no"]


def test_what_can_be_counted_is_counted_rightly() -> None:
    for entry in TASKS["total-count"]:
        for text in (entry["written"], entry["another"]):
            assert str(len(words_of(text))) == entry["slots"]["num"] == entry["reply"]
    for entry in TASKS["designated-count"]:
        for text in (entry["written"], entry["another"]):
            words = [match[0].lower().strip(".,") for match in words_of(text)]
            assert str(words.count(entry["slots"]["word"])) == entry["slots"]["num"] == entry["reply"]
    for entry in TASKS["add-first-word"]:
        assert words_of(entry["written"])[int(entry["slots"]["position"]) - 1][0].strip(".,") == entry["reply"]


def test_the_conversation_of_the_in_context_protocols_is_shown_whole() -> None:
    first, *_ = shots("math", "plain", "ours", "verify", in_context=True)
    assert [turn.role for turn in first] == ["user", "assistant", "user", "assistant"]
    assert first[2].content.startswith("Is 211 the right answer to the question that you wrote?")


@pytest.mark.parametrize(
    "task", ["total-count", "designated-count", "fact", "arxiv", "math", "code", "specific-mention"]
)
def test_no_example_is_among_what_is_asked(task: str) -> None:
    [make] = task_config(task, 0).shards["test"]
    asked = set(make()["generate_prompt"].to_pylist())
    assert not asked & {shot[0].content for shot in shots(task, "plain", "ours", "generate")}
