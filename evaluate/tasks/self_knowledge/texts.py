"""The facts about texts that the scores of the replies about them need, which stand elsewhere in the run.

Of a text of which something is asked only this is held, on disk: the answers that it claims, and those that programs
find.
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
from selfknow.evaluate.tasks.self_knowledge.truth import ESTIMATE, Judge

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
        original: The text that it was written after, by its ``generation_id``; null for a first text.
        claim: The answer that it claims.
        correct: 1 if it has the property that was asked for, else 0.
        truths: By stage the true answer: of ``verify``, and of the stages that ask about a changed text.
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
        """Return the true answer to what a stage asks about it."""
        return self.truths.get(stage, self.truths[VERIFY])

    def as_json(self) -> list[Any]:
        """Return it as the value of its fact."""
        truths = {stage: (truth.value, truth.reason) for stage, truth in self.truths.items()}
        return [self.original, self.claim, (self.correct.value, self.correct.reason), truths]


class Texts:
    """The texts of a run that something was asked about, and the first replies about them.

    Args:
        run: The run, which is read several times.
        judge: Who knows the true answers.
        facts: An empty mapping, for what is known of texts and of first replies.
    """

    def __init__(self, run: FinishedRun, judge: Judge, facts: DiskMapping) -> None:
        self._judge = judge
        self._facts = facts
        listed = run.examples.to_pylist()
        self._examples = {
            (row["id"], wording): Example.of(row, wording) for row in listed for wording in ("ours", "paper")
        }
        stages, asking = _stages(run)
        self._asked = (VERIFY, *sorted(asking & _CHANGING))
        if asking:
            self._note(run, GENERATE, *([VERIFY] if asking & _LATER else []))
        if asking and DUAL in stages:  # a second text has the answer of its first one
            self._note(run, DUAL)

    def _note(self, run: FinishedRun, *stages: str) -> None:
        """Write the facts about the calls of some stages: texts, and first replies."""
        for batch in run.calls:
            are_there = pc.is_in(batch["stage"], pa.array(stages))
            rows = batch.select(COLUMNS).filter(are_there).to_pylist()
            self._facts.update([self._first_reply(row) if row["stage"] == VERIFY else self._fact(row) for row in rows])

    def _fact(self, row: Row) -> Fact:
        content = self.content(row)
        truths = {stage: self.truth(row, content, stage) for stage in self._asked}
        text = Text(row["parent_generation_id"], content.claim, self._grade(row, content), truths)
        return ("text", row["generation_id"]), text.as_json()

    def _first_reply(self, row: Row) -> Fact:
        outcome = failed(row) if row["error"] is not None else self.reading(row).outcome
        key = ("reply", row["parent_generation_id"], row["model"], row["revision"])
        return key, (outcome.value, outcome.reason)

    def about(self, row: Row) -> Text:
        """Return the text that a call is about."""
        return Text.from_json(self._facts.get("text", row["parent_generation_id"]))

    def first_reply(self, row: Row, text: str | None) -> Outcome[str]:
        """Return the first answer of a call's model about a text."""
        first = self._facts.get("reply", text, row["model"], row["revision"])
        if first is None:
            return Outcome(None, "the first text was not asked about")
        value, reason = first
        return Outcome(value, reason if value is not None else f"about the first text: {reason}")

    def example(self, row: Row) -> Example:
        """Return the example of a call, in the wording in which it was asked."""
        return self._examples[row["example_id"], row["variant"].partition("/")[2]]

    def content(self, row: Row) -> Content:
        """Return the part of a text that is asked about."""
        return Content(None, reason=failed(row).reason) if row["error"] is not None else self.example(row).content(row)

    def truth(self, row: Row, content: Content, stage: str = VERIFY) -> Outcome[str]:
        """Return the true answer to what a stage asks about a text."""
        example = self.example(row)
        changed = example.changed(stage, content)
        return self._judge.truth(example.task, example.params, changed, altered=example.is_altered(stage))

    def correct(self, row: Row, content: Content) -> Outcome[float]:
        """Return 1 if a text has the property that was asked for, else 0."""
        if (known := self._facts.get("text", row["generation_id"])) is not None:
            return Text.from_json(known).correct
        return self._grade(row, content)

    def _grade(self, row: Row, content: Content) -> Outcome[float]:
        example = self.example(row)
        if content.text is None:
            return Outcome(None, content.reason)
        if example.task == "arxiv":
            return _month_of_identifier(content, example.params["month"])
        wanted = example.answer
        if row["stage"] == DUAL:
            original = self.about(row).truth(DUAL)
            if original.value is None:
                return Outcome(None, original.reason)
            wanted = original.value
        if wanted is None:
            return Outcome(None, "the task asks nothing of the writing")
        return compared(Outcome(wanted), self.truth(row, content))

    def reading(self, row: Row) -> Reading:
        """Return the answer of a verifying reply, and its place."""
        example = self.example(row)
        which = "altered_answer" if example.is_altered(row["stage"]) else "answer"
        asked_value = example.params.get(which) if example.task == "math" else None
        return read(
            *(REPLY_KINDS[example.task], row["generation"], row["finish_reason"], row["prompt"]),
            noun=COUNTED.get(example.task),
            asked_value=None if asked_value is None else str(asked_value),
        )


def _stages(run: FinishedRun) -> tuple[set[str], set[str]]:
    """Return the stages of a run, and those whose calls go back to a text."""
    stages: set[str] = set()
    asking: set[str] = set()
    for batch in run.calls:
        stages.update(pc.unique(batch["stage"]).to_pylist())
        asking.update(pc.unique(batch["stage"].filter(pc.is_valid(batch["parent_generation_id"]))).to_pylist())
    return stages, asking


def _month_of_identifier(content: Content, month: str) -> Outcome[float]:
    if content.claim is None:
        return Outcome(None, "no arXiv identifier")
    claimed = content.claim.partition("/")[2] or content.claim
    return Outcome(float(claimed[:4] == month[2:4] + month[5:]), f"{ESTIMATE}the month of its identifier alone")


def compared(reply: Outcome[str], reference: Outcome[str]) -> Outcome[float]:
    """Return true if both are the same; the reason of the other one stays, where it is an estimate."""
    if reply.value is None:
        return Outcome(None, reply.reason)
    return Outcome(None if reference.value is None else float(reply.value == reference.value), reference.reason)
