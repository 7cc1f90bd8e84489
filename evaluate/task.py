"""The shape that every task has: who is asked what, and how replies are scored.

A task is one frozen :class:`Task` in ``evaluate/tasks/<task>/task.py``. ``selfknow evaluate NAME`` asks it, in
:mod:`selfknow.evaluate.run` and :mod:`selfknow.evaluate.ask`::

    task, options = find_task(NAME)     # catalogue.py: the task that a name means, and its class of options
    rows = task.open(NAME, …)           # Rows: the rows that are asked, and the settings that tell this run from others
    models = task.cast(…)               # Models: who writes, and who is asked about what was written
    for stage in task.stages(…, rows):  # Stage: rows and the replies so far become requests, replies are written down
        requests = stage.requests(SoFar(RUN, rows))

and ``selfknow score RUN`` scores it, in :mod:`selfknow.evaluate.score`::

    run = finished_run(RUN)             # FinishedRun: the last attempt of every call, and the rows that were asked
    for scores in task.score(run, …):   # Scores of a batch: for each reply a value, or null with a reason (outcome.py)

A task sends no request and writes no file; between the two commands stands the run folder, and nothing else. The
command line, SQL and the report know tasks by this shape alone. This module and every ``task.py`` are light to import:
what is heavy is imported inside their functions.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from selfknow.models.interface import Decoding, LanguageModel, Reply, Request
from selfknow.options import option
from selfknow.sql.task import TaskSql

if TYPE_CHECKING:
    import pyarrow as pa

    from selfknow.evaluate.replies import Excerpt
    from selfknow.models.opening import ModelOptions
    from selfknow.report.task import TaskReport
    from selfknow.runs.description import DatasetReference

Row = Mapping[str, Any]
PLAIN = "plain"
"""The variant of calls that a task makes in one way only."""
SetName = str
"""What a user calls the rows that are asked: ``TASK``, ``TASK:SET``, ``FOLDER:CONFIG``."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options that every task takes; those of a task are a frozen subclass.

    Attributes:
        limit: Ask only this many questions, from the first; null: all.
    """

    limit: int | None = option(None, "Ask at most this many questions.", minimum=1)


@dataclass(frozen=True, kw_only=True)
class SampledOptions(Options):
    """The options of a task whose questions may be asked several times.

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
    """The options that every scorer takes: none; those of a task are a frozen subclass."""


OptionsType = TypeVar("OptionsType", bound=Options)
ScoreOptionsType = TypeVar("ScoreOptionsType", bound=ScoreOptions)


@dataclass(frozen=True)
class ReusedReply:
    """A reply of an earlier run that is taken over instead of asking again.

    Attributes:
        model: The model that wrote it.
        revision: Its revision.
        request: The request, as this run makes it.
        reply: The reply.
        keep: Copies what the reply needs besides its text, such as a picture, into the run folder.
    """

    model: str
    revision: str | None
    request: Request
    reply: Reply
    keep: Callable[[Path], None] | None = None


@dataclass(frozen=True)
class Reuse:
    """The replies that a run takes over from an earlier one.

    Attributes:
        folder: The earlier run.
        replies: All that can be taken over. A run takes those of its own writers; a run without writers takes all.
        wanted: Description of these replies for an error: ``texts for total-count-000-plain, …``.
        writers: Names of the models that wrote there.
    """

    folder: Path
    replies: Sequence[ReusedReply]
    wanted: str
    writers: Sequence[str]


@dataclass(frozen=True)
class Rows:
    """The rows that a run asks.

    Attributes:
        table: The rows, with an ``id`` column without repeats; the task's own limit is applied.
        reference: The dataset, config and split that they are from.
        settings: All that tells this run from another, as JSON: options resolved to what they stand for. A folder whose
            ``run.json`` has other settings is refused.
        annotations: Columns that may change without making it another run.
        reuse: Replies of an earlier run to take over; null: everything is asked.
        decoding: The default decoding: the paper's, with the texts that end a reply.
    """

    table: "pa.Table"
    reference: "DatasetReference"
    settings: Mapping[str, object] = field(default_factory=dict)
    annotations: tuple[str, ...] = ()
    reuse: Reuse | None = None
    decoding: Decoding = field(default_factory=Decoding)


@dataclass(frozen=True)
class SoFar:
    """A run as far as it has come; a stage makes its requests from it.

    Attributes:
        folder: The run folder.
        rows: The rows that are asked.
    """

    folder: Path
    rows: Sequence[Row]

    @cached_property
    def replies(self) -> list[Row]:
        """Rows of ``generations``: the last attempt of every call so far, failed ones among them.

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

    A writer gets all requests without a parent, and those that go back to a text of its own. A verifier gets all of
    them; in a run without verifiers, every writer verifies its own texts.

    Attributes:
        name: The ``stage`` of its requests.
        requests: Makes the requests from the rows and the replies so far.
        by_verifier: True if the verifiers are asked, not the writers.
    """

    name: str
    requests: Callable[[SoFar], Iterable[Request]]
    by_verifier: bool = False


@dataclass(frozen=True)
class Models:
    """The models that a run asks.

    Attributes:
        writers: The models of the stages that are not by verifiers.
        verifiers: The models that are asked about what all writers wrote; null: every writer about its own.
        settings: The settings, as in :class:`Rows`, that this choice of models adds.
    """

    writers: Sequence[LanguageModel]
    verifiers: Sequence[LanguageModel] | None = None
    settings: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class FinishedRun:
    """A run whose replies are scored.

    A run may not fit in memory: a scorer goes through its calls batch by batch, and holds only what it needs of others.

    Attributes:
        folder: The run folder.
        description: Its ``run.json``.
        calls: The last attempt of every call, in tables of a few thousand rows in the shape of ``generations``. A
            completion model's reply ends where it ran on to a next question of its own; ``whole`` is then the reply as
            it came, and else null. Each iteration reads the run anew.
        examples: The rows that were asked.
        grades: Replies of models that judged the calls (``selfknow judge``), in the shape of ``generations``; each has
            the call that it is about as its parent.
    """

    folder: Path
    description: Mapping[str, Any]
    calls: "Iterable[pa.Table]"
    examples: "pa.Table"
    grades: "Iterable[pa.Table]" = ()

    def rows(self, *columns: str) -> Iterator[Row]:
        """Yield the calls one by one, with these columns; without a name, with all."""
        for batch in self.calls:
            yield from (batch.select(columns) if columns else batch).to_pylist()


@dataclass(frozen=True)
class Scores:
    """The scores of some calls of a run, usually of a batch.

    A scorer yields them in the order of the calls. Rows of one file have the same columns in all of them.

    Attributes:
        tables: By the name of their file in ``scores/``; each in the shape of ``SCORES``: one row per call and metric.
        parsed: By the name of their file in ``parsed/``: what was read of the replies, at the task's own grain.
        excerpts: By ``generation_id``: the part of the reply that was read or measured (the view ``kept_replies``).
    """

    tables: Mapping[str, "pa.Table"]
    parsed: Mapping[str, "pa.Table"] = field(default_factory=dict)
    excerpts: "Mapping[str, Excerpt]" = field(default_factory=dict)


def only_plain(rows: Rows) -> Sequence[str]:
    """Return the one variant of a task that puts its questions in one way."""
    return (PLAIN,)


@dataclass(frozen=True)
class TableSupport(Generic[OptionsType]):
    """The needs of a task from a table of replies that were made elsewhere (``selfknow import table``).

    Attributes:
        question: The column of the task's rows that holds the question.
        stage: The stage of the replies.
        variants: Maps the rows to the variants that a reply may have; none: any, by default :data:`PLAIN`.
        settings: Settings of the run in place of those that say how the task itself asks.
        needs: Columns that the scorer needs of questions that are not the task's own, each with its meaning.
        own_rows: Maps a user's own questions to the rows; null: the task asks its own datasets' questions alone. A
            question has ``id``, ``question``, ``answers`` (a list of texts), ``answerable`` (null if unknown), and the
            table's other columns.
    """

    question: str = "question"
    stage: str = "answer"
    variants: Callable[[Rows], Sequence[str]] = only_plain
    settings: Mapping[str, object] = field(default_factory=dict)
    needs: Mapping[str, str] = field(default_factory=dict)
    own_rows: "Callable[[Sequence[Row], DatasetReference, OptionsType], Rows] | None" = None


def only_writer(options: Options, models: "ModelOptions", folder: Path) -> Models:
    """Return the one model that ``--model`` names: the usual cast of a task."""
    return Models([models.language_model()])


def no_grades(run: FinishedRun) -> Sequence[Request]:
    """Return no requests: the default of a task whose replies no model judges."""
    return ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Task(Generic[OptionsType, ScoreOptionsType]):
    """One kind of question about what a model knows.

    ``open``, ``stages`` and ``score`` are the task; the other fields describe it, or have a default.

    Attributes:
        name: Its name in ``run.json`` and on the command line.
        question: The question about a model, for people: "Does it know what it does not know?".
        usage: Examples of what follows ``selfknow evaluate``, without model and run folder; the first one begins with
            the set that stands for the task in a list.
        datasets: Datasets of this package, by the name in their manifest, whose rows are asked.
        options: Its classes of options, by a pattern of set names, such as ``TASK:image-*``; the first pattern that
            fits holds. A set with exactly the name of a pattern is this task's.
        open: Maps a set's name, the options and the run folder to the rows.
        stages: Maps the options and the rows to the stages, in order.
        cast: Maps the options, those of opening models, and the run folder to the models that are asked.
        score: Maps a whole run to its scores, which it yields batch by batch.
        score_options: The options of ``score``.
        grades: Maps a run to the requests to a model that judges its replies, in the stage :data:`GRADE`.
        sql: Its queries, views and columns in SQL.
        report: Loads its part of a report; null: tables alone.
        table: Its needs from a table of replies made elsewhere; null: it takes none.
    """

    name: str
    question: str
    usage: tuple[str, ...]
    datasets: tuple[str, ...] = ()
    options: "Mapping[str, type[OptionsType]]"
    open: "Callable[[SetName, OptionsType, Path], Rows]"
    stages: "Callable[[OptionsType, Rows], Sequence[Stage]]"
    cast: "Callable[[OptionsType, ModelOptions, Path], Models]" = only_writer
    score: "Callable[[FinishedRun, ScoreOptionsType], Iterable[Scores]]"
    score_options: "type[ScoreOptionsType]" = ScoreOptions  # type: ignore[assignment]
    grades: Callable[[FinishedRun], Sequence[Request]] = no_grades
    sql: TaskSql
    report: "Callable[[], TaskReport] | None" = None
    table: "TableSupport[OptionsType] | None" = None
