r"""Requests for completion (base) models: worked examples first, a cue after each question, and a stop.

A base model goes on with a text. Asked as a chat model is, it goes on with the question, or answers and goes on with a
next question of its own until it is cut off. The frame and its stop are data (``datasets_src/completion.yaml``); the
examples are each task's own.
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
"""A worked example: a conversation in which the user and the assistant take turns, and the assistant has the last."""


@cache
def _frame() -> Mapping[str, Any]:
    frame: Mapping[str, Any] = yaml.safe_load(read_text("completion.yaml"))
    return frame


def framed(examples: Sequence[Example], prompt: str, turns: Sequence[Turn] = ()) -> Completion:
    r"""Return a request as questions and answers, with the cue for the last answer at the end.

    Args:
        examples: Worked examples.
        prompt: The question.
        turns: The turns before it.

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


def shown(prompt: str, answer: str) -> Example:
    """Return a worked example of one question."""
    return (Turn("user", prompt), Turn("assistant", answer))


def completion_settings(examples: object, num_examples: int, stop: Sequence[str]) -> dict[str, object]:
    """Return the entry of ``run.json`` about how a run asks completion models.

    Args:
        examples: The examples, as JSON has them: another text of them is another run.
        num_examples: The number of examples before a question.
        stop: Texts at which a reply ends.
    """
    digest = hashlib.sha256(json.dumps(examples, ensure_ascii=False, sort_keys=True).encode()).hexdigest()
    return {"examples": num_examples, "content_hash": digest[:16], "stop": list(stop)}


def frame_stop() -> tuple[str, ...]:
    """Return the texts at which a framed reply ends."""
    return tuple(_frame()["stop"])
