"""Judging by a model: do replies of self-aware abstain, and are short answers correct?

The prompts are in ``datasets_src/self_aware/replies/judge.yaml``. Each reply has a request of its own in the stage
``grade``; the variant is ``abstention`` or ``correctness``. The judge must say exactly one of the offered words;
otherwise there is no verdict.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import yaml

from selfknow.builders.sources import read_text
from selfknow.evaluate.outcome import Outcome, failed, scores_table
from selfknow.evaluate.replies import without_thinking
from selfknow.evaluate.task import FinishedRun, Row
from selfknow.models.interface import GRADE, Request
from selfknow.runs.schema import SCORES

ABSTENTION, CORRECTNESS = "abstention", "correctness"
JUDGE = "judge"
WORDS: Mapping[str, Mapping[str, float | None]] = {
    ABSTENTION: {"abstains": 1.0, "answers": 0.0, "refuses": 0.0, "unreadable": None},
    CORRECTNESS: {"correct": 1.0, "wrong": 0.0},
}


@cache
def _prompts() -> Mapping[str, str]:
    prompts: Mapping[str, str] = yaml.safe_load(read_text("self_aware/replies/judge.yaml"))
    return prompts


def prompt_of(what: str, question: str, reply: str, answers: Sequence[str] = ()) -> str:
    """Return the prompt that asks a judge about a reply.

    Args:
        what: ``abstention`` or ``correctness``.
        question: The question.
        reply: The reply; a ``{question}`` inside it stays as text.
        answers: The accepted answers.
    """
    parts = {"question": question, "reply": reply.strip(), "answers": " | ".join(answers)}
    return re.sub(r"\{(question|reply|answers)\}", lambda name: parts[name[1]], _prompts()[what])


def requests(run: FinishedRun) -> list[Request]:
    """Return the requests about every reply that is not empty: abstention and, if there are answers, correctness."""
    examples = {row["id"]: row for row in run.examples.to_pylist()}
    return [
        Request(
            call["example_id"],
            prompt_of(what, examples[call["example_id"]]["question"], call["generation"], _answers(examples, call)),
            stage=GRADE,
            variant=what,
            parent_generation_id=call["generation_id"],
        )
        for call in run.rows()
        if call["error"] is None and call["generation"].strip()
        for what in (ABSTENTION, CORRECTNESS)
        if what == ABSTENTION or examples[call["example_id"]]["answers"]
    ]


def _answers(examples: Mapping[str, Row], call: Row) -> Sequence[str]:
    return examples[call["example_id"]]["answers"] or ()


def read_grade(what: str, reply: str) -> str | None:
    """Return the judge's word in lower case; None if it said none of the offered words, or several.

    >>> read_grade("abstention", "**ABSTAINS**"), read_grade("correctness", "CORRECT? No: wrong.")
    ('abstains', None)
    """
    text = without_thinking(reply).text.lower()
    words = {word for word in WORDS[what] if re.search(rf"\b{word}\b", text)}
    return words.pop() if len(words) == 1 else None


def _outcome(grade: Row) -> Outcome[float]:
    if grade["error"] is not None:
        return failed(grade)
    word = read_grade(grade["variant"], grade["generation"])
    if word is None:
        return Outcome(
            None, f"the judge {grade['model']} said none of {', '.join(WORDS[grade['variant']])}, or several"
        )
    return Outcome(WORDS[grade["variant"]][word], f"{grade['model']}: {word}")


_METRICS = {ABSTENTION: "judge_abstained", CORRECTNESS: "judge_correct"}
_JUDGES = pa.schema([*SCORES, pa.field("model", pa.string()), pa.field("revision", pa.string())])


def judged_scores(grades: Iterable[pa.Table]) -> pa.Table:
    """Return ``judge_abstained`` and ``judge_correct`` for the replies; of several judges, the last by name counts.

    Args:
        grades: The judges' replies, in the shape of ``generations``.

    Returns:
        A table in the shape of ``SCORES``, in the order of the first judge.
    """
    scores = pa.concat_tables([_JUDGES.empty_table(), *map(_judged, grades)])
    by_name = pc.sort_indices(
        scores, sort_keys=[("model", "ascending"), ("revision", "ascending")]
    )  # this sort is stable
    scores = scores.take(by_name).append_column("place", pa.array(np.arange(len(scores))))
    places = scores.group_by(["generation_id", "metric"]).aggregate([("place", "min"), ("place", "max")])
    return scores.take(places.sort_by("place_min")["place_max"]).select(SCORES.names)


def _judged(grades: pa.Table) -> pa.Table:
    """Return the scores of a table of grades, each with its judge."""
    rows = [row for row in grades.to_pylist() if row["variant"] in _METRICS]
    scores = scores_table((row["parent_generation_id"], _METRICS[row["variant"]], _outcome(row)) for row in rows)
    judges = {"model": [row["model"] for row in rows], "revision": [row["revision"] or "" for row in rows]}
    return pa.table({**dict(zip(SCORES.names, scores.columns, strict=True)), **judges}, schema=_JUDGES)


def judged_verdicts(grades: pa.Table, schema: pa.Schema) -> dict[str, pa.Table]:
    """Return each judge's verdicts by a short key; the judge's name is in the column ``encoder``."""
    verdicts: dict[str, list[dict[str, object]]] = {}
    for grade in grades.to_pylist():
        if grade["variant"] != ABSTENTION:
            continue
        outcome = _outcome(grade)
        word = None if grade["error"] is not None else read_grade(ABSTENTION, grade["generation"])
        key = hashlib.sha256(f"{grade['model']}@{grade['revision']}".encode()).hexdigest()[:8]
        verdicts.setdefault(key, []).append(
            {
                "generation_id": grade["parent_generation_id"],
                "scorer": JUDGE,
                "encoder": grade["model"],
                "references_name": "judge.yaml",
                "abstained": outcome.value,
                "kind": word,
                "reason": outcome.reason if outcome.value is None else None,
            }
        )
    return {key: pa.Table.from_pylist(rows, schema=schema) for key, rows in verdicts.items()}
