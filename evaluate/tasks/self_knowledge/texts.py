"""Facts about the texts of a run, which the scores of the replies about them need.

A text and the replies about it are far apart in a run. So only these facts are held, on disk: the answers that the text
claims, and those that programs find.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from selfknow.disk_mapping import DiskMapping
from selfknow.evaluate.outcome import Outcome, failed
from selfknow.evaluate.readers.reading import Reading
from selfknow.evaluate.task import FinishedRun, Row
from selfknow.evaluate.tasks.self_knowledge.content import Content
from selfknow.evaluate.tasks.self_knowledge.protocols import DUAL, GENERATE, VERIFY, VERIFYING, Example
from selfknow.evaluate.tasks.self_knowledge.replies import COUNTED, REPLY_KINDS, read
from selfknow.evaluate.tasks.self_knowledge.truth import ESTIMATE, TrueAnswers

COLUMNS = (
    *("generation_id", "example_id", "stage", "variant", "parent_generation_id", "model", "revision", "prompt"),
    *("generation", "finish_reason", "error"),
)
_LATER = frozenset(VERIFYING) - {VERIFY}
_CHANGING = _LATER - {"verify-dual"}
Fact = tuple[tuple[object, ...], object]
"""A key and its value in a :class:`DiskMapping`."""


@dataclass(frozen=True, slots=True)
class Text:
    """The facts about a text that the scores of the replies about it need.

    Attributes:
        original: The ``generation_id`` of the first text, for a second text of stage ``dual``; null for a first text.
        claim: The answer that the text claims.
        correct: 1 if the text has the property that the prompt demands, else 0.
        truths: By stage, the true answer to its question: of ``verify``, and of the stages that ask about a changed
            text.
    """

    original: str | None
    claim: str | None
    correct: Outcome[float]
    truths: Mapping[str, Outcome[str]]

    @classmethod
    def from_json(cls, value: list[Any]) -> "Text":
        """Return a text from the value of its fact (see :meth:`as_json`)."""
        original, claim, correct, truths = value
        return cls(original, claim, Outcome(*correct), {stage: Outcome(*truth) for stage, truth in truths.items()})

    def truth(self, stage: str) -> Outcome[str]:
        """Return the true answer to a stage's question about this text."""
        return self.truths.get(stage, self.truths[VERIFY])

    def as_json(self) -> list[Any]:
        """Return the text as the value of its fact."""
        truths = {stage: (truth.value, truth.reason) for stage, truth in self.truths.items()}
        return [self.original, self.claim, (self.correct.value, self.correct.reason), truths]


class Texts:
    """The texts of a run that questions were asked about, and the first replies about them.

    Args:
        run: The run; it is read several times.
        true_answers: The true answers to questions about texts.
        facts: An empty mapping, for the facts about texts and first replies.
    """

    def __init__(self, run: FinishedRun, true_answers: TrueAnswers, facts: DiskMapping) -> None:
        self._true_answers = true_answers
        self._facts = facts
        rows = run.examples.to_pylist()
        self._examples = {
            (row["id"], wording): Example.of(row, wording) for row in rows for wording in ("ours", "paper")
        }
        stages, asking_stages = _stages(run)
        self._stages_about_texts = (VERIFY, *sorted(asking_stages & _CHANGING))
        if asking_stages:
            self._write_facts(run, GENERATE, *([VERIFY] if asking_stages & _LATER else []))
        if asking_stages and DUAL in stages:  # a second text has the answer of its first one
            self._write_facts(run, DUAL)

    def _write_facts(self, run: FinishedRun, *stages: str) -> None:
        """Write the facts about the calls of some stages: texts, and first replies."""
        for batch in run.calls:
            is_of_stages = pc.is_in(batch["stage"], pa.array(stages))
            rows = batch.select(COLUMNS).filter(is_of_stages).to_pylist()
            self._facts.update([self._first_reply(row) if row["stage"] == VERIFY else self._fact(row) for row in rows])

    def _fact(self, row: Row) -> Fact:
        content = self.content(row)
        truths = {stage: self.truth(row, content, stage) for stage in self._stages_about_texts}
        text = Text(row["parent_generation_id"], content.claim, self._grade(row, content), truths)
        return ("text", row["generation_id"]), text.as_json()

    def _first_reply(self, row: Row) -> Fact:
        outcome = failed(row) if row["error"] is not None else self.reading(row).outcome
        key = ("reply", row["parent_generation_id"], row["model"], row["revision"])
        return key, (outcome.value, outcome.reason)

    def about(self, row: Row) -> Text:
        """Return the text that a call is about."""
        return Text.from_json(self._facts.require("text", row["parent_generation_id"]))

    def first_reply(self, row: Row, text: str | None) -> Outcome[str]:
        """Return the answer that a call's model gave about a text in stage ``verify``."""
        first = self._facts.get("reply", text, row["model"], row["revision"])
        if first is None:
            return Outcome(None, "the first text was not asked about")
        value, reason = first
        return Outcome(value, reason if value is not None else f"about the first text: {reason}")

    def example(self, row: Row) -> Example:
        """Return the example of a call, in the call's wording."""
        return self._examples[row["example_id"], row["variant"].partition("/")[2]]

    def content(self, row: Row) -> Content:
        """Return the content of a text that questions are about."""
        return Content(None, reason=failed(row).reason) if row["error"] is not None else self.example(row).content(row)

    def truth(self, row: Row, content: Content, stage: str = VERIFY) -> Outcome[str]:
        """Return the true answer to a stage's question about a text."""
        example = self.example(row)
        changed = example.changed(stage, content)
        return self._true_answers.truth(example.task, example.params, changed, altered=example.is_altered(stage))

    def correct(self, row: Row, content: Content) -> Outcome[float]:
        """Return 1 if a text has the property that the prompt demands, else 0."""
        if (known := self._facts.get("text", row["generation_id"])) is not None:
            return Text.from_json(known).correct
        return self._grade(row, content)

    def _grade(self, row: Row, content: Content) -> Outcome[float]:
        example = self.example(row)
        if content.text is None:
            return Outcome(None, content.reason)
        if example.task == "arxiv":
            return _month_of_identifier(content, example.params["month"])
        expected = example.answer
        if row["stage"] == DUAL:
            original = self.about(row).truth(DUAL)
            if original.value is None:
                return Outcome(None, original.reason)
            expected = original.value
        if expected is None:
            return Outcome(None, "the task asks nothing of the writing")
        return compared(Outcome(expected), self.truth(row, content))

    def reading(self, row: Row) -> Reading:
        """Return the answer in a verifying reply, and its place."""
        example = self.example(row)
        parameter = "altered_answer" if example.is_altered(row["stage"]) else "answer"
        asked_value = example.params.get(parameter) if example.task == "math" else None
        return read(
            *(REPLY_KINDS[example.task], row["generation"], row["finish_reason"], row["prompt"]),
            noun=COUNTED.get(example.task),
            asked_value=None if asked_value is None else str(asked_value),
        )


def _stages(run: FinishedRun) -> tuple[set[str], set[str]]:
    """Return the stages of a run, and those whose calls go back to a text."""
    stages: set[str] = set()
    asking_stages: set[str] = set()
    for batch in run.calls:
        stages.update(pc.unique(batch["stage"]).to_pylist())
        asking_stages.update(pc.unique(batch["stage"].filter(pc.is_valid(batch["parent_generation_id"]))).to_pylist())
    return stages, asking_stages


def _month_of_identifier(content: Content, month: str) -> Outcome[float]:
    if content.claim is None:
        return Outcome(None, "no arXiv identifier")
    claimed = content.claim.partition("/")[2] or content.claim
    return Outcome(float(claimed[:4] == month[2:4] + month[5:]), f"{ESTIMATE}the month of its identifier alone")


def compared(reply: Outcome[str], reference: Outcome[str]) -> Outcome[float]:
    """Return 1 if a reply equals the reference, else 0; null if either is null.

    If the reference is an estimate, the result keeps its reason.
    """
    if reply.value is None:
        return Outcome(None, reply.reason)
    return Outcome(None if reference.value is None else float(reply.value == reference.value), reference.reason)
