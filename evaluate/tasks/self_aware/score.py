"""Scores of a self-aware run: abstention by every scorer, and the answers to answerable questions.

Metrics, each null with a reason for calls that it does not apply to:

``sentences_abstained``                              0 or 1, read sentence by sentence (``reading.py``): the default
``sentences_hedged``, ``sentences_refused``          0 or 1: an unsure answer; declining for another reason
``judge_abstained``, ``judge_correct``               0 or 1, by a model that judged the run (``judging.py``)
``paper_abstained``, ``strict_abstained``            0 or 1, by the scorer of that name (``paper_scorer.py``)
``paper_max_similarity``, ``strict_max_similarity``  the largest cosine of a window with a reference
``whole_word_match``, ``exact_match``, ``f1``,
``substring_match``                                  for answerable questions (``short_answers.py``)

A scorer with an encoder sees the whole reply; everything else reads it without its thinking (the view
``kept_replies``).

The verdicts are also in ``parsed/``, with their encoder, threshold and references. Every scorer, encoder and set of
references has a file of its own, so that several ways of scoring a run can be compared.
"""

import hashlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from selfknow.builders.self_aware.encoders import PACKAGED, PAPER, load_encoder
from selfknow.errors import UserError, argument, nearest
from selfknow.evaluate.outcome import Outcome, failed, scores_table
from selfknow.evaluate.replies import without_thinking
from selfknow.evaluate.task import FinishedRun, Row, Scores
from selfknow.evaluate.tasks import short_answers
from selfknow.evaluate.tasks.self_aware.judging import judged_scores, judged_verdicts
from selfknow.evaluate.tasks.self_aware.paper_scorer import SCORERS as WITH_AN_ENCODER
from selfknow.evaluate.tasks.self_aware.paper_scorer import (
    References,
    Verdict,
    WindowSimilarity,
    cache_file,
    default_threshold,
    judge,
    load_references,
)
from selfknow.evaluate.tasks.self_aware.reading import ANSWERS, REFUSES, Reading, read_reply

if TYPE_CHECKING:
    from selfknow.evaluate.tasks.self_aware.task import SelfAwareScoreOptions

SENTENCES = "sentences"
SCORERS = (SENTENCES, *WITH_AN_ENCODER)
Grade = Callable[[str, Sequence[str]], Outcome[float]]


def _certain(grade: Callable[[str, Sequence[str]], float]) -> Grade:
    """Return a function that wraps a grade in an outcome; this grade is never null."""
    return lambda reply, answers: Outcome(grade(reply, answers))


_ANSWER_METRICS: Mapping[str, Grade] = {
    "whole_word_match": short_answers.whole_word_match,
    "exact_match": _certain(short_answers.exact_match),
    "f1": _certain(short_answers.f1),
    "substring_match": _certain(short_answers.substring_match),
}
_SUBSTITUTE = (
    "the packaged encoder replaces the paper's, and is known to fail: it reads most sentences of the form 'The answer "
    "is X.' as abstaining, more often in longer replies (docs/instrument.md)"
)
VERDICTS = pa.schema(
    [
        pa.field("generation_id", pa.string(), nullable=False),
        pa.field("scorer", pa.string(), nullable=False),
        pa.field("encoder", pa.string()),
        pa.field("threshold", pa.float64()),
        pa.field("references_name", pa.string()),
        pa.field("abstained", pa.float64()),
        pa.field("kind", pa.string()),
        pa.field("hedged", pa.float64()),
        pa.field("evidence", pa.string()),
        pa.field("phrase_found", pa.float64()),
        pa.field("max_similarity", pa.float64()),
        pa.field("reason", pa.string()),
    ]
)
"""The schema of ``parsed/self_aware_verdicts-*.parquet``: a row per call, scorer, encoder and set of references."""


def _checked_scorers(options: "SelfAwareScoreOptions") -> tuple[str, ...]:
    """Check the options and return the chosen scorers, without repeats.

    Raises:
        UserError: There is no such scorer, or an option of the encoder has no scorer that it applies to.
    """
    encoder_options = [name for name in ("encoder", "references", "threshold") if getattr(options, name) is not None]
    # An option of the encoder without a scorer selects all scorers.
    scorers = tuple(dict.fromkeys(options.scorer)) or (SCORERS if encoder_options else (SENTENCES,))
    if unknown := sorted(set(scorers) - set(SCORERS)):
        raise UserError(f"there is no scorer {unknown[0]!r}{nearest(unknown[0], SCORERS)}")
    if options.threshold is not None and not -1 <= options.threshold <= 1:
        raise UserError(f"the threshold is a cosine, from -1 to 1, not {options.threshold}")
    if encoder_options and scorers == (SENTENCES,):
        scorers_with_encoder = " and ".join(argument("scorer", scorer) for scorer in WITH_AN_ENCODER)
        raise UserError(f"{argument(encoder_options[0])} is for {scorers_with_encoder}: name one of them")
    return scorers


def score(run: FinishedRun, options: "SelfAwareScoreOptions") -> Iterator[Scores]:
    """Score the calls of a run.

    Args:
        run: The run.
        options: The options for judging abstention.

    Yields:
        The scores of each batch, and at the end those of models that judged the replies.

    Raises:
        UserError: There is no such scorer, or the encoder or the references are not available.
    """
    scorers = _checked_scorers(options)
    encoders = {name: _open(run.folder, name, options) for name in scorers if name != SENTENCES}
    by_id = {row["id"]: row for row in run.examples.select(["id", "answers", "answerable"]).to_pylist()}
    for batch in run.calls:
        rows = batch.to_pylist()
        verdicts: dict[str, pa.Table] = {}
        tables: dict[str, pa.Table] = {}
        for scorer in scorers:
            if scorer == SENTENCES:
                verdicts[scorer] = _read_verdicts(rows)
                tables["self-aware-sentences"] = _reading_scores(verdicts[scorer])
            else:
                # The authors' scorer reads the whole reply, including a base model's next questions.
                rows_to_judge = [_with_whole_reply(row) for row in rows] if scorer == "paper" else rows
                table = encoders[scorer].verdicts(rows_to_judge)
                verdicts[f"{scorer}-{encoders[scorer].key}"] = table
                tables[f"self-aware-{scorer}"] = _abstention_scores(scorer, table)
        tables["self-aware-answers"] = _answer_scores(rows, by_id)
        excerpts = {
            row["generation_id"]: without_thinking(row["generation"], row["prompt"])
            for row in rows
            if row["generation"] is not None
        }
        yield Scores(tables, _by_file_name(verdicts), excerpts)
    has_grades = False
    for grades in run.grades:
        has_grades = True
        by_judge = judged_verdicts(grades, VERDICTS)
        yield Scores({}, _by_file_name({f"judge-{name}": table for name, table in by_judge.items()}))
    if has_grades:
        yield Scores({"self-aware-judge": judged_scores(run.grades)})


def _by_file_name(verdicts: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
    return {f"self_aware_verdicts-{name}": table for name, table in verdicts.items()}


def _with_whole_reply(row: Row) -> Row:
    return row if row["whole"] is None else {**row, "generation": row["whole"]}


def _read_verdicts(rows: Sequence[Row]) -> pa.Table:
    settings = {"scorer": SENTENCES, "references_name": "sentence_patterns"}
    return pa.Table.from_pylist([_reading_row(row) | settings for row in rows], schema=VERDICTS)


def _reading_row(row: Row) -> dict[str, object]:
    if row["error"] is not None:
        return {"generation_id": row["generation_id"], "reason": failed(row).reason}
    reading: Reading = read_reply(row["generation"], row["prompt"])
    return {
        "generation_id": row["generation_id"],
        "abstained": reading.abstained,
        "kind": reading.kind,
        "hedged": float(reading.is_hedged) if reading.kind == ANSWERS else None,
        "evidence": reading.evidence,
        "reason": reading.reason,
    }


def _reading_scores(verdicts: pa.Table) -> pa.Table:
    def outcomes(row: Row) -> dict[str, Outcome[float]]:
        refused = None if row["abstained"] is None else float(row["kind"] == REFUSES)
        values = {"abstained": row["abstained"], "hedged": row["hedged"], "refused": refused}
        return {
            name: Outcome(value, None if value is not None else row["reason"] or "it gives no answer")
            for name, value in values.items()
        }

    return scores_table(
        (row["generation_id"], f"{SENTENCES}_{name}", outcome)
        for row in verdicts.to_pylist()
        for name, outcome in outcomes(row).items()
    )


@dataclass(frozen=True)
class _EncoderScorer:
    """A scorer with its encoder, references and threshold."""

    scorer: str
    encoder: str
    references: References
    threshold: float
    similarity: WindowSimilarity

    @property
    def key(self) -> str:
        """A key of the encoder and the references, for file names."""
        return hashlib.sha256("\n".join([self.encoder, self.references.name]).encode()).hexdigest()[:8]

    def verdicts(self, rows: Sequence[Row]) -> pa.Table:
        """Return the scorer's verdicts on some calls."""
        answered = [row for row in rows if row["error"] is None]
        replies = [row["generation"] for row in answered]
        verdicts = judge(replies, self.scorer, self.references, self.similarity, self.threshold, quiet=False)
        by_id = dict(zip((row["generation_id"] for row in answered), verdicts, strict=True))
        settings = {
            "scorer": self.scorer,
            "encoder": self.encoder,
            "threshold": self.threshold,
            "references_name": self.references.name,
        }
        return pa.Table.from_pylist(
            [_verdict_row(row, by_id.get(row["generation_id"])) | settings for row in rows], schema=VERDICTS
        )


def _open(folder: Path, scorer: str, options: "SelfAwareScoreOptions") -> _EncoderScorer:
    encoder, references = options.encoder or PAPER, load_references(options.references or scorer)
    if encoder == PACKAGED and scorer == "paper":
        sys.stderr.write(f"warning: {_SUBSTITUTE}\n")
    threshold = default_threshold(encoder, scorer) if options.threshold is None else options.threshold
    cache = cache_file(folder, encoder, references)
    similarity = WindowSimilarity(partial(load_encoder, encoder), references, cache)
    return _EncoderScorer(scorer, encoder, references, threshold, similarity)


def _verdict_row(row: Row, verdict: Verdict | None) -> dict[str, object]:
    if verdict is None:
        return {"generation_id": row["generation_id"], "reason": failed(row).reason}
    return {
        "generation_id": row["generation_id"],
        "abstained": verdict.abstained,
        "phrase_found": float(verdict.holds_phrase),
        "max_similarity": verdict.max_similarity,
        "reason": verdict.reason,
    }


def _abstention_scores(scorer: str, verdicts: pa.Table) -> pa.Table:
    return scores_table(
        (row["generation_id"], f"{scorer}_{metric}", Outcome(row[metric], reason))
        for row in verdicts.to_pylist()
        for metric in ("abstained", "max_similarity")
        for reason in [row["reason"] or (None if row[metric] is not None else "nothing to compare")]
    )


def _answer_scores(rows: Sequence[Row], examples: Mapping[str, Row]) -> pa.Table:
    def outcome(row: Row, metric: str, grade: Grade) -> Outcome[float]:
        if row["error"] is not None:
            return failed(row)
        answers = examples[row["example_id"]]["answers"]
        scored_row = _with_whole_reply(row) if metric == "substring_match" else row  # the authors' accuracy
        return grade(scored_row["generation"], answers) if answers else Outcome(None, "no answer is known")

    return scores_table(
        (row["generation_id"], metric, outcome(row, metric, grade))
        for row in rows
        if examples[row["example_id"]]["answerable"]
        for metric, grade in _ANSWER_METRICS.items()
    )
