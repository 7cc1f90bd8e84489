r"""GSM8K: can a model solve grade-school mathematics, and better after tuning on its own questions?

A row: ``{"id": "gsm8k-00000", "question": "Ann has 3 apples …", "answer": "3 + 4 = <<3+4=7>>7\n#### 7"}``.

The metric is ``correct``: 1 if the reply's number (:mod:`.answers`) is the solution's; 0 if it is another one, or if
the reply is empty or was cut off (with that reason); null if the reply has no number or several competing ones, or if
the request failed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfknow.errors import UserError
from selfknow.evaluate.outcome import Outcome, failed, scores_table
from selfknow.evaluate.task import (
    FinishedRun,
    Row,
    Rows,
    SampledOptions,
    ScoreOptions,
    Scores,
    SoFar,
    Stage,
    TableSupport,
    Task,
)
from selfknow.models.interface import Decoding, Request
from selfknow.options import option
from selfknow.sql.task import Facts, TaskSql

if TYPE_CHECKING:
    from selfknow.evaluate.tasks.gsm8k.questions import Questions
    from selfknow.report.task import TaskReport
    from selfknow.runs.description import DatasetReference

_TUNING = {
    "tuned_model": ("model", "varchar"),
    "tuned_revision": ("revision", "varchar"),
    "tuned_on": ("creator", "varchar"),
    "tuned_version": ("version", "varchar"),
    "tuned_on_own": ("is_own", "boolean"),
    "num_tuned_on": ("num_questions", "bigint"),
}


@dataclass(frozen=True, kw_only=True)
class Gsm8kOptions(SampledOptions):
    """Options for asking the problems.

    Attributes:
        examples: True if completion models are shown two worked problems.
    """

    examples: bool = option(True, "Show base models two worked problems first.", switch="examples/no-examples")


def _open(name: str, options: Gsm8kOptions, folder: Path) -> Rows:
    from selfknow.evaluate.tasks.gsm8k.questions import open_questions

    return question_rows(open_questions(name, folder), options)


def question_rows(questions: "Questions", options: Gsm8kOptions, tuning: Mapping[str, object] | None = None) -> Rows:
    """Return the questions, with the settings that identify the run.

    Args:
        questions: The questions; the limit of the options applies to them.
        options: The options of the run.
        tuning: The description of the creations that the model was tuned on; null if there are none.
    """
    from selfknow.evaluate.tasks.completions import completion_settings
    from selfknow.evaluate.tasks.gsm8k.questions import wording, worked_problems

    problems = worked_problems()
    settings = {
        "prompt": wording()["prompt"],
        "samples": options.samples,
        "limit": options.limit,
        "tuning": tuning,
        "completion": completion_settings(problems, len(problems), wording()["stop"]) if options.examples else None,
    }
    decoding = Decoding(stop=tuple(wording()["stop"]))
    return Rows(questions.rows.slice(0, options.limit), questions.reference, settings, decoding=decoding)


def _stages(options: Gsm8kOptions, rows: Rows) -> Sequence[Stage]:
    def requests(so_far: SoFar) -> Iterable[Request]:
        from selfknow.evaluate.tasks.gsm8k.questions import completion_prompt, prompt

        for row in so_far.rows:
            completion = completion_prompt(row["question"]) if rows.settings["completion"] else None
            for sample in range(options.samples):
                yield Request(row["id"], prompt(row["question"]), sample=sample, completion=completion)

    return [Stage("answer", requests)]


def _rows_of_user_questions(questions: Sequence[Row], reference: "DatasetReference", options: Gsm8kOptions) -> Rows:
    from selfknow.evaluate.tasks.gsm8k.questions import rows_of_user_questions

    return Rows(
        rows_of_user_questions(questions), reference, {"samples": options.samples, "limit": None, "tuning": None}
    )


def _score(run: FinishedRun, options: ScoreOptions) -> Iterator[Scores]:
    from selfknow.evaluate.replies import without_thinking

    if "answer" not in run.examples.column_names:
        raise UserError("the questions of this run have no column `answer` with solutions in GSM8K's format")
    solutions = dict(zip(run.examples["id"].to_pylist(), run.examples["answer"].to_pylist(), strict=True))
    for batch in run.calls:
        rows = batch.to_pylist()
        scores = ((row["generation_id"], "correct", _correct(row, solutions[row["example_id"]])) for row in rows)
        excerpts = {
            row["generation_id"]: without_thinking(row["generation"], row["prompt"]) for row in rows if not row["error"]
        }
        yield Scores({GSM8K.name: scores_table(scores)}, excerpts=excerpts)


def _correct(row: Row, solution: str) -> Outcome[float]:
    from selfknow.evaluate.tasks.gsm8k.answers import gives_several, number_of_reply, number_of_solution

    reply = row["generation"]
    if reply is None:
        return failed(row)
    if not reply.strip():
        return Outcome(0.0, "empty")
    if row["finish_reason"] == "length":
        return Outcome(0.0, "cut off")
    if gives_several(reply, row["prompt"]):
        return Outcome(None, "several numbers")
    number = number_of_reply(reply, row["prompt"])
    if number is None:
        return Outcome(None, "no number")
    is_correct = number == number_of_solution(solution)
    return Outcome(float(is_correct), None if is_correct else "another number")


def _facts(description: Mapping[str, Any]) -> Facts:
    settings = description.get("settings")
    tuning = settings.get("tuning") if isinstance(settings, dict) else None
    tuning = tuning if isinstance(tuning, dict) else {}
    return Facts({column: tuning.get(key) for column, (key, _) in _TUNING.items()})


def _report() -> "TaskReport":
    from selfknow.evaluate.tasks.gsm8k.report import FIGURES, headline
    from selfknow.report.task import TaskReport

    return TaskReport(
        name=GSM8K.name,
        question=GSM8K.question,
        about="It is asked grade-school problems in mathematics.",
        figures=FIGURES,
        headline=headline,
    )


GSM8K: Task[Gsm8kOptions, ScoreOptions] = Task(
    name="gsm8k",
    question="Does it solve mathematics?",
    usage=("gsm8k", "gsm8k:questions.jsonl --limit 100"),
    options={"gsm8k": Gsm8kOptions},
    open=_open,
    stages=_stages,
    score=_score,
    sql=TaskSql(
        name="gsm8k",
        folder=Path(__file__).parent,
        columns={column: type_ for column, (_, type_) in _TUNING.items()},
        facts=_facts,
    ),
    report=_report,
    table=TableSupport(
        settings={"prompt": None, "completion": None},
        needs={"answer": "the correct number, or a solution in GSM8K's format"},
        own_rows=_rows_of_user_questions,
    ),
)
