"""Scores of invented tasks (Tan et al., section 6.4, Table 8).

``proposal_parsed``   1 if the reply has the four lines and slots that can be filled; else 0 with the reason
``accepted``          1 if the judge says yes
``filled``            the share of the requested instances that are complete and distinct
``reply_parsed``      1 if the verifying reply could be read
``self_consistent``   1 if the verifying reply is the instance's answer. If a text failed or is a refusal, nothing is
                      asked about it; the metric is then null on the text's own row

No program knows the true answer to a task that a model has just invented, so there are no other metrics. The table
``parsed/self_knowledge_proposals`` has every proposal with its state and the reason.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from selfknow.evaluate.outcome import Outcome, failed, scores_table
from selfknow.evaluate.readers.reading import Reading, is_refusal, read_reply
from selfknow.evaluate.replies import Excerpt, asked_text, plain, without_thinking
from selfknow.evaluate.task import FinishedRun, Row, ScoreOptions, Scores
from selfknow.evaluate.tasks.self_knowledge.agents.prompts import (
    FILL,
    GENERATE,
    JUDGE,
    PROPOSE,
    VERIFY,
    instance_of,
    proposal_in,
    proposal_of,
    read_judgement,
    reason_given,
    reason_not_verifiable,
    template_in,
)
from selfknow.evaluate.tasks.self_knowledge.replies import parse, read

PROPOSALS = pa.schema(
    [
        pa.field("generation_id", pa.string(), nullable=False),
        pa.field("name", pa.string()),
        pa.field("generate_prompt", pa.string()),
        pa.field("verify_prompt", pa.string()),
        pa.field("answer", pa.string()),
        pa.field("state", pa.string(), nullable=False),
        pa.field("why", pa.string()),
        pa.field("num_instances", pa.int32(), nullable=False),
    ]
)
"""A row per proposal. Its state is accepted, refused, undecided (the judge's reply could not be read), unusable (not a
template), failed or not judged. ``why`` is the judge's or the reader's reason."""
_COLUMNS = (
    *("generation_id", "stage", "parent_generation_id", "sample", "prompt", "generation", "finish_reason", "error"),
)
_METRICS = {
    PROPOSE: ("proposal_parsed",),
    JUDGE: ("accepted",),
    FILL: ("filled",),
    VERIFY: ("reply_parsed", "self_consistent"),
}


def reply_kind(answer: str) -> str:
    """Return the kind of reply that an invented task expects, by its answer: ``yes-no``, ``number`` or ``text``.

    >>> reply_kind("Yes."), reply_kind("1,024"), reply_kind("Right angle")
    ('yes-no', 'number', 'text')
    """
    if len(answer.split()) > 1:
        return "text"
    kinds = ("yes-no", "number")
    return next((kind for kind in kinds if parse(kind, answer).value is not None), "text")


def read_answer(kind: str, reply: str, finish_reason: str | None = None, prompt: str = "") -> Reading:
    """Read a verifying reply; a text is in lower case, without punctuation around it."""
    if kind != "text":
        return read(kind, reply, finish_reason, prompt)
    return read_reply(_read_text, reply, finish_reason, prompt)


def _read_text(text: str) -> Outcome[str]:
    if is_refusal(text):
        return Outcome(None, "refusal")
    answer = plain(text).strip(" \t\n.\"'*_").casefold()
    return Outcome(answer) if answer else Outcome(None, "empty")


@dataclass(frozen=True)
class _Calls:
    """The facts about other calls that the scores of a call need.

    Attributes:
        by_id: The calls before ``verify``, by ``generation_id``; of a text only its parent and sample.
        num_texts: The number of texts that descend from a proposal or filling, by its ``generation_id``.
        first_after: The first call about a proposal, by the proposal's ``generation_id``.
        num_instances: The number of instances of a template; null in old runs, which had no slots.
    """

    by_id: Mapping[str, Row]
    num_texts: Mapping[str, int]
    first_after: Mapping[str, Row]
    num_instances: int | None


def _read_calls(run: FinishedRun) -> _Calls:
    by_id: dict[str, Row] = {}
    for row in run.rows(*_COLUMNS):
        if row["stage"] != VERIFY:
            text_fields = {name: row[name] for name in ("stage", "parent_generation_id", "sample")}
            by_id[row["generation_id"]] = text_fields if row["stage"] == GENERATE else row
    num_texts: Counter[str] = Counter()
    first_after: dict[str, Row] = {}
    for row in run.rows(*_COLUMNS):
        parent = row["parent_generation_id"]
        if row["stage"] == GENERATE:
            num_texts.update({parent, proposal_of(row, by_id)["generation_id"]})
        if by_id.get(parent, {}).get("stage") == PROPOSE:
            first_after.setdefault(parent, row)
    settings = run.description.get("settings") or {}
    return _Calls(by_id, num_texts, first_after, settings.get("instances"))


def score(run: FinishedRun, options: ScoreOptions) -> Iterator[Scores]:  # noqa: ARG001
    """Yield the scores of a run."""
    calls = _read_calls(run)
    for batch in run.calls:
        rows = batch.select(_COLUMNS).to_pylist()
        scores = scores_table(
            (row["generation_id"], metric, outcome) for row in rows for metric, outcome in _metrics(row, calls).items()
        )
        excerpts = {row["generation_id"]: part for row in rows if (part := _excerpt(row, calls.by_id)) is not None}
        proposals = [_proposal(row, calls) for row in rows if row["stage"] == PROPOSE]
        parsed = {"self_knowledge_proposals": pa.Table.from_pylist(proposals, schema=PROPOSALS)}
        yield Scores({"self-knowledge-agents": scores}, parsed, excerpts)


def _excerpt(row: Row, by_id: Mapping[str, Row]) -> Excerpt | None:
    """Return the part of a reply that was read, or shown in the verifying prompt."""
    if row["generation"] is None:
        return None
    if row["stage"] == JUDGE:
        return read_judgement(row).excerpt
    if row["stage"] == VERIFY:
        return _verified_answers(row, by_id)[0].excerpt
    if row["stage"] == GENERATE:
        return asked_text(row["generation"], row["prompt"])
    return without_thinking(row["generation"], row["prompt"])


def _metrics(row: Row, calls: _Calls) -> dict[str, Outcome[float]]:
    if row["stage"] == GENERATE:
        reason = reason_not_verifiable(row)
        return {"self_consistent": Outcome(None, f"not asked: {reason}")} if reason else {}
    if row["error"] is not None:
        return dict.fromkeys(_METRICS.get(row["stage"], ()), failed(row))
    if row["stage"] == PROPOSE:
        proposal = proposal_in(row) if calls.num_instances is None else template_in(row)
        return {"proposal_parsed": Outcome(float(proposal.value is not None), proposal.reason)}
    if row["stage"] == JUDGE:
        verdict = read_judgement(row).outcome
        accepted = None if verdict.value is None else float(verdict.value == "yes")
        return {"accepted": Outcome(accepted, verdict.reason)}
    if row["stage"] == FILL:
        return {"filled": Outcome(calls.num_texts[row["generation_id"]] / int(calls.num_instances or 1))}
    reading, answer = _verified_answers(row, calls.by_id)
    reply = reading.outcome
    agrees = None if reply.value is None else float(reply.value == answer.value)
    return {
        "reply_parsed": Outcome(float(reply.value is not None), reply.reason),
        "self_consistent": Outcome(agrees, reply.reason),
    }


def _verified_answers(row: Row, by_id: Mapping[str, Row]) -> tuple[Reading, Outcome[str]]:
    """Return the answer of a verifying reply, and the expected answer of its instance."""
    instance = instance_of(row, by_id)
    assert instance is not None, "every verified text belongs to an instance"
    kind = reply_kind(instance.answer)
    answer = read_answer(kind, instance.answer).outcome
    return read_answer(kind, row["generation"], row["finish_reason"], row["prompt"]), answer


def _proposal(row: Row, calls: _Calls) -> dict[str, Any]:
    """Return a row for a proposal: its fields, its state and the reason."""
    id_ = row["generation_id"]
    fields = {"generation_id": id_, "num_instances": 0}
    if row["error"] is not None:
        return {**fields, "state": "failed", "why": failed(row).reason}
    proposal = proposal_in(row).value
    fields |= {**({} if proposal is None else vars(proposal)), "num_instances": calls.num_texts[id_]}
    judgement = calls.first_after.get(id_)
    if judgement is None:
        reason = template_in(row).reason
        return {**fields, "state": "unusable" if reason else "not judged", "why": reason}
    if judgement["error"] is not None:
        return {**fields, "state": "not judged", "why": failed(judgement).reason}
    verdict = read_judgement(judgement).outcome
    state = {"yes": "accepted", "no": "refused"}.get(verdict.value or "", "undecided")
    return {**fields, "state": state, "why": reason_given(judgement)}
