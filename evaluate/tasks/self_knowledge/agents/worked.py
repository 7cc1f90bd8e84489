"""Worked examples of inventing and carrying out a task, which a completion (base) model sees before its own task.

The examples are data (``datasets_src/self_knowledge/completion/agents.yaml``). Their prompts are written by the same
functions as the prompts of the stages.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import yaml

from selfknow.builders.sources import read_text
from selfknow.evaluate.tasks.completions import Example, completion_settings, frame_stop, worked_example
from selfknow.evaluate.tasks.self_knowledge.agents.prompts import Proposal, fill_prompt, judge_prompt, propose_prompt

_LISTED_TASKS = 2
"""The number of tasks that an example of ``propose`` lists: all of them would fill a small model's context."""


@cache
def worked_proposals() -> Sequence[Mapping[str, Any]]:
    """Return the examples of the data file, unchanged."""
    value: Sequence[Mapping[str, Any]] = yaml.safe_load(read_text("self_knowledge/completion/agents.yaml"))
    return value


def agent_completion_settings() -> dict[str, object]:
    """Return the entry of ``run.json`` about the prompts of completion models."""
    proposals = worked_proposals()
    return completion_settings(proposals, num_examples=len(proposals), stop=frame_stop())


@cache
def shots(stage: str) -> Sequence[Example]:
    """Return the worked examples of a stage; a refused proposal has none for the last two stages."""
    examples = [_prompts_and_replies(number, entry) for number, entry in enumerate(worked_proposals(), start=1)]
    return [worked_example(*by_stage[stage]) for by_stage in examples if stage in by_stage]


def _prompts_and_replies(number: int, entry: Mapping[str, Any]) -> Mapping[str, tuple[str, str]]:
    """Return the prompt and the reply of each stage of an example, by stage."""
    proposal = _lines(entry["proposal"])
    by_stage = {
        "propose": (propose_prompt(number, _LISTED_TASKS), proposal),
        "judge": (judge_prompt(proposal), _lines(entry["judgement"])),
        "fill": (fill_prompt(proposal, len(entry["filled"])), "\n".join(map(_values, entry["filled"]))),
    }
    if "written" in entry:
        first, second = (_proposal(entry["proposal"]).filled(slots) for slots in entry["filled"])
        by_stage["generate"] = (first.generate_prompt, entry["written"])
        by_stage["verify"] = (f"{second.verify_prompt}\n\n{entry['read']}", entry["reply"])
    return by_stage


def _proposal(fields: Mapping[str, str]) -> Proposal:
    return Proposal(
        name=fields["Task"],
        generate_prompt=fields["First generate"],
        verify_prompt=fields["Then evaluate"],
        answer=fields["Answer"],
    )


def _lines(fields: Mapping[str, str]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in fields.items())


def _values(slots: Mapping[str, str]) -> str:
    return "; ".join(f"[{name}] = {value}" for name, value in slots.items())
