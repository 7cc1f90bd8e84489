"""The scores of diary recall: every metric by name, and the scorer that computes them.

Prato et al., Do Large Language Models Know How Much They Know?, sections 4.2 and 4.3.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from selfknow.disk_mapping import DiskMapping
from selfknow.errors import UserError
from selfknow.evaluate.outcome import Outcome, failed, scores_table
from selfknow.evaluate.replies import THINKING_OFF, Excerpt, measured_text
from selfknow.evaluate.task import FinishedRun, Scores
from selfknow.evaluate.tasks.diary_recall.documents import Document, Fate, MatchedDocument, match
from selfknow.evaluate.tasks.diary_recall.prompts import PROBES, target
from selfknow.evaluate.tasks.diary_recall.typography import (
    corrects_itself,
    read_answer,
    read_documents,
    undressed_document,
)

METRICS: dict[str, dict[str, str]] = {
    "answer": {
        "exact_match": "1 if the answer is the true one, byte for byte; it is right_count times right_content",
        "right_count": "1 if the answer has as many documents as the target, whatever their typography",
        "right_content": "1 if the answer is right as far as it goes, byte for byte: it has at least one document, "
        "nothing before the first title, and every document equals the target's at the same place",
        "documents_recalled": "title lines in the answer, whatever is below them; this metric and all further ones "
        "ignore typography, and are null if the answer corrects itself",
        "documents_target": "documents in the target",
        "documents_in_target": "recalled documents that are in the target, each once, right or wrong",
        "documents_correct": "those of them without an error: documents_correct / documents_in_target is the "
        "paper's document accuracy",
        "documents_repeated": "recalled documents that the answer already had",
        "documents_beyond": "recalled documents of the diarist with a number that is not in the target",
        "documents_foreign": "recalled documents under another diarist's title",
        "sentences_recalled": "lines below title lines, over the recalled documents that are in the target",
        "sentences_target": "sentences that those documents have in the target",
    },
    "probe": {
        "probe_exact_match": "1 if the continuation goes on in order to the last document, byte for byte",
        "probe_next_document": "1 if the first title in the continuation, whatever its typography, is the next one in "
        "order (or if there is no title and none is next)",
        "probe_documents_skipped": "documents of the continuation in order that this continuation lacks",
        "probe_recalls_last": "1 if the continuation has the target's last document, as probe E asks again",
    },
    "stop": {
        "stop_log_odds": "log-probability that the answer ends here, minus that of the next title",
        "stop_right": "1 if the likelier of ending and the next title is right",
        "is_last_boundary": "1 if the true answer ends here",
    },
}
"""The metrics of each stage with their meaning. Every scored row has all metrics of its stage; some may be null."""

PARSED_DOCUMENTS = pa.schema(
    [
        pa.field("generation_id", pa.string(), nullable=False),
        pa.field("place", pa.int32()),
        pa.field("number", pa.int32(), nullable=False),
        pa.field("fate", pa.string(), nullable=False),
        pa.field("recalled_sentences", pa.int32()),
        pa.field("target_sentences", pa.int32()),
    ]
)
"""``parsed/diary_documents.parquet``: one row per recalled or missing document of an answer (see MatchedDocument)."""


PARSED_BODIES = pa.schema(
    [
        pa.field("generation_id", pa.string(), nullable=False),
        pa.field("place", pa.int32(), nullable=False),
        pa.field("body", pa.string(), nullable=False),
    ]
)
"""``parsed/diary_bodies.parquet``: one row per recalled document with typography, with its lines without it."""

CORRECTED = "an entry is given again after a remark"
"""The reason that metrics of an answer that corrects itself are null."""

Metrics = dict[str, Outcome[float]]
"""The outcome of each metric of one generation."""


def answer_scores(
    generation: str, entries: tuple[Document, ...], finish_reason: str | None
) -> tuple[Metrics, list[MatchedDocument]]:
    """Score one whole answer.

    Args:
        generation: The model's reply.
        entries: The documents of the true answer.
        finish_reason: ``length`` means that it was cut off.
    """
    is_exact = generation == "\n".join(entry.text for entry in entries)
    answer = read_answer(generation, entries)
    right_count = len(answer.recalled) == len(entries)
    assert is_exact == (right_count and answer.has_right_content), "exact match factors into count and content"
    documents = list(match(answer.recalled, answer.target))
    reason = None if is_exact else _reason_wrong(generation, finish_reason, documents, right_count=right_count)
    if answer.is_dressed and corrects_itself(answer.recalled):
        certain = _outcomes({"exact_match": 0, "right_content": 0, "documents_target": len(entries)})
        return {metric: certain.get(metric, Outcome(None, CORRECTED)) for metric in METRICS["answer"]}, []
    if answer.is_dressed:
        documents = list(_with_bodies(documents, answer.recalled))
    counts = {fate: sum(document.fate is fate for document in documents) for fate in Fate}
    in_target = [document for document in documents if document.fate in (Fate.correct, Fate.wrong)]
    values = {
        "right_count": right_count,
        "right_content": answer.has_right_content,
        "documents_recalled": len(answer.recalled),
        "documents_target": len(entries),
        "documents_in_target": len(in_target),
        "documents_correct": counts[Fate.correct],
        "documents_repeated": counts[Fate.repeated],
        "documents_beyond": counts[Fate.beyond],
        "documents_foreign": counts[Fate.foreign],
        "sentences_recalled": sum(document.recalled_sentences or 0 for document in in_target),
        "sentences_target": sum(document.target_sentences or 0 for document in in_target),
    }
    return {"exact_match": Outcome(float(is_exact), reason), **_outcomes(values)}, documents


def _with_bodies(documents: Sequence[MatchedDocument], recalled: Sequence[Document]) -> Iterator[MatchedDocument]:
    """Yield the documents of an answer with typography, each with the lines that were read below its title."""
    for document in documents:
        if document.place is None:
            yield document
        else:
            yield replace(document, body="\n".join(recalled[document.place - 1].sentences))


def _outcomes(values: Mapping[str, float]) -> Metrics:
    return {metric: Outcome(float(value)) for metric, value in values.items()}


def _reason_wrong(
    generation: str, finish_reason: str | None, documents: Sequence[MatchedDocument], *, right_count: bool
) -> str:
    if not generation:
        return "empty"
    if finish_reason == "length":
        return "cut off"
    if all(document.fate is Fate.missing for document in documents):
        return "no title line"
    if all(document.fate is Fate.correct for document in documents) and _in_order(documents):
        return "right entries, not to the byte"
    return "wrong content" if right_count else "wrong count"


def _in_order(documents: Sequence[MatchedDocument]) -> bool:
    return all(earlier.number < later.number for earlier, later in pairwise(documents))


def probe_scores(generation: str, name: str, entries: tuple[Document, ...]) -> Metrics:
    """Score the continuation of a started answer (see :mod:`selfknow.evaluate.tasks.diary_recall.prompts`)."""
    probe = PROBES[name]
    target_titles = [undressed_document(entry).title for entry in entries]
    remaining_titles = set(target_titles[probe.next_number - 1 :])
    titles = [document.title for document in read_documents(generation)]
    next_title = target_titles[probe.next_number - 1] if remaining_titles else None
    is_exact = generation == probe.continuation(entries)
    values = {
        "probe_exact_match": is_exact,
        "probe_next_document": (titles[0] if titles else None) == next_title,
        "probe_documents_skipped": len(remaining_titles - set(titles)),
        "probe_recalls_last": target_titles[-1] in titles,
    }
    return _outcomes(values)


def boundary_scores(variant: str, stop_logprob: float, title_logprob: float | None, num_entries: int) -> Metrics:
    """Score one entry boundary from the two forced continuations after it.

    Args:
        variant: ``after-K``: the boundary after the K-th entry.
        stop_logprob: The log-probability that the answer ends here.
        title_logprob: The log-probability that the next title follows; null if that request failed.
        num_entries: The number of entries of the true answer.
    """
    is_last = int(variant.removeprefix("after-")) == num_entries
    last = {"is_last_boundary": Outcome(float(is_last))}
    if title_logprob is None:
        unknown: Outcome[float] = Outcome(None, "the request for the next title failed")
        return {"stop_log_odds": unknown, "stop_right": unknown, **last}
    log_odds = stop_logprob - title_logprob
    return {"stop_log_odds": Outcome(log_odds), "stop_right": Outcome(float((log_odds > 0) == is_last)), **last}


def score(run: FinishedRun) -> Iterator[Scores]:
    """Score a diary run.

    Yields:
        The scores of each batch of calls, with the parsed documents of the answers (PARSED_DOCUMENTS), the bodies of
        documents with typography (PARSED_BODIES, if there are any), and the measured parts of replies with thinking.
        Rows of stages that are not in METRICS get no scores.

    Raises:
        UserError: An example is not a diary question.
    """
    if "completion" not in run.examples.column_names:
        raise UserError("the examples have no column `completion`: they are not diary questions")
    targets = {row["id"]: target(row) for row in run.examples.select(["id", "completion"]).to_pylist()}
    with DiskMapping() as titles:
        _write_next_titles(run, titles)
        yield from _scores(run, targets, titles)


def _scores(run: FinishedRun, targets: Mapping[str, tuple[Document, ...]], titles: DiskMapping) -> Iterator[Scores]:
    """Yield the scores of each batch, from the documents of every example and the noted next titles."""
    for batch in run.calls:
        outcomes: list[tuple[str, str, Outcome[float]]] = []
        documents: list[dict[str, object]] = []
        excerpts: dict[str, Excerpt] = {}
        for row in batch.select(_COLUMNS).to_pylist():
            id_, excerpt = row["generation_id"], measured_text(row["generation"] or "")
            title = titles.get(*_boundary_key(row)) if row["stage"] == "stop" else None
            metrics, documents_of_row = _score_row(row, excerpt, targets[row["example_id"]], title)
            outcomes.extend((id_, metric, outcome) for metric, outcome in metrics.items())
            documents.extend({"generation_id": id_, **vars(item)} for item in documents_of_row)
            if row["stage"] in ("answer", "probe") and not excerpt.is_whole:
                excerpts[id_] = excerpt
        parsed = {"diary_documents": pa.Table.from_pylist(documents, schema=PARSED_DOCUMENTS)}
        if bodies := [document for document in documents if document["body"] is not None]:
            parsed["diary_bodies"] = pa.Table.from_pylist(bodies, schema=PARSED_BODIES)
        yield Scores({"diary-recall": scores_table(outcomes)}, parsed, excerpts)


_KEY = ("example_id", "variant", "sample", "model", "revision")
_COLUMNS = ("generation_id", "stage", *_KEY, "generation", "finish_reason", "logprob", "error")


def _write_next_titles(run: FinishedRun, titles: DiskMapping) -> None:
    """Write the log-probability of the next title at every boundary."""
    for batch in run.calls:
        next_titles = batch.filter(pc.equal(batch["stage"], "next-title"))
        rows = next_titles.select([*_KEY, "logprob"]).to_pylist()
        titles.update((_boundary_key(row), row["logprob"]) for row in rows)


def _boundary_key(row: Mapping[str, Any]) -> tuple[object, ...]:
    return tuple(row[name] for name in _KEY)


def _score_row(
    row: Mapping[str, Any], excerpt: Excerpt, entries: tuple[Document, ...], title_logprob: float | None
) -> tuple[Metrics, list[MatchedDocument]]:
    stage = row["stage"]
    if stage not in METRICS:
        return {}, []
    if row["error"] is not None:
        return dict.fromkeys(METRICS[stage], failed(row)), []
    if stage == "stop":
        return boundary_scores(row["variant"], row["logprob"], title_logprob, len(entries)), []
    documents: list[MatchedDocument] = []
    if stage == "answer":
        metrics, documents = answer_scores(excerpt.text, entries, row["finish_reason"])
    else:
        metrics = probe_scores(excerpt.text, row["variant"], entries)
    if not excerpt.is_whole:
        metrics |= {
            name: _with_thinking_reason(metrics[name])
            for name in ("exact_match", "probe_exact_match")
            if name in metrics
        }
    return metrics, documents


def _with_thinking_reason(outcome: Outcome[float]) -> Outcome[float]:
    """Return an outcome whose reason also says that thinking was removed."""
    return Outcome(outcome.value, f"{outcome.reason}, {THINKING_OFF}" if outcome.reason else THINKING_OFF)
