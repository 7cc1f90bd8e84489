"""Scores of a reply: the quoted share of its explanation, and its answer against the references.

Weller et al., "According to ...", sections 3.1 and 3.3. Each metric is a row for the reply that holds the explanation:

``quip``             share of the explanation's n-grams that are in the corpus; null if it is shorter than one n-gram
``quip_zero``        the same, but 0 for such a short explanation, as in the authors' evaluation
``quip_corrected``   ``quip`` without the Bloom filter's expected false positives; it may be below 0
``has_explanation``  1 if any text follows the first ';' (format ``short``)
``exact_match``      short answers: 1 if the answer is one of the references, after the usual normalisation
``whole_word_match`` short answers: 1 if the answer contains a reference as whole words, whatever the reply's layout
                     (:mod:`.answers`); null if the answer can be read two ways
``f1``               short answers: overlap of words, best over references
``rouge_l``          long answers: ROUGE-L's F-measure, without stemming, best over references

If the first of two steps failed, there is nothing to explain. All metrics of that first reply are then null.
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
"""The name of the task, and of its file in ``scores/``."""
_QUIP = ("quip", "quip_zero", "quip_corrected")
_SHORT = ("exact_match", "f1", "whole_word_match")
Outcomes = dict[str, Outcome[float]]
"""The outcomes of one reply, by metric."""


def rouge_l(text: str, references: Sequence[str]) -> float:
    """Return ROUGE-L's F-measure, from 0 to 1, with the reference that fits best.

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
    """Split a reply into the answer, before the first ';', and the explanation after it.

    Example:
        >>> cut("Rome; it is old; very old.")
        ('Rome', 'it is old; very old.')
    """
    answer, _, explanation = reply.partition(";")
    return answer.strip(), explanation.strip()


def describe_portrait(name: str) -> dict[str, object]:
    """Return the description of a portrait for ``run.json``: its place, SHA-256, width and number of n-grams.

    Raises:
        UserError: There is no such portrait, or its stride is not 1.
    """
    portrait = Portrait.from_pretrained(name)
    portrait.quip([])  # raises if the stride is not 1
    place = str(user_path(name).resolve()) if user_path(name).is_dir() else name
    description = portrait.description
    return {"name": place, "sha256": description.sha256, "width": description.width, "items": description.items}


def open_portrait(run: FinishedRun, name: str | None) -> tuple[str, Portrait]:
    """Return the prompt format of a run, and its portrait.

    Args:
        run: The run.
        name: The place of the portrait now; null for the place that the run recorded.

    Raises:
        UserError: There is no portrait, or it is another one.
    """
    settings = run.description.get("settings")
    if not isinstance(settings, dict) or not {"portrait", "format"} <= settings.keys():
        raise UserError(f"{run.folder}/run.json lacks the settings 'format' and 'portrait'")
    return str(settings["format"]), load_portrait(run, settings["portrait"], name)


def load_portrait(run: FinishedRun, description: Mapping[str, Any], name: str | None) -> Portrait:
    """Load the portrait that a run describes, from ``name`` or else from the place that the run recorded.

    Raises:
        UserError: There is no portrait, or it is another one.
    """
    place = name or description["name"]
    portrait = Portrait.from_pretrained(place)
    if portrait.description.sha256 != description["sha256"]:
        raise UserError(f"{place} is not the portrait of the run {run.folder}: its bits differ")
    return portrait


def score(run: FinishedRun, format_: str, portrait: Portrait) -> Iterator[Scores]:
    """Score the calls of a run.

    Args:
        run: The run.
        format_: The format of its prompts: short, two-step, long or long-answer.
        portrait: The portrait of the corpus.

    Yields:
        The scores of each batch, and at the end those of failed first steps.
    """
    references = {row["id"]: row["answers"] or [] for row in run.examples.select(["id", "answers"]).to_pylist()}
    with DiskMapping() as first_answers:
        if format_ == TWO_STEP:
            _write_first_answers(run, first_answers)
        yield from _scores(run, format_, portrait, references, first_answers)
    if format_ == TWO_STEP:
        yield from _scores_of_failed_first_steps(run)


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
        rows_to_score = [row for row in rows if format_ != TWO_STEP or row["stage"] == EXPLAIN]
        parts_of_rows = [_parts(row, first_answers, format_) for row in rows_to_score]
        quip_of_rows = quip_outcomes(rows_to_score, [explanation for _, _, explanation in parts_of_rows], portrait)
        scores = [
            (row["generation_id"], metric, outcome)
            for row, part, outcomes in zip(rows_to_score, parts_of_rows, quip_of_rows, strict=True)
            for metric, outcome in (
                outcomes | _task_metrics(row, *part, references[row["example_id"]], format_)
            ).items()
        ]
        yield Scores({NAME: scores_table(scores)}, excerpts=measured_excerpts(rows))


def _write_first_answers(run: FinishedRun, first_answers: DiskMapping) -> None:
    """Write the replies of first steps, without their thinking, by ``generation_id``."""
    rows = run.rows("generation_id", "stage", "prompt", "generation")
    first_answers.update(
        ([row["generation_id"]], _measured_text(row).text)
        for row in rows
        if row["stage"] != EXPLAIN and row["generation"] is not None
    )


def _scores_of_failed_first_steps(run: FinishedRun) -> Iterator[Scores]:
    """Yield null scores for the first steps that failed: no second step was asked about them."""
    for batch in run.calls:
        failed_rows = [row for row in batch.to_pylist() if row["stage"] != EXPLAIN and row["generation"] is None]
        outcomes = (Outcome[float](None, f"not asked: {failed(row).reason}") for row in failed_rows)
        yield Scores(
            {
                NAME: scores_table(
                    (row["generation_id"], metric, outcome)
                    for row, outcome in zip(failed_rows, outcomes, strict=True)
                    for metric in (*_QUIP, *_SHORT)
                )
            }
        )


def _parts(row: Row, first_answers: DiskMapping, format_: str) -> tuple[str, str | None, str | None]:
    """Return the reply with the answer, the answer itself, and the explanation; None for a part that is missing."""
    reply = row["generation"]
    if format_ == TWO_STEP:
        first_answer = first_answers.require(row["parent_generation_id"])
        return first_answer, first_answer.strip(), reply and _measured_text(row).text.strip()
    if reply is None:
        return "", None, None
    text = _measured_text(row).text
    return (text, *cut(text)) if format_ == "short" else (text, None, text.strip())


def _measured_text(row: Row) -> Excerpt:
    """Return a call's reply without its thinking."""
    return measured_text(row["generation"], row["prompt"])


def measured_excerpts(rows: Iterable[Row]) -> dict[str, Excerpt]:
    """Return the part of every reply that is scored, by ``generation_id``; failed calls have none."""
    return {row["generation_id"]: _measured_text(row) for row in rows if row["generation"] is not None}


def quip_outcomes(rows: Sequence[Row], explanations: Sequence[str | None], portrait: Portrait) -> list[Outcomes]:
    """Return the QUIP metrics of every explanation; null with a reason if the request failed or it is too short."""
    values = portrait.quip(explanations)
    too_short = f"shorter than {portrait.description.width} characters"
    outcomes: list[Outcomes] = []
    for row, value, corrected in zip(rows, values.tolist(), portrait.corrected(values).tolist(), strict=True):
        if row["generation"] is None:
            outcomes.append(dict.fromkeys(_QUIP, failed(row)))
        elif math.isnan(value):
            outcomes.append({**dict.fromkeys(_QUIP, Outcome(None, too_short)), "quip_zero": Outcome(0.0, too_short)})
        else:
            reason = None if _measured_text(row).is_whole else THINKING_OFF
            values_of_row = {"quip": value, "quip_zero": value, "quip_corrected": corrected}
            outcomes.append({metric: Outcome(score_value, reason) for metric, score_value in values_of_row.items()})
    return outcomes


def _task_metrics(
    row: Row, reply: str, answer: str | None, explanation: str | None, references: Sequence[str], format_: str
) -> Outcomes:
    """Return the outcomes of a reply by its references; ``reply`` is the whole text that contains the answer."""
    is_long = format_.startswith("long")
    scored_text = explanation if is_long else answer
    metrics: tuple[str, ...] = ("rouge_l",) if is_long else _SHORT
    if scored_text is None:
        return dict.fromkeys((*metrics, "has_explanation") if format_ == "short" else metrics, failed(row))
    outcomes: Outcomes = dict.fromkeys(metrics, Outcome(None, "no reference answers"))
    if references and is_long:
        outcomes = {"rouge_l": Outcome(rouge_l(scored_text, references))}
    elif references:
        outcomes = {
            "exact_match": Outcome(exact_match(scored_text, references)),
            "f1": Outcome(f1(scored_text, references)),
            "whole_word_match": answer_match(reply, references),
        }
    if format_ == "short":
        outcomes["has_explanation"] = Outcome(
            float(bool(explanation)), None if explanation else "nothing after a semicolon"
        )
    return outcomes
