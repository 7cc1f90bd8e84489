"""Scores of a reply: the quoted share of its explanation, and its answer against the references.

Weller et al., "According to ...", sections 3.1 and 3.3. Metrics, each on the row of the reply that holds the
explanation:

``quip``             share of the explanation's n-grams that stand in the corpus; null where it is shorter than one
``quip_zero``        the same, 0 where it is shorter: the authors' evaluation counts it so
``quip_corrected``   ``quip`` with the filter's expected false positives taken out, unclipped
``has_explanation``  1 where something stands after the first ';' (format ``short``)
``exact_match``      short answers: 1 where the answer is one of the references, after the usual normalisation
``whole_word_match`` short answers: 1 where a reference stands in the answer as whole words, however the reply lays
                     out its parts (:mod:`.answers`); null where the answer can be read two ways
``f1``               short answers: overlap of words, best over references
``rouge_l``          long answers: ROUGE-L's F-measure, without stemming, best over references

If the first of two steps failed, there is nothing to explain: all metrics are null, on the row of that first step.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from selfknow.disk_mapping import DiskMapping
from selfknow.errors import MissingExtraError, UserError
from selfknow.evaluate.outcome import Outcome, failed, scores_table
from selfknow.evaluate.replies import THINKING_OFF, Excerpt, measured_text
from selfknow.evaluate.task import FinishedRun, Row, Scores
from selfknow.evaluate.tasks.according_to.answers import answer_match
from selfknow.evaluate.tasks.according_to.prompts import EXPLAIN, TWO_STEP
from selfknow.evaluate.tasks.short_answers import exact_match, f1
from selfknow.files import user_path
from selfknow.portraits import Portrait

NAME = "according-to"
"""The name of the task, and of its file of scores."""
_QUIP = ("quip", "quip_zero", "quip_corrected")
_SHORT = ("exact_match", "f1", "whole_word_match")
Outcomes = dict[str, Outcome[float]]
"""The outcomes of one reply, by metric."""


def rouge_l(text: str, references: Sequence[str]) -> float:
    """ROUGE-L's F-measure, best over references.

    Raises:
        MissingExtraError: The package rouge-score is not installed.
    """
    return max((float(_rouge().score(reference, text)["rougeL"].fmeasure) for reference in references), default=0.0)


@cache
def _rouge() -> Any:
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError as error:
        raise MissingExtraError("ROUGE-L", "rouge") from error
    return RougeScorer(["rougeL"], use_stemmer=False)


def cut(reply: str) -> tuple[str, str]:
    """Return the answer and its explanation: what stands before the first ';', and what after it.

    Example:
        >>> cut("Rome; it is old; very old.")
        ('Rome', 'it is old; very old.')
    """
    answer, _, explanation = reply.partition(";")
    return answer.strip(), explanation.strip()


def describe_portrait(name: str) -> dict[str, object]:
    """Read a run's portrait: where it is, its width, how many n-grams it holds, and the hash of its bits.

    Raises:
        UserError: There is none, or its stride is not 1.
    """
    portrait = Portrait.from_pretrained(name)
    portrait.quip([])
    where = str(user_path(name).resolve()) if user_path(name).is_dir() else name
    description = portrait.description
    return {"name": where, "sha256": description.sha256, "width": description.width, "items": description.items}


def open_portrait(run: FinishedRun, name: str | None) -> tuple[str, Portrait]:
    """Return the format that a run was asked in, and the portrait that it was made with.

    Args:
        run: The run.
        name: The place of the portrait now; null for the place that ``run.json`` names.

    Raises:
        UserError: The portrait is not there, or is another one.
    """
    settings = run.description.get("settings")
    if not isinstance(settings, dict) or not {"portrait", "format"} <= settings.keys():
        raise UserError(f"{run.folder}/run.json does not say how it was asked and over which portrait")
    return str(settings["format"]), portrait_of_run(run, settings["portrait"], name)


def portrait_of_run(run: FinishedRun, described: Mapping[str, Any], name: str | None) -> Portrait:
    """Load the portrait that a run describes, from ``name`` if it is given, otherwise from the place the run recorded.

    Raises:
        UserError: It is not there, or is another one.
    """
    where = name or described["name"]
    portrait = Portrait.from_pretrained(where)
    if portrait.description.sha256 != described["sha256"]:
        raise UserError(f"{where} is not the portrait that {run.folder} was made with: its bits differ")
    return portrait


def score(run: FinishedRun, format_: str, portrait: Portrait) -> Iterator[Scores]:
    """Score the calls of a run.

    Args:
        run: The run.
        format_: The format in which its questions were asked.
        portrait: The portrait of the corpus.

    Yields:
        The scores of each batch, followed by those of first steps that failed.
    """
    references = {row["id"]: row["answers"] or [] for row in run.examples.select(["id", "answers"]).to_pylist()}
    with DiskMapping() as first_answers:
        if format_ == TWO_STEP:
            _note_first_answers(run, first_answers)
        yield from _scores(run, format_, portrait, references, first_answers)
    if format_ == TWO_STEP:
        yield from _without_second_steps(run)


def _scores(
    run: FinishedRun,
    format_: str,
    portrait: Portrait,
    references: Mapping[str, Sequence[str]],
    first_answers: DiskMapping,
) -> Iterator[Scores]:
    """Yield the scores of each batch."""
    for batch in run.calls:
        rows = batch.to_pylist()
        explaining = [row for row in rows if format_ != TWO_STEP or row["stage"] == EXPLAIN]
        parts = [_parts(row, first_answers, format_) for row in explaining]
        quip = quip_outcomes(explaining, [explanation for _, _, explanation in parts], portrait)
        scores = [
            (row["generation_id"], metric, outcome)
            for row, part, outcomes in zip(explaining, parts, quip, strict=True)
            for metric, outcome in (
                outcomes | _task_metrics(row, *part, references[row["example_id"]], format_)
            ).items()
        ]
        yield Scores({NAME: scores_table(scores)}, excerpts=kept_parts(rows))


def _note_first_answers(run: FinishedRun, first_answers: DiskMapping) -> None:
    """Note the replies of the first of two steps, by ``generation_id``."""
    rows = run.rows("generation_id", "stage", "prompt", "generation")
    first_answers.update(
        ([row["generation_id"]], _said(row).text)
        for row in rows
        if row["stage"] != EXPLAIN and row["generation"] is not None
    )


def _without_second_steps(run: FinishedRun) -> Iterator[Scores]:
    """Yield the scores of first steps that failed."""
    for batch in run.calls:
        failures = [row for row in batch.to_pylist() if row["stage"] != EXPLAIN and row["generation"] is None]
        not_asked = (Outcome[float](None, f"not asked: {failed(row).reason}") for row in failures)
        yield Scores(
            {
                NAME: scores_table(
                    (row["generation_id"], metric, outcome)
                    for row, outcome in zip(failures, not_asked, strict=True)
                    for metric in (*_QUIP, *_SHORT)
                )
            }
        )


def _parts(row: Row, first_answers: DiskMapping, format_: str) -> tuple[str, str | None, str | None]:
    """Return the reply that gives the answer, the answer, and the explanation; either of the last two may be None."""
    reply = row["generation"]
    if format_ == TWO_STEP:
        answering = first_answers.get(row["parent_generation_id"])
        return answering, answering.strip(), reply and _said(row).text.strip()
    if reply is None:
        return "", None, None
    text = _said(row).text
    return (text, *cut(text)) if format_ == "short" else (text, None, text.strip())


def _said(row: Row) -> Excerpt:
    """Return the reply of a call without its thinking."""
    return measured_text(row["generation"], row["prompt"])


def kept_parts(rows: Iterable[Row]) -> dict[str, Excerpt]:
    """Return the measured part of every reply, by its ``generation_id``."""
    return {row["generation_id"]: _said(row) for row in rows if row["generation"] is not None}


def quip_outcomes(rows: Sequence[Row], explanations: Sequence[str | None], portrait: Portrait) -> list[Outcomes]:
    """Return the quoted share of every explanation, by metric; null if the request failed."""
    values = portrait.quip(explanations)
    too_short = f"shorter than {portrait.description.width} characters"
    outcomes: list[Outcomes] = []
    for row, value, corrected in zip(rows, values.tolist(), portrait.corrected(values).tolist(), strict=True):
        if row["generation"] is None:
            outcomes.append(dict.fromkeys(_QUIP, failed(row)))
        elif math.isnan(value):
            outcomes.append({**dict.fromkeys(_QUIP, Outcome(None, too_short)), "quip_zero": Outcome(0.0, too_short)})
        else:
            off = None if _said(row).is_whole else THINKING_OFF
            values_of_row = {"quip": value, "quip_zero": value, "quip_corrected": corrected}
            outcomes.append({metric: Outcome(score_value, off) for metric, score_value in values_of_row.items()})
    return outcomes


def _task_metrics(
    row: Row, reply: str, answer: str | None, explanation: str | None, references: Sequence[str], format_: str
) -> Outcomes:
    """Grade an answer; ``reply`` is the whole reply that gives it."""
    is_long = format_.startswith("long")
    graded = explanation if is_long else answer
    metrics: tuple[str, ...] = ("rouge_l",) if is_long else _SHORT
    if graded is None:
        return dict.fromkeys((*metrics, "has_explanation") if format_ == "short" else metrics, failed(row))
    outcomes: Outcomes = dict.fromkeys(metrics, Outcome(None, "no reference answers"))
    if references and is_long:
        outcomes = {"rouge_l": Outcome(rouge_l(graded, references))}
    elif references:
        outcomes = {
            "exact_match": Outcome(exact_match(graded, references)),
            "f1": Outcome(f1(graded, references)),
            "whole_word_match": answer_match(reply, references),
        }
    if format_ == "short":
        outcomes["has_explanation"] = Outcome(
            float(bool(explanation)), None if explanation else "nothing after a semicolon"
        )
    return outcomes
