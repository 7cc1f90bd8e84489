"""The driver of every task: it asks stage after stage, and writes down every reply as it comes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfknow.errors import UserError
from selfknow.evaluate.cost import Budget
from selfknow.evaluate.task import Models, Options, Reuse, ReusedReply, Row, Rows, SoFar, Stage, Task
from selfknow.models.any_reply import writable_reply
from selfknow.models.facts import ModelFacts
from selfknow.models.interface import Decoding, LanguageModel, Request
from selfknow.models.progress import ProgressBar
from selfknow.runs.description import RunDescription
from selfknow.runs.failures import describe_failures, most_common_reason
from selfknow.runs.functions import check_functions
from selfknow.runs.precision import check_precision
from selfknow.runs.writer import RunWriter


@dataclass(frozen=True)
class Progress:
    """The number of requests that one stage made of one model, and what came of them.

    Attributes:
        stage: The stage.
        model: The model's name.
        requested: All requests of this model, those answered earlier included.
        answered_before: Requests that the run already held a reply to.
        answered: Requests that were answered now.
        failed: Requests that have no reply even now; ask again to try them again.
        reason: Why most of these failed; null if none did.
        left: Requests that a limit of the call left for the next one.
    """

    stage: str
    model: str
    requested: int
    answered_before: int
    answered: int
    failed: int
    reason: str | None = None
    left: int = 0

    @property
    def failure(self) -> str | None:
        """Say in one line how many failed and why; null if none did."""
        if not self.failed:
            return None
        return describe_failures(self.failed, self.requested, self.reason)


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
    """Ask models a task's rows; a run that was stopped goes on where it was.

    Args:
        task: The task.
        rows: Its rows, as the task opened them.
        options: Its options.
        models: The models that are asked.
        folder: The run folder.
        decoding: The decoding of replies.
        facts: Facts that the user gives about the writers; they take the place of what the models know of themselves.
        budget: The requests that may be sent; null: all.
        quiet: Show no progress bar.

    Returns:
        The progress of each stage and model, in order; where the budget ends, the last one has requests left.

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
        _take_over(run, replies)
        listed = rows.table.to_pylist()
        for stage in task.stages(options, rows):
            run.flush()
            so_far = SoFar(folder, listed)
            requests = list(stage.requests(so_far))
            for model, own in _shared_out(stage, requests, so_far, models):
                progress.append(collect(run, model, own, stage=stage.name, budget=budget, quiet=quiet))
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


def _take_over(run: RunWriter, replies: Sequence[ReusedReply]) -> None:
    for earlier in replies:
        if run.pending(earlier.model, earlier.revision, [earlier.request]):
            if earlier.keep:
                earlier.keep(run.folder)
            run.append(earlier.model, earlier.revision, earlier.request, earlier.reply)


def _shared_out(
    stage: Stage, requests: Sequence[Request], so_far: SoFar, models: Models
) -> list[tuple[LanguageModel, list[Request]]]:
    """Return each model with its share of a stage's requests (see :class:`Stage`)."""
    if stage.by_verifier and models.verifiers is not None:
        return [(model, list(requests)) for model in models.verifiers]
    roots = list(zip(requests, _writers_of_roots(requests, so_far), strict=True))
    return [
        (model, [request for request, writer in roots if writer in (None, (model.name, model.revision))])
        for model in models.writers
    ]


def _writers_of_roots(requests: Sequence[Request], so_far: SoFar) -> list[tuple[str, str | None] | None]:
    """Return for each request the writer of the text that it goes back to; null for one without a parent."""
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


def collect(
    run: RunWriter,
    model: LanguageModel,
    requests: Sequence[Request],
    *,
    stage: str = "answer",
    budget: Budget | None = None,
    quiet: bool = False,
) -> Progress:
    """Answer all requests that a run holds no reply to; every reply is written down, whatever stops the rest.

    Args:
        run: An open run; its description says how replies are drawn.
        model: The model that is asked.
        requests: All requests, answered or not; no two may be the same call.
        stage: Their name in the progress bar.
        budget: The requests that may be sent; null: all.
        quiet: Show no progress bar.

    Raises:
        ValueError: Two requests are the same call.
        KeyboardInterrupt: The user stopped it; its note says what the run keeps.
    """
    if len({request.key for request in requests}) != len(requests):
        raise ValueError("two requests are the same call: give them different variants or samples")
    budget = budget or Budget()
    pending: Sequence[Request] = run.pending(model.name, model.revision, requests)
    answered_before, answered, tried = len(requests) - len(pending), 0, 0
    errors: dict[object, str | None] = {}
    try:
        with ProgressBar(stage, model, len(requests), answered_before, quiet=quiet) as bar:
            while batch := budget.affordable(model, pending, run.decoding):
                pending = pending[len(batch) :]
                budget.spend_requests(len(batch))
                tried += len(batch)
                for request, answer in model.generate(batch, run.decoding):
                    reply = writable_reply(request, answer)
                    run.append(model.name, model.revision, request, reply)
                    budget.spend_tokens(model, request, reply)
                    bar.count(reply)
                    answered += reply.error is None
                    errors[request.key] = reply.error
    except KeyboardInterrupt as stopped:
        run.flush()
        count = f"{answered_before + answered:,} of {len(requests):,} replies"
        stopped.add_note(f"{run.folder} keeps {count}; give the same command again to resume")
        raise
    finally:
        run.flush()
    reason = most_common_reason(errors.values())
    failed, left = tried - answered, len(pending)
    return Progress(stage, model.name, len(requests), answered_before, answered, failed, reason, left)
