"""Labels by hand: how often people abstain, and sheets on which they say whether a run's replies do, as scores.

A reply's label is what more than half of those who judged it say: with two annotators, what both say. It stands in the
run as the metric ``hand_abstained``, in a file of its own that scoring again leaves alone; without such a majority it
is null, with its reason.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from selfknow.errors import UserError
from selfknow.evaluate.annotation import csv_text, in_order, judgement_of, shared_votes, sheet_rows
from selfknow.evaluate.tasks.self_aware.task import SELF_AWARE
from selfknow.files import read_json
from selfknow.runs.schema import SCORES, last_attempts, read_examples, read_generations, write_scores

ABSTAINS, ANSWERS = "abstains", "answers"
WORDS = (ABSTAINS, ANSWERS)
Judgements = Mapping[str, Mapping[str, str]]
"""By person, then by question or reply: one of :data:`WORDS`."""


def abstaining_report(judgements: Judgements) -> list[dict[str, object]]:
    """Return a row for each person, and one for all of them together.

    Args:
        judgements: The judgements of all annotators.

    Returns:
        Rows of ``annotator``; ``judged`` (for all together: what everyone judged); ``abstains``, the share of these
        judgements that say so, null where there are none; ``fleiss_kappa``, over what everyone judged, null where
        there is no such thing or but one person.

    Example:
        >>> abstaining_report({"ann": {"a": "abstains", "b": "answers"}, "bob": {"a": "abstains", "b": "answers"}})[-1]
        {'annotator': 'all of them', 'judged': 2, 'abstains': 0.5, 'fleiss_kappa': 1.0}
    """
    votes, kappa = shared_votes(list(judgements.values()), WORDS)
    together = [vote for row in votes.values() for vote in row]
    return [
        *(_row(name, len(judged), list(judged.values())) for name, judged in judgements.items()),
        _row("all of them", len(votes), together) | {"fleiss_kappa": kappa},
    ]


def _row(name: str, judged: int, words: list[str]) -> dict[str, object]:
    share = words.count(ABSTAINS) / len(words) if words else None
    return {"annotator": name, "judged": judged, "abstains": share, "fleiss_kappa": None}


METRIC = "hand_abstained"
SCORES_NAME = "hand-abstained"
COLUMNS = ("generation_id", "question", "reply", "judgement", "remark")


@dataclass(frozen=True)
class ReplyToJudge:
    """A reply to be judged."""

    generation_id: str
    question: str
    reply: str


def read_replies(folder: Path) -> dict[str, ReplyToJudge]:
    """Return the replies of a run that hold anything to read, by ``generation_id``; of every call the last attempt.

    Raises:
        UserError: It is not a run folder of self-aware, or a reply is about no example.
    """
    task = read_json(folder / "run.json").get("task")
    if task != SELF_AWARE.name:
        raise UserError(f"{folder} is a run of {task!r}: replies are judged in runs of {SELF_AWARE.name}")
    questions = {row["id"]: row["question"] for row in read_examples(folder).select(["id", "question"]).to_pylist()}
    replies = {}
    for row in last_attempts(read_generations(folder)).to_pylist():
        if row["example_id"] not in questions:
            raise UserError(f"{folder} holds generations about {row['example_id']!r}, which is not an example")
        if row["error"] is None and (row["generation"] or "").strip():
            text = row["generation"].strip()
            replies[row["generation_id"]] = ReplyToJudge(row["generation_id"], questions[row["example_id"]], text)
    return replies


def sample_of(replies: Mapping[str, ReplyToJudge], size: int | None, seed: int) -> list[ReplyToJudge]:
    """Return a sample without repetition, the same for the same seed; all replies when no size is given.

    Raises:
        UserError: There are fewer replies than that.
    """
    if size is not None and size > len(replies):
        raise UserError(f"only {len(replies):,} replies have any text, so {size:,} cannot be drawn: ask for fewer")
    return _shuffled(replies.values(), f"{seed}:sample")[:size]


def reply_sheet(replies: Sequence[ReplyToJudge], annotator: str, seed: int) -> str:
    """Return a sheet as CSV: a row per reply, in an order of the annotator's own, ``judgement`` to be filled in."""
    return csv_text(map(vars, _shuffled(replies, f"{seed}:{annotator}")), COLUMNS)


def read_reply_sheets(paths: Sequence[Path], replies: Mapping[str, ReplyToJudge]) -> dict[str, dict[str, str]]:
    """Return the labels that annotators filled in, by annotator (the sheet's name) and reply, without blank rows.

    Raises:
        UserError: A file is not such a sheet, a reply stands on it twice or is of another run, or a judgement is
            neither ``abstains`` nor ``answers``.
    """
    return {
        path.stem: {
            generation_id: judgement
            for where, generation_id, row in sheet_rows(path, "generation_id", "judgement", replies, "reply of the run")
            if (judgement := judgement_of(row, where, WORDS))
        }
        for path in paths
    }


def label_scores(judgements: Judgements) -> pa.Table:
    """Return the labels as scores: 1 (abstains) or 0 by majority of the annotators, null without a majority."""
    votes: dict[str, list[str]] = {}
    for judged in judgements.values():
        for generation_id, judgement in judged.items():
            votes.setdefault(generation_id, []).append(judgement)
    return pa.Table.from_pylist([_label(*vote) for vote in sorted(votes.items())], schema=SCORES)


def write_labels(folder: Path, judgements: Judgements) -> pa.Table:
    """Write the labels into a run, in place of those that were imported earlier.

    Raises:
        UserError: Nobody has judged any reply, or the folder cannot be written.
    """
    scores = label_scores(judgements)
    if not len(scores):
        raise UserError(f"no judgement is filled in: it is {' or '.join(WORDS)}")
    write_scores(folder, SCORES_NAME, scores)
    return scores


def _label(generation_id: str, votes: Sequence[str]) -> dict[str, object]:
    share = votes.count(ABSTAINS) / len(votes)
    value = None if share == 0.5 else float(share > 0.5)
    reason = f"annotators disagree: {votes.count(ABSTAINS)} of {len(votes)} say that it abstains"
    return {
        "generation_id": generation_id,
        "metric": METRIC,
        "value": value,
        "reason": reason if value is None else None,
    }


def _shuffled(replies: Iterable[ReplyToJudge], key: str) -> list[ReplyToJudge]:
    return in_order(replies, key, lambda item: item.generation_id)
