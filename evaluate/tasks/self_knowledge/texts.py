"""Facts about the texts of a run, which the scores of the replies about them need.

A text and the replies about it are far apart in a run. So only these facts are held in memory: the answer that the text
claims, and the answers that programs find.
"""

from dataclasses import dataclass
from typing import TypeVar

from selfknow.evaluate.outcome import Outcome, failed
from selfknow.evaluate.readers.reading import Reading
from selfknow.evaluate.task import FinishedRun, Row
from selfknow.evaluate.tasks.self_knowledge.content import Content
from selfknow.evaluate.tasks.self_knowledge.protocols import DUAL, VERIFY, VERIFYING, Example
from selfknow.evaluate.tasks.self_knowledge.replies import COUNTED, REPLY_KINDS, read
from selfknow.evaluate.tasks.self_knowledge.truth import ESTIMATE, Judge

COLUMNS = (
    *("generation_id", "example_id", "stage", "variant", "parent_generation_id", "model", "revision", "prompt"),
    *("generation", "finish_reason", "error"),
)
_LATER = frozenset(VERIFYING) - {VERIFY}
Shared = TypeVar("Shared")


@dataclass(frozen=True, slots=True)
class Text:
    """The facts about a text that the scores of the replies about it need.

    Attributes:
        original: The ``generation_id`` of the first text, for a second text of stage ``dual``; null for a first text.
        claim: The answer that the text claims.
        correct: 1 if the text has the property that the prompt demands, else 0.
        truths: Pairs of a stage and the true answer to its question.
    """

    original: str | None
    claim: str | None
    correct: Outcome[float]
    truths: tuple[tuple[str, Outcome[str]], ...]

    def truth(self, stage: str) -> Outcome[str]:
        """Return the true answer to a stage's question about this text."""
        return dict(self.truths)[stage]


class Texts:
    """The texts of a run that questions were asked about, and the first replies about them.

    Args:
        run: The run; it is read several times.
        judge: The source of true answers.
    """

    def __init__(self, run: FinishedRun, judge: Judge) -> None:
        self._judge = judge
        rows = run.examples.to_pylist()
        self._examples = {
            (row["id"], wording): Example.of(row, wording) for row in rows for wording in ("ours", "paper")
        }
        self._shared: dict[object, object] = {}
        self._texts: dict[str, Text] = {}
        self._first_replies: dict[tuple[object, ...], Outcome[str]] = {}
        stages_about = _stages_about(run)
        asks_again = any(stages & _LATER for stages in set(stages_about.values()))
        for is_dual in (False, True):  # first texts first: the answer of a second text is that of its first
            if stages_about:
                self._read_texts(run, stages_about, is_dual=is_dual)
        if asks_again:
            self._read_first_replies(run)

    def _read_texts(self, run: FinishedRun, stages_about: dict[str, frozenset[str]], *, is_dual: bool) -> None:
        for row in run.rows(*COLUMNS):
            if (row["stage"] == DUAL) == is_dual and (stages := stages_about.pop(row["generation_id"], None)):
                self._texts[row["generation_id"]] = self._text(row, stages)

    def _read_first_replies(self, run: FinishedRun) -> None:
        for row in run.rows(*COLUMNS):
            if row["stage"] == VERIFY:
                outcome = failed(row) if row["error"] is not None else self.reading(row).outcome
                key = (row["parent_generation_id"], self._share(row["model"]), self._share(row["revision"]))
                self._first_replies[key] = self._share(outcome)

    def _share(self, value: Shared) -> Shared:
        """Return the first equal value, so that equal values share memory: most texts have one of a few answers."""
        return self._shared.setdefault(value, value)  # type: ignore[return-value]

    def _text(self, row: Row, stages: frozenset[str]) -> Text:
        content = self.content(row)
        truths = [(stage, self._share(self.truth(row, content, stage))) for stage in sorted(stages)]
        text = Text(row["parent_generation_id"], content.claim, self.correct(row, content), self._share(tuple(truths)))
        return self._share(text) if text.original is None and text.claim is None else text

    def about(self, row: Row) -> Text:
        """Return the text that a call is about."""
        return self._texts[row["parent_generation_id"]]

    def first_reply(self, row: Row, text: str | None) -> Outcome[str]:
        """Return the answer that a call's model gave about a text in stage ``verify``."""
        first = self._first_replies.get((text, row["model"], row["revision"]))
        if first is None:
            return Outcome(None, "the first text was not asked about")
        return first if first.value is not None else Outcome(None, f"about the first text: {first.reason}")

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
        return self._judge.truth(example.task, example.params, changed, altered=example.is_altered(stage))

    def correct(self, row: Row, content: Content) -> Outcome[float]:
        """Return 1 if a text has the property that the prompt demands, else 0."""
        if (text := self._texts.get(row["generation_id"])) is not None:
            return text.correct
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


def _stages_about(run: FinishedRun) -> dict[str, frozenset[str]]:
    """Return the stages that ask about each text, by the text's ``generation_id``."""
    sets: dict[tuple[frozenset[str], str], frozenset[str]] = {}
    stages: dict[str, frozenset[str]] = {}
    for row in run.rows("parent_generation_id", "stage"):
        if (parent := row["parent_generation_id"]) is not None:
            earlier_stages = stages.get(parent, frozenset())
            stages[parent] = sets.setdefault((earlier_stages, row["stage"]), earlier_stages | {row["stage"]})
    return stages


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
