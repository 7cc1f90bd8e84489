"""The interface of a task: its rows, its requests in stages, and its scores.

A task is one frozen :class:`Task` in ``evaluate/tasks/<task>/task.py``. ``selfknow evaluate NAME`` asks it, in
:mod:`selfknow.evaluate.run` and :mod:`selfknow.evaluate.ask`::

    task, options = find_task(NAME)     # catalogue.py: the task of a name, and its class of options
    rows = task.open(NAME, …)           # Rows: the questions, and the settings that identify the run
    models = task.open_models(…)        # Models: the writers, and the verifiers of their texts
    for stage in task.stages(…, rows):  # Stage: makes requests from the rows and the replies so far
        requests = stage.requests(SoFar(RUN, rows))

and ``selfknow score RUN`` scores it, in :mod:`selfknow.evaluate.score`::

    run = finished_run(RUN)             # FinishedRun: the last attempt of every call, and the rows
    for scores in task.score(run, …):   # Scores of a batch: a value for each reply, or null with a reason (outcome.py)

A task sends no request and writes no file. The two commands share only the run folder. The command line, SQL and the
report know only this interface of a task. This module and every ``task.py`` are light to import: they import heavy
modules inside functions.
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
"""The variant of calls of a task that asks its questions in only one way."""
SetName = str
"""The user's name for the rows of a run: ``TASK``, ``TASK:SET`` or ``FOLDER:CONFIG``."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of every task; each task has a frozen subclass.

    Attributes:
        limit: The number of questions to ask, from the first; null for all.
    """

    limit: int | None = option(None, "Ask at most this many questions.", minimum=1)


@dataclass(frozen=True, kw_only=True)
class SampledOptions(Options):
    """The options of a task whose questions may be asked several times.

    Attributes:
        samples: The number of replies to each question.
    """

    samples: int = option(1, "Replies to each question.", minimum=1)


def completion_examples_option() -> Any:
    """Return the option ``examples``: true if completion models are shown worked examples."""
    return option(
        None,
        "Show base models examples. Default: not in a paper's wording.",
        switch="examples/no-examples",
    )


@dataclass(frozen=True)
class ScoreOptions:
    """The options of every scorer, of which there are none; a task may have a frozen subclass."""


OptionsType = TypeVar("OptionsType", bound=Options)
ScoreOptionsType = TypeVar("ScoreOptionsType", bound=ScoreOptions)


@dataclass(frozen=True)
class ReusedReply:
    """A reply of an earlier run that is copied instead of asking again.

    Attributes:
        model: The model that wrote it.
        revision: The model's revision.
        request: The request in the new run.
        reply: The reply.
        keep: Copies files of the reply, such as a picture, into the run folder; null if there are none.
    """

    model: str
    revision: str | None
    request: Request
    reply: Reply
    keep: Callable[[Path], None] | None = None


@dataclass(frozen=True)
class Reuse:
    """The replies of an earlier run that a run can reuse.

    Attributes:
        folder: The folder of the earlier run.
        replies: All reusable replies. A run takes those of its own writers; a run without writers takes all.
        wanted: The description of these replies for an error: ``texts for total-count-000-plain, …``.
        writers: The names of the models that wrote in the earlier run.
    """

    folder: Path
    replies: Sequence[ReusedReply]
    wanted: str
    writers: Sequence[str]


@dataclass(frozen=True)
class Rows:
    """The rows of a run, with the settings that identify the run.

    Attributes:
        table: The rows, with a column ``id`` without repeats, after the limit.
        reference: The dataset, config and split of the rows.
        settings: The settings that identify the run, as JSON, with defaults filled in. A run folder whose ``run.json``
            has other settings is refused.
        annotations: The columns that may change without making another run.
        reuse: The replies of an earlier run to reuse; null if everything is asked.
        decoding: The default decoding: the paper's, with the stop strings.
    """

    table: "pa.Table"
    reference: "DatasetReference"
    settings: Mapping[str, object] = field(default_factory=dict)
    annotations: tuple[str, ...] = ()
    reuse: Reuse | None = None
    decoding: Decoding = field(default_factory=Decoding)


@dataclass(frozen=True)
class SoFar:
    """The rows of a run and its replies so far, from which a stage makes its requests.

    Attributes:
        folder: The run folder.
        rows: The rows of the run.
    """

    folder: Path
    rows: Sequence[Row]

    @cached_property
    def replies(self) -> list[Row]:
        """The last attempt of every call so far, as rows of ``generations``, including failed ones.

        A completion model's reply ends before a next question of its own.
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

    A writer gets the requests without a parent, and those about its own texts. A verifier gets all requests. In a run
    without verifiers, every writer verifies its own texts.

    Attributes:
        name: The ``stage`` of its requests.
        requests: A function that makes the requests from the rows and the replies so far.
        by_verifier: True if the verifiers are asked instead of the writers.
    """

    name: str
    requests: Callable[[SoFar], Iterable[Request]]
    by_verifier: bool = False


@dataclass(frozen=True)
class Models:
    """The models of a run.

    Attributes:
        writers: The models that write texts or answer questions.
        verifiers: The models that are asked about all writers' texts; null if every writer is asked about its own.
        settings: The settings that the choice of models adds to those of :class:`Rows`.
    """

    writers: Sequence[LanguageModel]
    verifiers: Sequence[LanguageModel] | None = None
    settings: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class FinishedRun:
    """A run whose replies are scored.

    A run may not fit in memory, so a scorer reads its calls batch by batch.

    Attributes:
        folder: The run folder.
        description: The content of ``run.json``.
        calls: The last attempt of every call, in tables of a few thousand rows in the shape of ``generations``. A
            completion model's reply ends before a next question of its own; the column ``whole`` then has the complete
            reply, and else null. Each iteration reads the run anew.
        examples: The rows of the run.
        grades: The replies of models that judged the calls (``selfknow judge``), in the shape of ``generations``; the
            parent of each is the call that it is about.
    """

    folder: Path
    description: Mapping[str, Any]
    calls: "Iterable[pa.Table]"
    examples: "pa.Table"
    grades: "Iterable[pa.Table]" = ()

    def rows(self, *columns: str) -> Iterator[Row]:
        """Yield the calls row by row, with these columns; without arguments, with all columns."""
        for batch in self.calls:
            yield from (batch.select(columns) if columns else batch).to_pylist()


@dataclass(frozen=True)
class Scores:
    """The scores of some calls of a run, usually of a batch.

    A scorer yields them in the order of the calls. All tables of a file have the same columns.

    Attributes:
        tables: The scores by the name of their file in ``scores/``, in the shape of ``SCORES``: one row per call and
            metric.
        parsed: The values that were read from replies, by the name of their file in ``parsed/``, at the task's own
            grain.
        excerpts: The part of each reply that was read or measured, by ``generation_id`` (the view ``kept_replies``).
    """

    tables: Mapping[str, "pa.Table"]
    parsed: Mapping[str, "pa.Table"] = field(default_factory=dict)
    excerpts: "Mapping[str, Excerpt]" = field(default_factory=dict)


def only_plain(rows: Rows) -> Sequence[str]:
    """Return the only variant of a task that asks its questions in one way."""
    return (PLAIN,)


@dataclass(frozen=True)
class TableSupport(Generic[OptionsType]):
    """The way in which a task reads a table of replies that were made elsewhere (``selfknow import table``).

    Attributes:
        question: The column of the task's rows with the question.
        stage: The stage of the replies.
        variants: Maps the rows to the variants that a reply may have; if empty, any variant, by default :data:`PLAIN`.
        settings: Settings that replace those of the task's own prompts.
        needs: The columns that the scorer needs of a user's own questions, each with its meaning.
        own_rows: Maps a user's own questions to rows; null if the task has only its datasets' questions. A question has
            ``id``, ``question``, ``answers`` (a list of texts), ``answerable`` (null if unknown), and the table's other
            columns.
    """

    question: str = "question"
    stage: str = "answer"
    variants: Callable[[Rows], Sequence[str]] = only_plain
    settings: Mapping[str, object] = field(default_factory=dict)
    needs: Mapping[str, str] = field(default_factory=dict)
    own_rows: "Callable[[Sequence[Row], DatasetReference, OptionsType], Rows] | None" = None


def only_writer(options: Options, models: "ModelOptions", folder: Path) -> Models:
    """Return the model that ``--model`` names as the only writer, which is what most tasks need."""
    return Models([models.language_model()])


def no_grades(run: FinishedRun) -> Sequence[Request]:
    """Return no requests, for a task whose replies no model judges."""
    return ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Task(Generic[OptionsType, ScoreOptionsType]):
    """One kind of question about what a model knows.

    ``open``, ``stages`` and ``score`` define the task; the other fields describe it, or have a default.

    Attributes:
        name: The task's name in ``run.json`` and on the command line.
        question: The task's question about a model: "Does it know what it does not know?".
        usage: Examples of arguments of ``selfknow evaluate``, without model and run folder. The first one begins with
            the set that represents the task in lists.
        datasets: The datasets of this package that the task asks, by the name in their manifest.
        options: The classes of options, by a pattern of set names, such as ``TASK:image-*``; the first pattern that
            matches counts.
        open: Returns the rows of a set, from its name, the options and the run folder.
        stages: Returns the stages in order, from the options and the rows.
        open_models: Returns the models to ask, from the options, those for opening models, and the run folder.
        score: Yields the scores of a run, batch by batch.
        score_options: The class of options of ``score``.
        grades: Returns the requests to a model that judges a run's replies, in the stage :data:`GRADE`.
        sql: The task's queries, views and columns in SQL.
        report: Loads the task's part of a report; null for tables alone.
        table: The way to read a table of replies made elsewhere; null if the task takes none.
    """

    name: str
    question: str
    usage: tuple[str, ...]
    datasets: tuple[str, ...] = ()
    options: "Mapping[str, type[OptionsType]]"
    open: "Callable[[SetName, OptionsType, Path], Rows]"
    stages: "Callable[[OptionsType, Rows], Sequence[Stage]]"
    open_models: "Callable[[OptionsType, ModelOptions, Path], Models]" = only_writer
    score: "Callable[[FinishedRun, ScoreOptionsType], Iterable[Scores]]"
    score_options: "type[ScoreOptionsType]" = ScoreOptions  # type: ignore[assignment]
    grades: Callable[[FinishedRun], Sequence[Request]] = no_grades
    sql: TaskSql
    report: "Callable[[], TaskReport] | None" = None
    table: "TableSupport[OptionsType] | None" = None
