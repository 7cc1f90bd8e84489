"""The Python interface: :func:`ask` asks a model a task and returns the run."""

import warnings
from pathlib import Path
from typing import Any, Unpack, overload

from selfknow.errors import SelfknowWarning
from selfknow.evaluate.arguments import (
    AccordingToArguments,
    AccordingToSet,
    AgentArguments,
    AgentSet,
    BenchmarkArguments,
    BenchmarkSet,
    ContinuationArguments,
    ContinuationSet,
    DiaryArguments,
    DiarySet,
    Gsm8kArguments,
    MathematicsSet,
    PictureArguments,
    PictureSet,
    SampledArguments,
    SelfAwareArguments,
    SelfAwareSet,
    SelfKnowledgeArguments,
    StrPath,
    TextSet,
)
from selfknow.evaluate.ask import ask_task
from selfknow.evaluate.catalogue import find_task
from selfknow.evaluate.cost import Budget, CostOptions
from selfknow.evaluate.named_options import check_names, options_from, with_values
from selfknow.evaluate.run_folder import AnyModel, Run, named_model, warn_of_failures
from selfknow.evaluate.task import Options
from selfknow.models.interface import ReplyOptions
from selfknow.models.opening import ModelOptions

__all__ = ["Run", "ask"]


@overload
def ask(task: DiarySet, model: AnyModel = None, *, out: StrPath, **arguments: Unpack[DiaryArguments]) -> Run: ...
@overload
def ask(
    task: SelfAwareSet, model: AnyModel = None, *, out: StrPath, **arguments: Unpack[SelfAwareArguments]
) -> Run: ...
@overload
def ask(task: TextSet, model: AnyModel = None, *, out: StrPath, **arguments: Unpack[SelfKnowledgeArguments]) -> Run: ...
@overload
def ask(task: PictureSet, model: AnyModel = None, *, out: StrPath, **arguments: Unpack[PictureArguments]) -> Run: ...
@overload
def ask(
    task: BenchmarkSet, model: AnyModel = None, *, out: StrPath, **arguments: Unpack[BenchmarkArguments]
) -> Run: ...
@overload
def ask(task: AgentSet, model: AnyModel = None, *, out: StrPath, **arguments: Unpack[AgentArguments]) -> Run: ...
@overload
def ask(
    task: AccordingToSet, model: AnyModel = None, *, out: StrPath, **arguments: Unpack[AccordingToArguments]
) -> Run: ...
@overload
def ask(
    task: ContinuationSet, model: AnyModel = None, *, out: StrPath, **arguments: Unpack[ContinuationArguments]
) -> Run: ...
@overload
def ask(task: MathematicsSet, model: AnyModel = None, *, out: StrPath, **arguments: Unpack[Gsm8kArguments]) -> Run: ...
@overload
def ask(
    task: str,
    model: AnyModel = None,
    *,
    out: StrPath,
    options: Options | None = None,
    **arguments: Unpack[SampledArguments],
) -> Run: ...
def ask(
    task: str,
    model: AnyModel = None,
    *,
    out: StrPath,
    options: Options | None = None,
    name: str | None = None,
    quiet: bool = False,
    **arguments: Any,
) -> Run:
    """Ask a model the questions of a task, and write every reply to a run folder; a stopped run resumes.

    Args:
        task: The task's name in ``selfknow evaluate``: ``self-aware``, ``diary-recall:1k``, ``FOLDER:CONFIG``.
        model: A checkpoint folder, a GGUF file, a Hub id, the name of a model served at the address given as
            ``endpoint=``, or a function from a prompt to a reply. A function is identified by its code and the values
            that it uses: a run resumes only with the same function.
        out: The run folder. Call again with a larger ``limit=`` to ask only the questions not asked yet.
        options: The task's options as an object, such as ``SelfAwareOptions(form="icl")``, so that mypy checks them
            even for a set of your own.
        name: A name that identifies a function instead of its code; needed if the function uses an object that cannot
            be compared, such as a client.
        quiet: Show no progress bar.
        arguments: The task's own options, such as ``form="icl"`` (:func:`selfknow.tasks` lists them); how replies are
            drawn (``temperature``, ``max_new_tokens``, ``top_p``, ``seed``); how models are opened (``endpoint``,
            ``batch_size``, …); and what the call may cost (``dry_run``, ``max_requests``, ``max_tokens``).

    Raises:
        UserError: There is no such task or option, the model is not available, or the folder holds another run.

    Example:
        >>> def always_unsure(prompt: str) -> str:
        ...     return "I do not know."
        >>> run = ask("self-aware", always_unsure, out="runs/unsure", limit=10)  # doctest: +SKIP
    """
    definition, options_class = find_task(task)
    folder = Path(out)
    check_names(arguments, [options_class, ModelOptions, ReplyOptions, CostOptions], task)
    task_options = with_values(options, options_class, arguments)
    cost = options_from(CostOptions, arguments)
    opening = options_from(ModelOptions, {**arguments, "model": named_model(model, name)})
    opening.check()
    rows = definition.open(task, task_options, folder)
    decoding = options_from(ReplyOptions, arguments).applied_to(rows.decoding)
    if cost.dry_run:
        from selfknow.evaluate.dry_run import count_run

        return Run(folder, cost=count_run(definition, rows, task_options, opening, folder, decoding))
    models = definition.open_models(task_options, opening, folder)
    budget = Budget(cost)
    progress = ask_task(
        definition, rows, task_options, models, folder, decoding, facts=opening.facts, budget=budget, quiet=quiet
    )
    warn_of_failures(progress)
    stop_message = None
    for stage_progress in progress:
        if stage_progress.left:
            stop_message = budget.stop_message(stage_progress.stage, stage_progress.left, stage_progress.requested)
            break
    if stop_message:
        warnings.warn(stop_message, SelfknowWarning, stacklevel=2)
    return Run(folder, progress, stop_message)
