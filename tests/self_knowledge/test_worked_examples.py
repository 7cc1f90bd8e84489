"""The worked examples that completion models are shown: true, of the right form, and none of them asked."""

from pathlib import Path

import pytest

from selfknow.builders.self_knowledge.builder import task_config
from selfknow.builders.self_knowledge.prompts import STYLES
from selfknow.builders.self_knowledge.sources import paper_templates
from selfknow.evaluate.task import SoFar
from selfknow.evaluate.tasks.self_knowledge.agents import worked as agents
from selfknow.evaluate.tasks.self_knowledge.agents.prompts import (
    STAGES,
    read_instances,
    read_proposal,
    reason_not_a_template,
    requests,
)
from selfknow.evaluate.tasks.self_knowledge.counting import words_of
from selfknow.evaluate.tasks.self_knowledge.options import PictureOptions, SelfKnowledgeOptions
from selfknow.evaluate.tasks.self_knowledge.replies import REPLY_KINDS, read
from selfknow.evaluate.tasks.self_knowledge.rows import choose_rows
from selfknow.evaluate.tasks.self_knowledge.worked import shots, worked_examples
from selfknow.runs.description import DatasetReference
from tests.self_knowledge.scripted import table_of

TASKS, WRITING = worked_examples()["tasks"], worked_examples()["writing"]
STAGES_WITHOUT_A_REFUSED_PROPOSAL = ("generate", "verify")


def test_every_task_about_texts_has_two_examples() -> None:
    assert {task for task in REPLY_KINDS if not task.startswith("image-")} == set(TASKS)
    assert set(WRITING) == set(TASKS)
    assert {len(entries) for entries in (*TASKS.values(), *WRITING.values())} == {2}


@pytest.mark.parametrize("in_context", [False, True])
def test_no_text_that_a_model_can_copy_as_its_own_is_shown_with_the_answer_about_it(in_context: bool) -> None:
    for task in TASKS:
        for style in STYLES:
            written = [shot[-1].content for shot in shots(task, style, "ours", "generate")]
            later = shots(task, style, "ours", "verify", in_context=in_context)
            shown = "\n".join(turn.content for shot in later for turn in shot)
            assert not [text for text in written if text.rpartition("Final text:\n")[2] in shown], task
    [writing], [reading] = agents.shots("generate"), agents.shots("verify")
    assert writing[-1].content not in reading[0].content


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
    for entry in (*WRITING["total-count"], *WRITING["grammar"]):
        assert str(len(words_of(entry["written"]))) == entry["slots"]["num"]
    for entry in (*WRITING["designated-count"], *WRITING["change-word"]):
        words = [match[0].lower().strip(".,") for match in words_of(entry["written"])]
        assert str(words.count(entry["slots"]["word"])) == entry["slots"]["num"]
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
    prompts = set(make()["generate_prompt"].to_pylist())
    assert not prompts & {shot[0].content for shot in shots(task, "plain", "ours", "generate")}


@pytest.mark.parametrize(("task", "num_examples"), [("total-count", 2), ("image-counting", None)])
def test_a_run_says_how_many_examples_its_task_has_and_null_if_it_has_none(task: str, num_examples: int | None) -> None:
    options = PictureOptions(image_model="draws") if num_examples is None else SelfKnowledgeOptions()
    completion = choose_rows(task, table_of(task), DatasetReference("self-knowledge", task), options).settings[
        "completion"
    ]
    assert (completion and completion["examples"]) == num_examples


def test_invented_tasks_are_shown_in_the_form_that_their_stages_ask_for() -> None:
    answers = {stage: [shot[-1].content for shot in agents.shots(stage)] for stage in STAGES}
    proposals = [read_proposal(answer).value for answer in answers["propose"]]
    assert all(proposal is not None and reason_not_a_template(proposal) is None for proposal in proposals)
    assert [read("yes-no", answer, "stop").outcome.value for answer in answers["judge"]] == ["yes", "no"]
    for proposal, answer in zip(proposals, answers["fill"], strict=True):
        assert proposal is not None
        assert len(read_instances(answer, proposal, num_instances=10)) == len(answer.splitlines()) == 2
    assert [len(answers[stage]) for stage in STAGES_WITHOUT_A_REFUSED_PROPOSAL] == [1, 1]
    assert agents.shots("generate")[0][0].content == "Write a sentence that names exactly 2 months."
    assert not {proposal.name for proposal in proposals if proposal} & set(paper_templates()["tables_8_13_and_14"])


def test_a_base_model_that_invents_tasks_is_shown_two_proposals_and_told_where_to_end() -> None:
    row = {"id": "agents-000-plain", "prompt": agents.propose_prompt(1)}
    so_far = SoFar(Path(), [row])
    [framed] = requests("propose", 10, agents.shots("propose"), so_far)
    [plain] = requests("propose", 10, None, so_far)
    assert framed.completion is not None
    assert framed.completion.prompt.count("Question: You invent tasks") == 3
    assert framed.completion.prompt.endswith(f"Question: {row['prompt']}\nAnswer:")
    assert framed.completion.stop == ("\nQuestion:",)
    assert (plain.completion, plain.prompt) == (None, framed.prompt)
