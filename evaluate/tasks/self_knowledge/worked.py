"""Worked examples of every task, which a completion (base) model sees before its question.

An example goes through the same code as a real question: its prompts are built from its slots, and its text is
shortened and changed like a model's text. So it has the same form as the question that follows it, in every style,
wording and protocol. The examples are data (``datasets_src/self_knowledge/completion/examples.yaml``).
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import yaml

from selfknow.builders.self_knowledge.prompts import MARKER, row_of
from selfknow.builders.self_knowledge.tasks import Instance
from selfknow.builders.sources import read_text
from selfknow.evaluate.tasks.completions import Example as Shot
from selfknow.evaluate.tasks.completions import worked_example
from selfknow.evaluate.tasks.self_knowledge.protocols import DUAL, GENERATE, Example, conversation
from selfknow.models.interface import Turn

_BROKEN = "verify-broken"


@cache
def worked_examples() -> Mapping[str, Any]:
    """Return the file of examples: ``writing`` and ``tasks``, by task, and ``cot``, the reasoning of that style."""
    value: Mapping[str, Any] = yaml.safe_load(read_text("self_knowledge/completion/examples.yaml"))
    return value


def shots(task: str, style: str, wording: str, stage: str, *, in_context: bool = False) -> list[Shot]:
    """Return the worked examples of a stage.

    The examples of ``generate`` are about other texts than those of the later stages: a model that copies a text from
    its prompt must not read the answer about that text there.

    Args:
        task: The config; the list is empty if it has no worked examples.
        style: ``plain``, ``expert`` or ``cot``.
        wording: ``ours`` or ``paper``.
        stage: The stage; all verifying stages have the same worked examples.
        in_context: True if a verifying stage goes on with the conversation in which the text was written.

    Raises:
        UserError: The wording has no prompt for the stage.
    """
    examples = worked_examples()["writing" if stage == GENERATE else "tasks"]
    entries: Sequence[Mapping[str, Any]] = examples.get(task, ())
    return [_shot(_example(entry, task, style, wording), entry, stage, in_context=in_context) for entry in entries]


def _example(entry: Mapping[str, Any], task: str, style: str, wording: str) -> Example:
    instance = Instance(
        slots=entry["slots"],
        breaks=entry.get("breaks"),
        altered_slots=entry.get("altered_slots"),
        params=entry.get("params", {}),
        source_task=entry.get("source_task"),
    )
    return Example.of(row_of(instance, task, 0, style), wording)


def _shot(example: Example, entry: Mapping[str, Any], stage: str, *, in_context: bool) -> Shot:
    writing_prompt, text_of_example = example.prompt("generate_prompt"), _written(example, entry["written"])
    if stage == GENERATE:
        return worked_example(writing_prompt, text_of_example)
    reply = {"generation": text_of_example, "finish_reason": "stop", "prompt": writing_prompt}
    content = example.content(reply)
    if stage == DUAL:
        assert content.text is not None, "a worked example holds nothing to ask about"
        prompt = example.prompt("dual_prompt").replace(MARKER, content.text)
        return worked_example(prompt, _written(example, entry["another"]))
    verifying_stage = _BROKEN if "breaks" in entry else "verify"
    text, template = example.changed(verifying_stage, content).text, example.question(verifying_stage)
    assert text is not None, "a worked example holds nothing to ask about"
    answer = _answer(example, entry["reply"])
    if not in_context:
        return worked_example(template.replace(MARKER, text), answer)
    turns, prompt = conversation(writing_prompt, text_of_example, template, text, noisy=False)
    return (*turns, Turn("user", prompt), Turn("assistant", answer))


def _written(example: Example, text: str) -> str:
    return f"{worked_examples()['cot']['written']}\nFinal text:\n{text}" if example.style == "cot" else text


def _answer(example: Example, answer: str) -> str:
    return f"{worked_examples()['cot']['reply']}\nAnswer: {answer}" if example.style == "cot" else answer
