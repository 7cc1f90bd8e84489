"""Three numbers, never one: was it written rightly, was it read rightly, and do both agree.

Metrics, each 0 or 1 (a reply that is empty or cut off is 0, with that reason), or null with a reason (an estimate has
both a value and a reason that begins with ``estimate:``):

``generation_correct``      of what was written: it has the property that was asked for; of a dual text: the same answer
``leaks_answer``            of what was written: it states its own answer (section 7.2.1)
``reply_parsed``            of a verifying reply: it could be read
``verification_correct``    of a verifying reply: it is the true answer about what was written
``self_consistent``         of a verifying reply: it is the answer that was asked for or claimed (``verify``), or the
                            one that the same model gave about the first text (``verify-dual``, ``verify-kept``), or
                            the word that was put in (``change-word``)
``answer_changed``          of a reply of ``verify-broken``: it is another one than was asked for (as in Table 10, whose
                            columns for a model that always says yes or no fit no other reading) or, where the task
                            fixes none, than the same model gave before
``answer_correct``          of an answer to a question of the benchmark itself: it is the right one
``all_correct``             all three of the row: the paper's *True* (Table 11)

Where a text could not be asked about, because its request failed or nothing in it could be asked about, the numbers of
the verifying replies that are missing stand on the text's own row, null, so that it stays in every denominator.
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
from selfknow.evaluate.tasks.self_knowledge.truth import Judge

_NUMBERS = ("verification_correct", "self_consistent", "all_correct")


def score(run: FinishedRun, options: SelfKnowledgeScoreOptions) -> Iterator[Scores]:
    """Score a run.

    Args:
        run: With the last attempt of every call.
        options: Whether attention is scored, too.

    Yields:
        The scores of each batch, and what was parsed: a row per verifying reply, with its answer, what was expected and
        what is true. Attention comes last, in a table of its own.

    Raises:
        UserError: The attention of this run, or of this model, cannot be scored.
    """
    # What is wrong with the model is told before anything is scored.
    writer = None if options.attention is None else attention.load_writer(run, options.attention)
    programs = Programs()
    if "code" in run.examples["task"].unique().to_pylist() and programs.missing:
        warnings.warn(f"{programs.missing}; code is graded null", SelfknowWarning, stacklevel=2)
    with Decider() as decider, DiskMapping() as facts:
        texts = Texts(run, Judge(decider, programs), facts)
        for batch in run.calls:
            yield _BatchScorer(texts).scores(batch.select(COLUMNS).to_pylist())
    if writer is not None:
        yield Scores({attention.TABLE: attention.score_attention(run, writer)})


class _BatchScorer:
    """Scores the calls of one batch; each needs what its text says."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._parsed: list[dict[str, object]] = []
        self._excerpts: dict[str, Excerpt] = {}
        self._unread: list[dict[str, str]] = []

    def scores(self, rows: Sequence[Row]) -> Scores:
        """Return the scores of the calls, and what was parsed."""
        table = scores_table(
            (row["generation_id"], metric, outcome) for row in rows for metric, outcome in self._of(row).items()
        )
        parsed = {
            "self_knowledge_readings": pa.Table.from_pylist(self._parsed, schema=READINGS),
            "self_knowledge_unread": pa.Table.from_pylist(self._unread, schema=UNREAD),
        }
        return Scores({"self-knowledge": table}, parsed, self._excerpts)

    def _of(self, row: Row) -> dict[str, Outcome[float]]:
        """Return the metrics of one row."""
        if row["stage"] in (GENERATE, DUAL):
            return self._written(row)
        if row["stage"] == ANSWER:
            return self._answer(row)
        return self._reply(row) if row["stage"] in VERIFYING else {}

    def _leave_unread(self, row: Row, *metrics: str) -> None:
        """Numbers that are null because a reply could not be read: a headline counts them as wrong."""
        self._unread += [{"generation_id": row["generation_id"], "metric": metric} for metric in metrics]

    # What was written

    def _written(self, row: Row) -> dict[str, Outcome[float]]:
        example, content = self._texts.example(row), self._texts.content(row)
        if content.excerpt is not None and not example.is_about_a_picture:
            self._excerpts[row["generation_id"]] = content.excerpt
        metrics = {
            "generation_correct": self._texts.correct(row, content),
            "leaks_answer": self._leaks(row, example, content),
        }
        if content.text is None and row["error"] is None and example.is_checked:
            self._leave_unread(row, "generation_correct", "self_consistent")
        missing = self._missing(row, example, content)
        return metrics | dict.fromkeys(_NUMBERS, Outcome(None, f"not asked: {missing}")) if missing else metrics

    def _missing(self, row: Row, example: Example, content: Content) -> str | None:
        """Return the reason that a verifying stage could not ask about this text."""
        stages = PROTOCOLS[row["variant"].partition("/")[0]][1]
        for stage in ("verify-dual",) if row["stage"] == DUAL else (set(stages) & set(VERIFYING)) - {"verify-dual"}:
            if reason := example.changed(stage, content).reason:
                return reason
        return None

    def _leaks(self, row: Row, example: Example, content: Content) -> Outcome[float]:
        """Return true if what is shown of a text states its answer; in context all but the thinking is shown."""
        if content.text is None:
            return Outcome(None, content.reason)
        shown = shown_in_context(row) if row["variant"].startswith("in-context") else content.text
        answer = example.params.get("answer", example.params.get("output", example.answer)) or content.claim
        true = self._texts.truth(row, content).value if example.task in COUNTED else None
        leaks = leaks_answer(example.task, shown, answer, true)
        return Outcome(None, "nothing to leak") if leaks is None else Outcome(float(leaks))

    # The replies about it

    def _reply(self, row: Row) -> dict[str, Outcome[float]]:
        example, about = self._texts.example(row), self._texts.about(row)
        reply = self._read(row)
        truth, expected = about.truth(row["stage"]), self._expected(row, example, about)
        metrics = {"reply_parsed": _parsed(row, reply)}
        metrics["verification_correct"] = _graded(reply, truth)
        if row["stage"] == "verify-broken":
            metrics["answer_changed"] = self._answer_changed(row, example, reply)
        metrics["self_consistent"] = _graded(reply, expected)
        for metric, other in (("verification_correct", truth), ("self_consistent", expected)):
            if metrics[metric].value is None and other.value is not None and row["error"] is None:
                self._leave_unread(row, metric)
        metrics["all_correct"] = _all(about.correct, metrics["verification_correct"], metrics["self_consistent"])
        self._keep(row, reply, expected, truth)
        return metrics

    def _answer(self, row: Row) -> dict[str, Outcome[float]]:
        """Return an answer to a question of the benchmark, read as those to new ones are."""
        reply, right = self._read(row), Outcome(self._texts.example(row).answer)
        self._keep(row, reply, right, right)
        return {"reply_parsed": _parsed(row, reply), "answer_correct": _graded(reply, right)}

    def _keep(self, row: Row, reply: Outcome[str], expected: Outcome[str], truth: Outcome[str]) -> None:
        reason = reply.reason or truth.reason or expected.reason
        values = {"said": reply.value, "expected": expected.value, "truth": truth.value, "reason": reason}
        self._parsed.append({"generation_id": row["generation_id"], **values})

    def _read(self, row: Row) -> Outcome[str]:
        """Return the answer of a verifying reply."""
        if row["error"] is not None:
            return failed(row)
        reading = self._texts.reading(row)
        self._excerpts[row["generation_id"]] = reading.excerpt
        return reading.outcome

    def _expected(self, row: Row, example: Example, about: Text) -> Outcome[str]:
        """Return the answer of a consistent model."""
        stage = row["stage"]
        if stage == VERIFY:
            if example.answer is not None:
                return Outcome(example.answer)
            return Outcome(about.claim, None if about.claim else "the task fixes no answer, and the text claims none")
        if stage == "verify-broken":
            if example.params["break"] == "change-word":
                return Outcome(bare(example.params["word"]))
            return Outcome(None, "the answer must be another one: see answer_changed")
        return self._texts.first_reply(row, about.original if stage == "verify-dual" else row["parent_generation_id"])

    def _answer_changed(self, row: Row, example: Example, reply: Outcome[str]) -> Outcome[float]:
        first = None if example.answer is None else Outcome(example.answer)
        same = compared(reply, first or self._texts.first_reply(row, row["parent_generation_id"]))
        return Outcome(None if same.value is None else 1.0 - same.value, same.reason)


def _parsed(row: Row, reply: Outcome[str]) -> Outcome[float]:
    """Return true if a reply could be read; of a request that failed nobody knows."""
    return Outcome(None if row["error"] is not None else float(reply.value is not None), reply.reason)


def _graded(reply: Outcome[str], right: Outcome[str]) -> Outcome[float]:
    """Return true if a reply is right; one that is empty or cut off is wrong, one that cannot be read is null."""
    if reply.reason in UNFINISHED and right.value is not None:
        return Outcome(0.0, reply.reason)
    return compared(reply, right)


def _all(*outcomes: Outcome[float]) -> Outcome[float]:
    """Return all of them: null where one is, with the first reason; estimated where one is."""
    for outcome in outcomes:
        if outcome.value is None:
            return Outcome(None, outcome.reason)
    return Outcome(
        float(all(outcome.value for outcome in outcomes)),
        next((outcome.reason for outcome in outcomes if outcome.reason), None),
    )
