"""Given rows: an according-to run whose replies and scores are written down."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from selfknow.evaluate.tasks.according_to.prompts import Setup
from selfknow.evaluate.tasks.according_to.questions import SCHEMA, TASK
from selfknow.models.interface import GREEDY, Reply, Request
from selfknow.runs.description import DatasetReference, RunDescription
from selfknow.runs.schema import SCORES, write_scores
from selfknow.runs.writer import RunWriter

Scores = Mapping[str, float | None]
Said = tuple[str, Scores]
"""A reply, and its scores by metric."""


def write_run(
    folder: Path,
    replies_by_prompt: Mapping[str, Mapping[str, Said | None]],
    *,
    portrait: Mapping[str, str] | None = None,
    question: str = "What is {id}?",
    model: str = "m",
    revision: str = "1",
    format_: str = "short",
) -> Path:
    """Return a run in which each question got these replies, by prompt; null is a failed request."""
    prompts = tuple(dict.fromkeys(prompt for replies in replies_by_prompt.values() for prompt in replies))
    settings = {**Setup(format_, prompts).as_json(), "portrait": dict(portrait or {})}
    rows = [
        {"id": name, "question": question.format(id=name), "answers": [name], "cooccurrences": None}
        for name in replies_by_prompt
    ]
    examples = pa.Table.from_pylist(rows, schema=SCHEMA)
    scores: list[dict[str, object]] = []
    with RunWriter.open(folder, RunDescription(TASK, DatasetReference("set.jsonl"), GREEDY, settings), examples) as run:
        for name, replies in replies_by_prompt.items():
            for prompt, item in replies.items():
                reply = Reply(None, error="503") if item is None else Reply(item[0], "stop")
                made = run.append(model, revision, Request(name, prompt, variant=prompt), reply)
                values: Scores = dict.fromkeys(_metrics(replies_by_prompt)) if item is None else item[1]
                scores += [_score(made, metric, value) for metric, value in values.items()]
    write_scores(folder, TASK, pa.Table.from_pylist(scores, schema=SCORES))
    return folder


def _score(generation_id: str, metric: str, value: float | None) -> dict[str, object]:
    reason = None if value is not None else "failed"
    return {"generation_id": generation_id, "metric": metric, "value": value, "reason": reason}


def _metrics(replies_by_prompt: Mapping[str, Mapping[str, Said | None]]) -> Sequence[str]:
    return sorted(
        {metric for replies in replies_by_prompt.values() for reply in replies.values() if reply for metric in reply[1]}
    )
