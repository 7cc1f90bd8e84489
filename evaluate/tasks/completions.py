r"""Requests for completion (base) models: worked examples first, a cue after each question, and a stop.

A base model continues a text. After a chat model's prompt it would continue the question, or answer it and then write
further questions until it is cut off. The frame and its stop strings are data (``datasets_src/completion.yaml``); the
examples belong to each task.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import yaml

from selfknow.builders.sources import read_text
from selfknow.models.interface import Completion, Turn

Example = tuple[Turn, ...]
"""A worked example: turns of user and assistant; the last one is the assistant's."""


@cache
def _frame() -> Mapping[str, Any]:
    frame: Mapping[str, Any] = yaml.safe_load(read_text("completion.yaml"))
    return frame


def framed(examples: Sequence[Example], prompt: str, turns: Sequence[Turn] = ()) -> Completion:
    r"""Return a completion prompt: questions and answers in turn, with the cue for the last answer at the end.

    Args:
        examples: Worked examples.
        prompt: The question.
        turns: The earlier turns of the conversation.

    Example:
        >>> shot = (Turn("user", "Is 2 even?"), Turn("assistant", "yes"))
        >>> framed([shot], "Is 3 even?").prompt
        'Question: Is 2 even?\nAnswer: yes\n\nQuestion: Is 3 even?\nAnswer:'
    """
    all_turns = [*(turn for example in examples for turn in example), *turns, Turn("user", prompt)]
    text = ""
    for turn in all_turns:
        if turn.role == "user":
            text += str(_frame()["question"]).replace("{prompt}", turn.content)
        else:
            text += f" {turn.content}\n\n"
    return Completion(text, tuple(_frame()["stop"]))


def worked_example(prompt: str, answer: str) -> Example:
    """Return a worked example of a single question."""
    return (Turn("user", prompt), Turn("assistant", answer))


def completion_settings(examples: object, num_examples: int, stop: Sequence[str]) -> dict[str, object]:
    """Return the entry of ``run.json`` about the prompts of completion models.

    Args:
        examples: The examples as JSON; a run with other examples is another run.
        num_examples: The number of examples before a question.
        stop: The stop strings.
    """
    digest = hashlib.sha256(json.dumps(examples, ensure_ascii=False, sort_keys=True).encode()).hexdigest()
    return {"examples": num_examples, "content_hash": digest[:16], "stop": list(stop)}


def frame_stop() -> tuple[str, ...]:
    """Return the stop strings of a framed prompt."""
    return tuple(_frame()["stop"])
