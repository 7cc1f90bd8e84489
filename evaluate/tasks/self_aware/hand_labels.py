"""Labels by hand: how often people abstain, and which of a run's replies abstain by people's judgement.

A reply's label is the judgement of more than half of its annotators; with two annotators, both must agree. Without a
majority it is null with a reason. The labels are the metric ``hand_abstained``, in a file of their own that scoring the
run again does not change.
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
"""One of :data:`WORDS` by annotator and then by question or reply."""


def abstaining_report(judgements: Judgements) -> list[dict[str, object]]:
    """Return a row for each annotator, and a row for all of them together.

    Args:
        judgements: The judgements of all annotators.

    Returns:
        Rows of ``annotator``; ``judged``, the number of questions or replies (for all together: those that everyone
        judged); ``abstains``, the share of judgements that are ``abstains``, null if there are none;
        ``fleiss_kappa``, over those that everyone judged, null if there are none or only one annotator.

    Example:
        >>> abstaining_report({"ann": {"a": "abstains", "b": "answers"}, "bob": {"a": "abstains", "b": "answers"}})[-1]
        {'annotator': 'all of them', 'judged': 2, 'abstains': 0.5, 'fleiss_kappa': 1.0}
    """
    votes, kappa = shared_votes(list(judgements.values()), WORDS)
    all_votes = [vote for row in votes.values() for vote in row]
    return [
        *(_row(name, len(judged), list(judged.values())) for name, judged in judgements.items()),
        _row("all of them", len(votes), all_votes) | {"fleiss_kappa": kappa},
    ]


def _row(name: str, num_judged: int, words: list[str]) -> dict[str, object]:
    share = words.count(ABSTAINS) / len(words) if words else None
    return {"annotator": name, "judged": num_judged, "abstains": share, "fleiss_kappa": None}


METRIC = "hand_abstained"
SCORES_NAME = "hand-abstained"
COLUMNS = ("generation_id", "question", "reply", "judgement", "remark")


@dataclass(frozen=True)
class ReplyToJudge:
    """A reply to judge, with its question."""

    generation_id: str
    question: str
    reply: str


def read_replies(folder: Path) -> dict[str, ReplyToJudge]:
    """Return the replies of a run that are not empty, by ``generation_id``; of every call the last attempt.

    Raises:
        UserError: The folder is not a run of self-aware, or a reply belongs to no example.
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
    """Return a random sample without repeats, the same for the same seed; all replies if the size is null.

    Raises:
        UserError: There are fewer replies than ``size``.
    """
    if size is not None and size > len(replies):
        raise UserError(f"only {len(replies):,} replies have any text, so {size:,} cannot be drawn: ask for fewer")
    return _shuffled(replies.values(), f"{seed}:sample")[:size]


def reply_sheet(replies: Sequence[ReplyToJudge], annotator: str, seed: int) -> str:
    """Return a sheet as CSV: a row per reply, shuffled for each annotator, with ``judgement`` to fill in."""
    return csv_text(map(vars, _shuffled(replies, f"{seed}:{annotator}")), COLUMNS)


def read_reply_sheets(paths: Sequence[Path], replies: Mapping[str, ReplyToJudge]) -> dict[str, dict[str, str]]:
    """Return the labels on sheets, by annotator (the sheet's name) and reply, without blank rows.

    Raises:
        UserError: A file is not such a sheet, a reply is repeated or of another run, or a judgement is
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
    """Write the labels into a run; earlier labels are replaced.

    Raises:
        UserError: There is no judgement, or the folder cannot be written.
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
