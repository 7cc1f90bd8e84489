"""Scores of self-knowledge: correct writing, correct reading, and the agreement of both, never as a single number.

Each metric is 0 or 1, or null with a reason. An empty or cut-off reply is 0 with that reason. An estimate has a value
and a reason that begins with ``estimate:``.

``generation_correct``      a text has the property that its prompt demands; a dual text has the first text's answer
``leaks_answer``            a text states its own answer (section 7.2.1)
``reply_parsed``            a verifying reply could be read
``verification_correct``    a verifying reply is the true answer about its text
``self_consistent``         a verifying reply is the answer that a consistent model gives. In stage ``verify`` that is
                            the demanded or claimed answer; in ``verify-dual`` and ``verify-kept`` the same model's
                            answer about the first text; after ``change-word`` the new word
``answer_changed``          a reply of ``verify-broken`` differs from the demanded answer. That is how we read Table 10:
                            nothing else fits its columns for a model that always says yes or no. If the task
                            demands no answer, it differs from the same model's earlier answer
``answer_correct``          the answer to one of the benchmark's own questions is correct
``all_correct``             the row's three metrics are all 1: the paper's *True* (Table 11)

A text that nothing could be asked about, such as a failed request, has no verifying replies. Their metrics are then
null rows of the text itself, so that it stays in every denominator.
"""

import warnings
from collections.abc import Iterator, Sequence

import pyarrow as pa

from selfknow.disk_mapping import DiskMapping
from selfknow.errors import SelfknowWarning
from selfknow.evaluate.outcome import Outcome, failed, scores_table
from selfknow.evaluate.readers.reading import UNFINISHED
from selfknow.evaluate.readers.words import bare
from selfknow.evaluate.replies import Excerpt
from selfknow.evaluate.task import FinishedRun, Row, Scores
from selfknow.evaluate.tasks.self_knowledge import attention
from selfknow.evaluate.tasks.self_knowledge.content import Content
from selfknow.evaluate.tasks.self_knowledge.deciding import Decider
from selfknow.evaluate.tasks.self_knowledge.options import SelfKnowledgeScoreOptions
from selfknow.evaluate.tasks.self_knowledge.programs import Programs
from selfknow.evaluate.tasks.self_knowledge.protocols import (
    ANSWER,
    DUAL,
    GENERATE,
    PROTOCOLS,
    VERIFY,
    VERIFYING,
    Example,
    shown_in_context,
)
from selfknow.evaluate.tasks.self_knowledge.replies import COUNTED, READINGS, UNREAD, leaks_answer
from selfknow.evaluate.tasks.self_knowledge.texts import COLUMNS, Text, Texts, compared
from selfknow.evaluate.tasks.self_knowledge.truth import TrueAnswers

_VERIFYING_METRICS = ("verification_correct", "self_consistent", "all_correct")


def score(run: FinishedRun, options: SelfKnowledgeScoreOptions) -> Iterator[Scores]:
    """Score a run.

    Args:
        run: The run.
        options: The options; they can name a model whose attention is scored, too.

    Yields:
        The scores of each batch. Each comes with a parsed table: a row per verifying reply, with its answer, the
        expected answer and the true answer. Attention comes last, in a table of its own.

    Raises:
        UserError: The attention of this run, or of this model, cannot be scored.
    """
    # Load the model first, so that its errors are raised before anything is scored.
    writer = None if options.attention is None else attention.load_writer(run, options.attention)
    programs = Programs()
    if "code" in run.examples["task"].unique().to_pylist() and programs.missing:
        warnings.warn(f"{programs.missing}; code is graded null", SelfknowWarning, stacklevel=2)
    with Decider() as decider, DiskMapping() as facts:
        texts = Texts(run, TrueAnswers(decider, programs), facts)
        for batch in run.calls:
            yield _BatchScorer(texts).scores(batch.select(COLUMNS).to_pylist())
    if writer is not None:
        yield Scores({attention.TABLE: attention.score_attention(run, writer)})


class _BatchScorer:
    """A scorer for the calls of one batch, which looks up the texts that they are about."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._parsed: list[dict[str, object]] = []
        self._excerpts: dict[str, Excerpt] = {}
        self._unread: list[dict[str, str]] = []

    def scores(self, rows: Sequence[Row]) -> Scores:
        """Return the scores of the calls, and the parsed tables."""
        table = scores_table(
            (row["generation_id"], metric, outcome) for row in rows for metric, outcome in self._metrics(row).items()
        )
        parsed = {
            "self_knowledge_readings": pa.Table.from_pylist(self._parsed, schema=READINGS),
            "self_knowledge_unread": pa.Table.from_pylist(self._unread, schema=UNREAD),
        }
        return Scores({"self-knowledge": table}, parsed, self._excerpts)

    def _metrics(self, row: Row) -> dict[str, Outcome[float]]:
        """Return the metrics of one row."""
        if row["stage"] in (GENERATE, DUAL):
            return self._text_metrics(row)
        if row["stage"] == ANSWER:
            return self._answer_metrics(row)
        return self._reply_metrics(row) if row["stage"] in VERIFYING else {}

    def _leave_unread(self, row: Row, *metrics: str) -> None:
        """Record metrics that are null because a reply could not be read; headlines count them as wrong."""
        self._unread += [{"generation_id": row["generation_id"], "metric": metric} for metric in metrics]

    def _text_metrics(self, row: Row) -> dict[str, Outcome[float]]:
        example, content = self._texts.example(row), self._texts.content(row)
        if content.excerpt is not None and not example.is_about_a_picture:
            self._excerpts[row["generation_id"]] = content.excerpt
        metrics = {
            "generation_correct": self._texts.correct(row, content),
            "leaks_answer": self._leaks(row, example, content),
        }
        if content.text is None and row["error"] is None and example.is_checked:
            self._leave_unread(row, "generation_correct", "self_consistent")
        reason = self._reason_not_asked(row, example, content)
        return metrics | dict.fromkeys(_VERIFYING_METRICS, Outcome(None, f"not asked: {reason}")) if reason else metrics

    def _reason_not_asked(self, row: Row, example: Example, content: Content) -> str | None:
        """Return the reason that a verifying stage could not ask about this text; None if all could."""
        protocol_stages = PROTOCOLS[row["variant"].partition("/")[0]][1]
        stages = {"verify-dual"} if row["stage"] == DUAL else set(protocol_stages) & set(VERIFYING) - {"verify-dual"}
        for stage in stages:
            if reason := example.changed(stage, content).reason:
                return reason
        return None

    def _leaks(self, row: Row, example: Example, content: Content) -> Outcome[float]:
        """Return 1 if the shown part of a text states its answer; in context that is all but the thinking."""
        if content.text is None:
            return Outcome(None, content.reason)
        shown_text = shown_in_context(row) if row["variant"].startswith("in-context") else content.text
        answer = example.params.get("answer", example.params.get("output", example.answer)) or content.claim
        true_answer = self._texts.truth(row, content).value if example.task in COUNTED else None
        leaks = leaks_answer(example.task, shown_text, answer, true_answer)
        return Outcome(None, "nothing to leak") if leaks is None else Outcome(float(leaks))

    def _reply_metrics(self, row: Row) -> dict[str, Outcome[float]]:
        example, text = self._texts.example(row), self._texts.about(row)
        reply = self._read(row)
        truth, expected = text.truth(row["stage"]), self._expected(row, example, text)
        metrics = {"reply_parsed": _parsed(row, reply)}
        metrics["verification_correct"] = _graded(reply, truth)
        if row["stage"] == "verify-broken":
            metrics["answer_changed"] = self._answer_changed(row, example, reply)
        metrics["self_consistent"] = _graded(reply, expected)
        for metric, reference in (("verification_correct", truth), ("self_consistent", expected)):
            if metrics[metric].value is None and reference.value is not None and row["error"] is None:
                self._leave_unread(row, metric)
        metrics["all_correct"] = _all(text.correct, metrics["verification_correct"], metrics["self_consistent"])
        self._add_reading(row, reply, expected, truth)
        return metrics

    def _answer_metrics(self, row: Row) -> dict[str, Outcome[float]]:
        """Return the metrics of an answer to one of the benchmark's own questions."""
        reply, right = self._read(row), Outcome(self._texts.example(row).answer)
        self._add_reading(row, reply, right, right)
        return {"reply_parsed": _parsed(row, reply), "answer_correct": _graded(reply, right)}

    def _add_reading(self, row: Row, reply: Outcome[str], expected: Outcome[str], truth: Outcome[str]) -> None:
        reason = reply.reason or truth.reason or expected.reason
        values = {"said": reply.value, "expected": expected.value, "truth": truth.value, "reason": reason}
        self._parsed.append({"generation_id": row["generation_id"], **values})

    def _read(self, row: Row) -> Outcome[str]:
        """Read the answer in a verifying reply, and record its place."""
        if row["error"] is not None:
            return failed(row)
        reading = self._texts.reading(row)
        self._excerpts[row["generation_id"]] = reading.excerpt
        return reading.outcome

    def _expected(self, row: Row, example: Example, text: Text) -> Outcome[str]:
        """Return the answer that a consistent model gives."""
        stage = row["stage"]
        if stage == VERIFY:
            if example.answer is not None:
                return Outcome(example.answer)
            return Outcome(text.claim, None if text.claim else "the task fixes no answer, and the text claims none")
        if stage == "verify-broken":
            if example.params["break"] == "change-word":
                return Outcome(bare(example.params["word"]))
            return Outcome(None, "the answer must be another one: see answer_changed")
        return self._texts.first_reply(row, text.original if stage == "verify-dual" else row["parent_generation_id"])

    def _answer_changed(self, row: Row, example: Example, reply: Outcome[str]) -> Outcome[float]:
        first = None if example.answer is None else Outcome(example.answer)
        same = compared(reply, first or self._texts.first_reply(row, row["parent_generation_id"]))
        return Outcome(None if same.value is None else 1.0 - same.value, same.reason)


def _parsed(row: Row, reply: Outcome[str]) -> Outcome[float]:
    """Return 1 if a reply could be read, else 0; null if the request failed."""
    return Outcome(None if row["error"] is not None else float(reply.value is not None), reply.reason)


def _graded(reply: Outcome[str], right: Outcome[str]) -> Outcome[float]:
    """Return 1 if a reply is correct, else 0; an empty or cut-off reply is 0, an unreadable one is null."""
    if reply.reason in UNFINISHED and right.value is not None:
        return Outcome(0.0, reply.reason)
    return compared(reply, right)


def _all(*outcomes: Outcome[float]) -> Outcome[float]:
    """Return 1 if all outcomes are 1, else 0; null if any is null. The first reason is kept."""
    for outcome in outcomes:
        if outcome.value is None:
            return Outcome(None, outcome.reason)
    return Outcome(
        float(all(outcome.value for outcome in outcomes)),
        next((outcome.reason for outcome in outcomes if outcome.reason), None),
    )
