"""The shape that every task has: who is asked what, how replies are scored, and what is reported.

A task is one frozen :class:`Task` in ``evaluate/tasks/<task>/task.py``. The driver (:mod:`selfknow.evaluate.ask`), the
scorer (:mod:`selfknow.evaluate.score`), the command line, the SQL connection and the report know tasks by this shape
alone. This module and every ``task.py`` are light to import: what is heavy is imported inside their functions.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from selfknow.models.interface import Decoding, LanguageModel, Reply, Request
from selfknow.options import option
from selfknow.sql.task import TaskSql

if TYPE_CHECKING:
    import pyarrow as pa

    from selfknow.evaluate.replies import Kept
    from selfknow.models.opening import ModelOptions
    from selfknow.report.task import TaskReport
    from selfknow.runs.description import DatasetReference

Row = Mapping[str, Any]
SetName = str
"""What a user calls the rows that are asked: ``TASK``, ``TASK:SET``, ``FOLDER:CONFIG``."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """What every task can be told; a task's own options are a frozen subclass.

    Attributes:
        limit: Ask only the first so many questions; null: all.
    """

    limit: int | None = option(None, "Ask at most this many questions.", minimum=1)


@dataclass(frozen=True, kw_only=True)
class SampledOptions(Options):
    """What a task can be told whose questions may be asked several times.

    Attributes:
        samples: Replies to each question.
    """

    samples: int = option(1, "Replies to each question.", minimum=1)


def completion_examples_option() -> Any:
    """Return the field of a task's options that says whether completion models are shown worked examples."""
    return option(
        None,
        "Show base models examples. Default: not in a paper's wording.",
        switch="examples/no-examples",
    )


@dataclass(frozen=True)
class ScoreOptions:
    """What scoring can be told: nothing here; a task's own options are a frozen subclass."""


@dataclass(frozen=True)
class ReusedReply:
    """A reply of an earlier run that is taken over instead of asking again.

    Attributes:
        model: Who wrote it.
        revision: Its revision.
        request: What was asked, as this run asks it.
        reply: What came back.
        keep: Brings what the reply needs besides its text, such as a picture, into the run folder.
    """

    model: str
    revision: str | None
    request: Request
    reply: Reply
    keep: Callable[[Path], None] | None = None


@dataclass(frozen=True)
class Reuse:
    """What a run takes over from an earlier one.

    Attributes:
        folder: The earlier run.
        replies: What can be taken over: those of the run's writers are, or where it has none everybody's.
        wanted: What was looked for there, for people: ``texts for total-count-000-plain, …``.
        writers: Everybody who wrote there.
    """

    folder: Path
    replies: Sequence[ReusedReply]
    wanted: str
    writers: Sequence[str]


@dataclass(frozen=True)
class Rows:
    """What a run asks.

    Attributes:
        table: The rows, with an ``id`` column without repeats; the task's own limit is applied.
        reference: Where they are from.
        settings: What makes it this run and no other, as JSON: options resolved to what they stand for.
        annotations: Columns that are not asked and make no other run of it.
        reuse: What an earlier run holds of it; null: everything is asked.
        decoding: How replies are drawn by default: the paper's way, with the texts that end a reply.
    """

    table: "pa.Table"
    reference: "DatasetReference"
    settings: Mapping[str, object] = field(default_factory=dict)
    annotations: tuple[str, ...] = ()
    reuse: Reuse | None = None
    decoding: Decoding = field(default_factory=Decoding)


@dataclass(frozen=True)
class SoFar:
    """A run as far as it has come, from which a stage makes its requests.

    Attributes:
        folder: The run folder.
        rows: The rows that are asked.
    """

    folder: Path
    rows: Sequence[Row]

    @cached_property
    def replies(self) -> list[Row]:
        """The last attempt of every call so far, failed ones among them, as rows of ``generations``.

        A completion model's reply ends where it ran on to a next question of its own.
        """
        from selfknow.runs.schema import generation_files, last_attempts, read_generations

        if not generation_files(self.folder):
            return []
        from selfknow.evaluate.replies import up_to_next_question

        calls, _ = up_to_next_question(last_attempts(read_generations(self.folder)))
        return list(calls.to_pylist())


@dataclass(frozen=True)
class Stage:
    """One step of a task.

    A writer is asked all requests without a parent, and those that go back to a text of its own. A verifier is asked
    all of them; where a run has no verifiers, every writer verifies its own.

    Attributes:
        name: The ``stage`` of its requests.
        requests: Makes them.
        by_verifier: Whether the verifiers are asked, not the writers.
    """

    name: str
    requests: Callable[[SoFar], Iterable[Request]]
    by_verifier: bool = False


@dataclass(frozen=True)
class Models:
    """Who is asked.

    Attributes:
        writers: The models of the stages that are not by verifiers.
        verifiers: Who is asked about what all writers wrote; null: every writer about its own.
        settings: What of this choice makes it this run and no other, as JSON.
    """

    writers: Sequence[LanguageModel]
    verifiers: Sequence[LanguageModel] | None = None
    settings: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class FinishedRun:
    """A run as scoring sees it.

    Attributes:
        folder: The run folder.
        description: Its ``run.json``.
        calls: The last attempt of every call, in the shape of ``generations``; a completion model's reply ends where it
            ran on to a next question of its own.
        examples: The rows that were asked.
        whole: By ``generation_id`` the replies that ran on, as they came.
        grades: What models said that judged the calls (``selfknow judge``), in the shape of ``generations``; each goes
            back to the call that it is about. Null: nobody did.
    """

    folder: Path
    description: Mapping[str, Any]
    calls: "pa.Table"
    examples: "pa.Table"
    grades: "pa.Table | None" = None
    whole: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Scores:
    """What scoring a run gives.

    Attributes:
        tables: By the name of their file in ``scores/``; each in the shape of ``SCORES``.
        parsed: By the name of their file in ``parsed/``: what was parsed of the replies, at its own grain.
        kept: By the ``generation_id``: the part of the reply that was read or measured (the view ``kept_replies``).
    """

    tables: Mapping[str, "pa.Table"]
    parsed: Mapping[str, "pa.Table"] = field(default_factory=dict)
    kept: "Mapping[str, Kept]" = field(default_factory=dict)


def only_writer(options: Options, models: "ModelOptions", folder: Path) -> Models:
    """The usual cast of a task: the one model that ``--model`` names."""
    return Models([models.language_model()])


def no_grades(run: FinishedRun) -> Sequence[Request]:
    """Of a task whose replies no model judges."""
    return ()


OptionsType = TypeVar("OptionsType", bound=Options)
ScoreOptionsType = TypeVar("ScoreOptionsType", bound=ScoreOptions)


@dataclass(frozen=True, kw_only=True, eq=False)
class Task(Generic[OptionsType, ScoreOptionsType]):
    """One kind of question about what a model knows.

    Attributes:
        name: As ``run.json`` and the command line call it.
        question: What it asks of a model, for people: "What does it not know?".
        usage: Examples of what follows ``selfknow evaluate``, without model and run folder; the first one begins with
            the set that stands for the task in a list.
        datasets: Datasets of this package, by the name in their manifest, whose rows are asked.
        options: What it can be told, by a pattern of set names, such as ``TASK:image-*``; the first one that fits
            holds. A set of exactly this name is this task's.
        score_options: What its scorer can be told.
        open: From a set's name, the options and the run folder to the rows.
        stages: From the options and the rows to the stages, in order.
        cast: From the options, how models are opened and the run folder to who is asked.
        grades: From a run to what a model that judges its replies is asked, in the stage :data:`GRADE`.
        score: From a whole run to its scores.
        sql: What it adds to SQL.
        report: Loads what it shows in a report; null: tables alone.
    """

    name: str
    question: str
    usage: tuple[str, ...]
    open: "Callable[[SetName, OptionsType, Path], Rows]"
    stages: "Callable[[OptionsType, Rows], Sequence[Stage]]"
    score: "Callable[[FinishedRun, ScoreOptionsType], Scores]"
    sql: TaskSql
    options: "Mapping[str, type[OptionsType]]"
    score_options: "type[ScoreOptionsType]" = ScoreOptions  # type: ignore[assignment]
    datasets: tuple[str, ...] = ()
    cast: "Callable[[OptionsType, ModelOptions, Path], Models]" = only_writer
    grades: Callable[[FinishedRun], Sequence[Request]] = no_grades
    report: "Callable[[], TaskReport] | None" = None
