"""What a report says: the answers of every question over a connection's runs, before it has any form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from selfknow.evaluate.connection import Connection
from selfknow.evaluate.questions import Question, questions, what_is_lacking

Row = Mapping[str, Any]

HEADLINE = "accuracy_by_size"
READINGS = {
    "accuracy_by_size": "Exact match of whole answers; dashed: right entries, but a random number of them.",
    "setup_gap": "Accuracy with all entries in one document, less accuracy with a document each. Zero: no difference.",
    "over_and_under_recall": "Too few documents to the left, too many to the right, as shares of the graded answers.",
    "count_and_content": "Exact match is right count times right content: which of the two lets it down?",
    "recalled_documents": "A model that knows how much it knows lies on the diagonal; one that does not, anywhere.",
    "accuracy_by_documents": "A flat line: recalling more documents is no harder. The dashed line is chance.",
    "document_accuracy": "Of the recalled documents that are in the target, the share without an error.",
    "recalled_sentences": "The diagonal again, within documents: sentences recalled against sentences that there are.",
    "stop_curve": "The probability of ending, against the next title, after each entry of the true answer: it should "
    "stay at 0 and jump to 1 after the last one.",
    "probes": "Answers started out of order: A second entry alone, B first then third, C half of the first, D half of "
    "the first then the second, E last then first.",
    "pretrained_or_scratch": "The same architecture, from the published weights and from random ones.",
    "wrong_answers": "Every answer by what became of it; failed requests are no wrong answers, but they are shown.",
    "wrong_documents": "The bodies of wrong documents, looked up in the corpus. Dashed: what random bodies would give; "
    "below five sentences a random body is often somebody's.",
    "accuracy_by_name_frequency": "How many diarists share the rarest word of the name: are common names mixed up?",
    "metrics": "Every metric that scoring wrote, as it is.",
}
"""The questions of a report, in their order, and how to read each."""


@dataclass(frozen=True)
class Section:
    """One question of a report.

    Attributes:
        question: The question.
        reading: How to read its figure.
        rows: Its answer.
        missing: Why it has none, if it has none.
    """

    question: Question
    reading: str
    rows: Sequence[Row]
    missing: str | None = None


@dataclass(frozen=True)
class Report:
    """All that a report says.

    Attributes:
        runs: The view `runs`.
        overview: What was asked of whom and what came back.
        cohorts: The view `cohorts`, with a short `label` that tells them apart.
        sections: The questions.
        samples: Right and wrong answers.
    """

    runs: Sequence[Row]
    overview: Sequence[Row]
    cohorts: Sequence[Row]
    sections: Sequence[Section]
    samples: Sequence[Row]

    @property
    def answered(self) -> list[Section]:
        """The sections with something to show."""
        return [section for section in self.sections if section.rows]

    @property
    def calls(self) -> list[Row]:
        """What was asked of whom and what came back, in the order in which one wants to know it."""
        columns = ("model", "stage", "n", "n_graded", "n_failed", "n_cut_off", "n_empty", "mean_tokens", "revision")
        return [
            {
                "asked": f"{row['task']}{':' + row['config'] if row['config'] else ''} {row['split'] or ''}".rstrip(),
                **{column: row[column] for column in columns},
                "run_id": row["run_id"],
            }
            for row in self.overview
        ]

    @property
    def incomplete(self) -> list[str]:
        """The runs that did not ask all of their examples."""
        return [
            f"{row['model']} answered {row['n']:,} of {row['num_examples']:,} examples of run {row['run_id']}: "
            "the shares are over what was asked."
            for row in self.overview
            if row["stage"] == "answer" and row["num_examples"] and row["n"] < row["num_examples"]
        ]

    @property
    def labels(self) -> dict[int, str]:
        """The label of each cohort."""
        return {cohort["cohort"]: cohort["label"] for cohort in self.cohorts}


def gather(connection: Connection, *, progress: bool = False) -> Report:
    """Ask everything.

    Args:
        connection: The runs.
        progress: Show a progress bar on stderr.
    """
    from tqdm import tqdm

    sections = []
    bar = tqdm(READINGS.items(), disable=not progress, unit="question", desc="report")
    for name, reading in bar:
        question = questions()[name]
        lacking = next(what_is_lacking(connection, question), None)
        rows = [] if lacking else connection.rows(question.sql)
        missing = lacking or (None if rows else _nothing_to_say(name))
        sections.append(Section(question, reading, rows, missing))
    cohorts = connection.rows("select * from cohorts order by cohort")
    unscored = next(what_is_lacking(connection, questions()["sample_answers"]), None)
    return Report(
        runs=connection.rows("select * from runs order by created_at, run_id"),
        overview=connection.rows(questions()["overview"].sql),
        cohorts=[{**cohort, "label": label} for cohort, label in zip(cohorts, _labels(cohorts), strict=True)],
        sections=sections,
        samples=[] if unscored else connection.rows(questions()["sample_answers"].sql),
    )


def _nothing_to_say(name: str) -> str:
    reasons = {
        "setup_gap": "no model was asked in both setups at one dataset size",
        "probes": "no run holds continuation probes (selfknow evaluate … --probes)",
        "stop_curve": "no run holds entry boundaries (selfknow evaluate … --stop)",
        "pretrained_or_scratch": "of no model is it known whether it started from pre-trained weights",
        "wrong_documents": "there is no wrong document",
    }
    return reasons.get(name, "no run holds scored diary answers")


def _labels(cohorts: Sequence[Row]) -> list[str]:
    """Model, dataset size and setup, without what all cohorts share."""
    parts = ("model_label", "dataset_size", "setup")
    varying = [part for part in parts if len({cohort[part] for cohort in cohorts}) > 1] or ["model_label"]
    return [" · ".join(str(cohort[part]) for part in varying if cohort[part] is not None) for cohort in cohorts]
