"""The Python interface: ask a model a task, score its replies, and query them. One object stands for one run folder."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin

from selfknow.errors import SelfknowWarning, UserError, nearest
from selfknow.evaluate.ask import Progress, ask_task
from selfknow.evaluate.catalogue import find_task, set_patterns, task_of_run
from selfknow.models.interface import LanguageModel, ReplyOptions
from selfknow.models.opening import ModelOptions

if TYPE_CHECKING:
    import pyarrow as pa
    from _typeshed import DataclassInstance

OptionsClass = TypeVar("OptionsClass", bound="DataclassInstance")


@dataclass(frozen=True)
class Run:
    """A run folder.

    Attributes:
        folder: Where it lies.
        progress: What each stage asked each model; empty for a run that was opened, not asked.

    Example:
        >>> run = Run(Path("runs/aware"))
        >>> run.score()  # doctest: +SKIP
        >>> run.query("self_aware_f1").to_pandas()  # doctest: +SKIP
    """

    folder: Path
    progress: Sequence[Progress] = ()

    def score(self, **options: Any) -> "pa.Table":
        """Score the last attempt of every call.

        Args:
            options: The options of the task's scorer, such as ``encoder="packaged"`` for self-aware.

        Returns:
            A row a metric of a call: ``generation_id``, ``metric``, ``value`` and ``reason``.

        Raises:
            UserError: No scorer knows the run, it has no such option, or the run holds no reply.
        """
        from selfknow.evaluate.score import read_scores

        return read_scores(self.score_to_files(**options))

    def score_to_files(self, **options: Any) -> list[Path]:
        """Score as :meth:`score` does, and return the files of scores: a large run's are not all held in memory."""
        from selfknow.evaluate.score import check_replies, score_to_files
        from selfknow.files import read_json

        task = task_of_run(self.folder, read_json(self.folder / "run.json"))
        check_names(options, [task.score_options], task.name)
        check_replies(self.folder)
        return score_to_files(self.folder, filled(task.score_options, options))

    def judge(
        self,
        model: "str | LanguageModel | Callable[[str], str] | None" = None,
        *,
        name: str | None = None,
        **options: Any,
    ) -> Progress:
        """Ask a model about every reply that it has not judged yet; :meth:`score` reads what it says.

        Args:
            model: See :func:`ask`.
            name: See :func:`ask`.
            options: How models are opened and how their replies are drawn, as for :func:`ask`.

        Raises:
            UserError: The model cannot be had, there is no such option, or nothing in the run is for a model to judge.
        """
        from selfknow.evaluate.judge import DECODING, judge_run
        from selfknow.evaluate.score import check_replies

        check_names(options, [ModelOptions, ReplyOptions], "judge")
        opening = filled(ModelOptions, {**options, "model": _named(model, name)})
        decoding = filled(ReplyOptions, options).applied_to(DECODING)
        check_replies(self.folder)
        progress = judge_run(self.folder, opening.language_model(), decoding)
        _warn_of_failures([progress])
        return progress

    def query(self, name: str, **options: Any) -> "pa.Table":
        """Run one of the package's queries over this run.

        Args:
            name: Such as ``self_aware_f1``; ``selfknow query`` lists them.
            options: The options of :func:`selfknow.connect`, such as ``corpora`` or ``portraits``.

        Returns:
            All rows, with the columns that the query's head names.

        Raises:
            UserError: There is no such query, or something that it needs is not there.
        """
        import duckdb

        from selfknow.evaluate.connection import connect
        from selfknow.sql.connection import query_error
        from selfknow.sql.queries import run_query

        with connect(self.folder, **options) as connection:
            try:
                return run_query(connection, name).to_arrow_table()
            except duckdb.Error as error:
                raise query_error(error) from error

    def compare(self, other: "Run", metric: str, **options: Any) -> "pa.Table":
        """Compare this run with another one, or two models or variants in it, paired by example.

        Args:
            other: The other side's run; this one, where both sides are in it.
            metric: Any that was scored on both sides, such as ``exact_match``.
            options: ``models`` and ``variants``, for both sides or for each; those of :func:`selfknow.connect`.

        Returns:
            One row (see :func:`selfknow.evaluate.connection.compare_runs`).

        Raises:
            UserError: The sides are not scored in this metric, are not told apart, or share no example.
        """
        from selfknow.evaluate.connection import compare_runs

        return compare_runs(self.folder, other.folder, metric, **options)


def ask(
    task: str,
    model: "str | LanguageModel | Callable[[str], str] | None" = None,
    *,
    out: str | Path,
    name: str | None = None,
    quiet: bool = False,
    **options: Any,
) -> Run:
    """Ask a model the questions of a task, and record every reply in a run folder; a stopped run goes on.

    Args:
        task: What is asked, as ``selfknow evaluate`` calls it: ``self-aware``, ``diary-recall:1k``, ``FOLDER:CONFIG``.
        model: A checkpoint folder, a GGUF file, a Hub id, with ``endpoint=`` the model's name there, or a function
            from a prompt to a reply. A function is known by its code and the values that it uses: a run goes on with
            the same one, and refuses another.
        out: The run folder.
        name: The name of a function that is known by it alone, whatever its code; needed for one that uses something
            without a value to compare, such as a client.
        quiet: Show no progress bar.
        options: The task's own, such as ``form="icl"``; how replies are drawn (``temperature``, ``max_new_tokens``,
            ``top_p``, ``seed``); how models are opened (``endpoint``, ``batch_size``, …). Each is a long option of
            ``selfknow evaluate`` with underscores.

    Raises:
        UserError: There is no such task or option, the model cannot be had, or the folder holds another run.

    Example:
        >>> def always_unsure(prompt: str) -> str:
        ...     return "I do not know."
        >>> run = ask("self-aware", always_unsure, out="runs/unsure", limit=10)  # doctest: +SKIP
    """
    (definition, own), folder = find_task(task), Path(out)
    check_names(options, [own, ModelOptions, ReplyOptions], task)
    chosen, opening = filled(own, options), filled(ModelOptions, {**options, "model": _named(model, name)})
    opening.check()
    rows = definition.open(task, chosen, folder)
    decoding = filled(ReplyOptions, options).applied_to(rows.decoding)
    models = definition.cast(chosen, opening, folder)
    progress = ask_task(definition, rows, chosen, models, folder, decoding, facts=opening.facts, quiet=quiet)
    _warn_of_failures(progress)
    return Run(folder, progress)


def _warn_of_failures(progress: Sequence[Progress]) -> None:
    for stage in progress:
        if stage.failure:
            warnings.warn(stage.failure, SelfknowWarning, stacklevel=3)


def _named(
    model: "str | LanguageModel | Callable[[str], str] | None", name: str | None
) -> "str | LanguageModel | Callable[[str], str] | None":
    """Return a function as the model of that name; without a name, the model as it is.

    Raises:
        UserError: There is a name, and the model is no function.
    """
    if name is None:
        return model
    if not callable(model) or isinstance(model, LanguageModel):
        raise UserError("name= is for a function: other models have names, and label= is how tables call them")
    from selfknow.models.function import FunctionModel

    return FunctionModel(model, name)


def check_names(values: Mapping[str, Any], options: Sequence[type[Any]], name: str) -> None:
    """Refuse an option that nobody here knows, with whose it is or which one is near.

    Raises:
        UserError: There is one.
    """
    known = [field_.name for of in options for field_ in fields(of)]
    for value in values:
        if value not in known:
            if others := set_patterns(value):
                raise UserError(f"the option {value} is for {', '.join(others)}, not for {name}")
            raise UserError(f"{name} has no option {value!r}{nearest(value, known)}")


def filled(options: type[OptionsClass], values: Mapping[str, Any]) -> OptionsClass:
    """Return an options class with those of these values that are its own."""
    own = {field_.name: _typed(values[field_.name], field_.type) for field_ in fields(options) if field_.name in values}
    return options(**own)


def _typed(value: Any, declared: Any) -> Any:
    """Return a value as its field declares it: a single text becomes a tuple or a path where the field holds one."""
    if get_origin(declared) is tuple and not isinstance(value, tuple):
        return (value,) if isinstance(value, str) else tuple(value)
    return Path(value) if isinstance(value, str) and Path in get_args(declared) else value
