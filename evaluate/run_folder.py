"""A run folder as one object: score its replies, judge them, query them and report them."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from selfknow.errors import SelfknowWarning, UserError
from selfknow.evaluate.arguments import ConnectArguments, ModelArguments, ScoreArguments, StrPath
from selfknow.evaluate.catalogue import task_of_run
from selfknow.evaluate.collect import Progress
from selfknow.evaluate.named_options import check_names, options_from
from selfknow.models.interface import LanguageModel, ReplyOptions
from selfknow.models.opening import ModelOptions

if TYPE_CHECKING:
    import pyarrow as pa

    from selfknow.evaluate.dry_run import Cost
    from selfknow.evaluate.score import ScoreSummary

AnyModel = str | LanguageModel | Callable[[str], str] | None


@dataclass(frozen=True)
class Run:
    """A run folder.

    Attributes:
        folder: The path of the folder.
        progress: The progress of each stage and model; empty for a run that was only opened.
        stopped: A sentence on the limit that stopped the run; null if everything was asked.
        cost: The requests and tokens that a dry run counted; null if the run was asked.

    Example:
        >>> run = Run(Path("runs/aware"))
        >>> run.score()  # doctest: +SKIP
        >>> run.query("self_aware_f1").to_pandas()  # doctest: +SKIP
    """

    folder: Path
    progress: Sequence[Progress] = ()
    stopped: str | None = None
    cost: "Cost | None" = None

    def score(self, **options: Unpack[ScoreArguments]) -> "ScoreSummary":
        """Score the last attempt of every call.

        Args:
            options: The options of the task's scorer, such as ``encoder="packaged"`` for self-aware.

        Returns:
            The mean of every metric, as a table that displays itself; its attribute ``scores`` has a row per metric of
            a call: ``generation_id``, ``metric``, ``value`` and ``reason``.

        Raises:
            UserError: The run's task has no scorer, the scorer has no such option, or the run has no reply.
        """
        from selfknow.evaluate.score import ScoreSummary, check_replies, score_to_files
        from selfknow.files import read_json
        from selfknow.runs.summary import summarize

        task = task_of_run(self.folder, read_json(self.folder / "run.json"))
        check_names(options, [task.score_options], task.name)
        check_replies(self.folder)
        files = score_to_files(self.folder, options_from(task.score_options, options))
        return ScoreSummary(summarize(self.folder, files), files)

    def judge(
        self,
        model: AnyModel = None,
        *,
        name: str | None = None,
        **options: Unpack[ModelArguments],
    ) -> Progress:
        """Ask a model to judge every reply that it has not judged yet; :meth:`score` reads its judgements.

        Args:
            model: See :func:`ask`.
            name: See :func:`ask`.
            options: Options for opening models and for their replies, as for :func:`ask`.

        Raises:
            UserError: The model is not available, there is no such option, or the task has nothing to judge.
        """
        from selfknow.evaluate.judge import DECODING, judge_run
        from selfknow.evaluate.score import check_replies

        check_names(options, [ModelOptions, ReplyOptions], "judge")
        opening = options_from(ModelOptions, {**options, "model": named_model(model, name)})
        decoding = options_from(ReplyOptions, options).applied_to(DECODING)
        check_replies(self.folder)
        progress = judge_run(self.folder, opening.language_model(), decoding)
        warn_of_failures([progress])
        return progress

    def query(
        self,
        name: str,
        *,
        columns: Sequence[str] | None = None,
        where: str | None = None,
        **options: Unpack[ConnectArguments],
    ) -> "pa.Table":
        """Run one of the package's queries over this run.

        Args:
            name: The query's name, such as ``self_aware_f1``; ``selfknow query`` lists them.
            columns: The columns to keep, in this order; null for all.
            where: A condition on the columns, in SQL; null for all rows.
            options: The options of :func:`selfknow.connect`, such as ``corpora`` or ``portraits``.

        Returns:
            The rows, with the columns that the query's head describes.

        Raises:
            UserError: There is no such query or column, or something that the query needs is missing.
        """
        from selfknow.evaluate.connection import connect
        from selfknow.sql.queries import choose_rows, fetch, run_query

        with connect(self.folder, **options) as connection:
            return fetch(choose_rows(connection, run_query(connection, name).set_alias(name), columns, where))

    def sql(
        self, statement: str, parameters: Mapping[str, Any] | None = None, **options: Unpack[ConnectArguments]
    ) -> "pa.Table":
        """Run a query of your own over this run.

        Args:
            statement: The SQL, over the views of :func:`selfknow.connect`, such as ``calls`` and ``scores``.
            parameters: A value for each ``$name`` in the statement.
            options: The options of :func:`selfknow.connect`.

        Raises:
            UserError: The statement could change data, or DuckDB refuses it (with DuckDB's message).

        Example:
            >>> run = Run(Path("runs/aware"))
            >>> run.sql("select finish_reason, count(*) as n from calls group by all")  # doctest: +SKIP
        """
        from selfknow.evaluate.connection import connect
        from selfknow.sql.queries import fetch

        with connect(self.folder, **options) as connection:
            return fetch(connection.sql(statement, parameters))

    def replies(self, *, columns: Sequence[str] | None = None, where: str | None = None) -> "pa.Table":
        """Return the prompts, replies and scores, a row per call.

        Args:
            columns: The columns to keep, such as ``["prompt", "generation"]``; null for all.
            where: A condition on the columns, such as ``"scores['sentences_abstained'] = 1"``; null for all calls.

        Returns:
            The rows of the view ``replies`` in the order of examples, stages, variants and samples.

        Raises:
            UserError: There is no such column, or the condition is not valid SQL.
        """
        from selfknow.evaluate.connection import connect
        from selfknow.sql.queries import choose_rows, fetch

        with connect(self.folder) as connection:
            rows = connection.sql("from replies order by example_id, stage, variant, sample, model")
            return fetch(choose_rows(connection, rows.set_alias("replies"), columns, where))

    def report(self, path: StrPath, *, title: str | None = None, **options: Unpack[ConnectArguments]) -> Path:
        """Write a report of this run: one HTML page, or Markdown with a folder of figures beside it.

        Args:
            path: The file; it ends in ``.html`` or ``.md``.
            title: The heading; null for the default.
            options: The options of :func:`selfknow.connect`, such as ``portraits``.

        Returns:
            The path of the report.

        Raises:
            UserError: The path ends in neither ``.html`` nor ``.md``, or the run has no reply.
            MissingExtraError: The libraries that draw figures are not installed.
        """
        from selfknow.evaluate.catalogue import task_reports
        from selfknow.evaluate.connection import connect
        from selfknow.report import TITLE, write

        write.require_report_extra()
        path = Path(path)
        heading = title or TITLE
        with connect(self.folder, **options) as connection:
            if path.suffix.lower() in write.MARKDOWN_ENDINGS:
                figures = path.with_name(f"{path.stem}_figures")
                write.write_markdown(connection, task_reports(), path, title=heading, figures=figures, progress=False)
            else:
                write.write_html(connection, task_reports(), path, title=heading, figures=None, progress=False)
        return path

    def compare(self, other: "Run", metric: str, **options: Any) -> "pa.Table":
        """Compare this run with another one, or two models or variants in it, paired by example.

        Args:
            other: The other side's run; this run itself if both sides are in it.
            metric: A metric that was scored on both sides, such as ``exact_match``.
            options: ``models`` and ``variants`` (see :func:`selfknow.evaluate.connection.compare_runs`), and the
                options of :func:`selfknow.connect`.

        Returns:
            One row (see :func:`selfknow.evaluate.connection.compare_runs`).

        Raises:
            UserError: The sides have no scores of this metric, are the same, or share no example.
        """
        from selfknow.evaluate.connection import compare_runs

        return compare_runs(self.folder, other.folder, metric, **options)


def warn_of_failures(progress: Sequence[Progress]) -> None:
    """Warn of failed requests, with a line per stage and model."""
    for stage in progress:
        if stage.failure:
            warnings.warn(stage.failure, SelfknowWarning, stacklevel=3)


def named_model(model: AnyModel, name: str | None) -> AnyModel:
    """Return a function as a model of this name; without a name, return the model unchanged.

    Raises:
        UserError: There is a name, but the model is not a function.
    """
    if name is None:
        return model
    if not callable(model) or isinstance(model, LanguageModel):
        raise UserError("name= is for a function: other models have a name, and label= sets their name in tables")
    from selfknow.models.function import FunctionModel

    return FunctionModel(model, name)
