"""The driver of every task, which asks stage after stage and writes every reply to the run folder."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from selfknow.errors import UserError
from selfknow.evaluate.collect import Progress, collect
from selfknow.evaluate.cost import Budget
from selfknow.evaluate.task import Models, Options, Reuse, ReusedReply, Row, Rows, SoFar, Stage, Task
from selfknow.models.facts import ModelFacts
from selfknow.models.interface import Decoding, LanguageModel, Request
from selfknow.runs.description import RunDescription
from selfknow.runs.functions import check_functions
from selfknow.runs.precision import check_precision
from selfknow.runs.writer import RunWriter


def ask_task(
    task: Task[Any, Any],
    rows: Rows,
    options: Options,
    models: Models,
    folder: Path,
    decoding: Decoding,
    *,
    facts: ModelFacts | None = None,
    budget: Budget | None = None,
    quiet: bool = False,
) -> list[Progress]:
    """Ask models a task's rows; a stopped run resumes.

    Args:
        task: The task.
        rows: The rows that the task opened.
        options: The task's options.
        models: The models to ask.
        folder: The run folder.
        decoding: The decoding of replies.
        facts: The user's facts about the writers; they replace those that the models state themselves.
        budget: The limits of the call; null for none.
        quiet: Show no progress bar.

    Returns:
        The progress of each stage and model, in order. If the budget is used up, the last one has requests left.

    Raises:
        UserError: The folder holds another run, or nothing in an earlier run can be reused.
    """
    settings = {**rows.settings, **models.settings}
    description = RunDescription(task.name, rows.reference, decoding, settings)
    replies = _replies_to_reuse(rows.reuse, models.writers) if rows.reuse else []
    progress: list[Progress] = []
    with RunWriter.open(folder, description, rows.table, annotations=rows.annotations) as run:
        check_functions(run, [*models.writers, *(models.verifiers or ())])
        for model in [*models.writers, *(models.verifiers or ())]:
            check_precision(run, model)
        for model in models.writers:
            run.describe_model(model.name, model.revision, facts_of(model).updated(facts or ModelFacts()))
        for model in models.verifiers or ():
            run.describe_model(model.name, model.revision, facts_of(model))
        _copy_replies(run, replies)
        row_list = rows.table.to_pylist()
        for stage in task.stages(options, rows):
            run.flush()
            so_far = SoFar(folder, row_list)
            requests = list(stage.requests(so_far))
            for model, requests_of_model in _share_out(stage, requests, so_far, models):
                progress.append(collect(run, model, requests_of_model, stage=stage.name, budget=budget, quiet=quiet))
                if progress[-1].left:
                    return progress
    return progress


def facts_of(model: LanguageModel) -> ModelFacts:
    """Return the facts that a model states about itself."""
    facts = getattr(model, "facts", None)
    if isinstance(facts, ModelFacts):
        return facts
    return ModelFacts(num_parameters=getattr(model, "num_parameters", None))


def _replies_to_reuse(reuse: Reuse, writers: Sequence[LanguageModel]) -> list[ReusedReply]:
    """Return the replies of the writers in an earlier run; without writers, those of every model."""
    names = {model.name for model in writers}
    replies = [reply for reply in reuse.replies if not names or reply.model in names]
    if not replies:
        by = f" by {', '.join(sorted(names))}" if names else ""
        raise UserError(
            f"{reuse.folder} holds nothing to reuse: expected {reuse.wanted}{by}, and "
            f"{', '.join(reuse.writers) or 'nobody'} wrote in it"
        )
    return replies


def _copy_replies(run: RunWriter, replies: Sequence[ReusedReply]) -> None:
    for earlier in replies:
        if run.pending(earlier.model, earlier.revision, [earlier.request]):
            if earlier.keep:
                earlier.keep(run.folder)
            run.append(earlier.model, earlier.revision, earlier.request, earlier.reply)


def _share_out(
    stage: Stage, requests: Sequence[Request], so_far: SoFar, models: Models
) -> list[tuple[LanguageModel, list[Request]]]:
    """Return the requests of each model in a stage (see :class:`Stage`)."""
    if stage.by_verifier and models.verifiers is not None:
        return [(model, list(requests)) for model in models.verifiers]
    roots = list(zip(requests, _writers_of_roots(requests, so_far), strict=True))
    return [
        (model, [request for request, writer in roots if writer in (None, (model.name, model.revision))])
        for model in models.writers
    ]


def _writers_of_roots(requests: Sequence[Request], so_far: SoFar) -> list[tuple[str, str | None] | None]:
    """Return the writer of the text that each request is about, as name and revision; None without a parent."""
    if all(request.parent_generation_id is None for request in requests):
        return [None] * len(requests)
    by_id = {row["generation_id"]: row for row in so_far.replies}
    return [_root(by_id, request.parent_generation_id) for request in requests]


def _root(by_id: Mapping[str, Row], generation_id: str | None) -> tuple[str, str | None] | None:
    root: Row | None = None
    while generation_id is not None and generation_id in by_id:
        root = by_id[generation_id]
        generation_id = root["parent_generation_id"]
    return None if root is None else (root["model"], root["revision"])
