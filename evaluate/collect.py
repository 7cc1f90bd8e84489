"""The collection of a model's replies in a run, which keeps every reply that arrives."""

from collections.abc import Sequence
from dataclasses import dataclass

from selfknow.evaluate.cost import Budget
from selfknow.models.any_reply import writable_reply
from selfknow.models.interface import LanguageModel, Reply, Request
from selfknow.models.interrupts import close, stop
from selfknow.models.progress import ProgressBar
from selfknow.runs.failures import describe_failures, most_common_reason
from selfknow.runs.writer import RunWriter


@dataclass(frozen=True)
class Progress:
    """The numbers of requests of one stage to one model.

    Attributes:
        stage: The stage.
        model: The model's name.
        requested: All requests, including those answered earlier.
        answered_before: Requests with a reply from an earlier call.
        answered: Requests that this call answered.
        failed: Requests that failed; the next call tries them again.
        reason: The most common error of the failed requests; null if none failed.
        left: Requests that were not sent because of a limit of the call.
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
        """One line on the number of failed requests and the most common error; null if none failed."""
        if not self.failed:
            return None
        return describe_failures(self.failed, self.requested, self.reason)


def collect(
    run: RunWriter,
    model: LanguageModel,
    requests: Sequence[Request],
    *,
    stage: str = "answer",
    budget: Budget | None = None,
    quiet: bool = False,
) -> Progress:
    """Send the requests that a run has no reply to, and write every reply as soon as it arrives.

    Args:
        run: An open run; its description has the decoding.
        model: The model to ask.
        requests: All requests, answered or not; no two may be the same call.
        stage: The name in the progress bar.
        budget: The limits of the call; null for none.
        quiet: Show no progress bar.

    Raises:
        ValueError: Two requests are the same call.
        KeyboardInterrupt: The user stopped the call; the note says how many replies the run keeps.
    """
    if len({request.key for request in requests}) != len(requests):
        raise ValueError("two requests are the same call: give them different variants or samples")
    budget = budget or Budget()
    pending: Sequence[Request] = run.pending(model.name, model.revision, requests)
    answered_before = len(requests) - len(pending)
    try:
        with ProgressBar(stage, model, len(requests), answered_before, quiet=quiet) as bar:
            recorder = _Recorder(run, model, budget, bar)
            while batch := budget.affordable(model, pending, run.decoding):
                pending = pending[len(batch) :]
                budget.spend_requests(len(batch))
                recorder.record_all(batch)
    except KeyboardInterrupt as stopped:
        run.flush()
        num_answered = len(requests) - len(run.pending(model.name, model.revision, requests))
        count = f"{num_answered:,} of {len(requests):,} replies"
        stopped.add_note(f"{run.folder} keeps {count}; give the same command again to resume")
        raise
    finally:
        run.flush()
    left, answered = len(pending), recorder.num_answered
    failed = len(requests) - answered_before - answered - left
    reason = most_common_reason(recorder.errors.values())
    return Progress(stage, model.name, len(requests), answered_before, answered, failed, reason, left)


class _Recorder:
    """The recorder of a model's replies in a run; it counts the answered requests."""

    def __init__(self, run: RunWriter, model: LanguageModel, budget: Budget, bar: ProgressBar) -> None:
        self._run, self._model, self._budget, self._bar = run, model, budget, bar
        self.errors: dict[object, str | None] = {}

    @property
    def num_answered(self) -> int:
        """The number of requests whose last reply is no failure."""
        return sum(error is None for error in self.errors.values())

    def record_all(self, requests: Sequence[Request]) -> None:
        """Send requests and record replies as they arrive; after Ctrl-C, also those that a server had already sent."""
        replies = iter(self._model.generate(requests, self._run.decoding))
        last: tuple[Request, Reply] | None = None
        try:
            for last in replies:
                self._record(*last)
                last = None
        except KeyboardInterrupt as interrupt:
            if last and self._run.pending(self._model.name, self._model.revision, [last[0]]):
                self._record(*last)
            for request, reply in stop(replies, interrupt):
                self._record(request, reply)
            raise
        finally:
            close(replies)

    def _record(self, request: Request, answer: Reply) -> None:
        reply = writable_reply(request, answer)
        self._run.append(self._model.name, self._model.revision, request, reply)
        self.errors[request.key] = reply.error
        self._budget.spend_tokens(self._model, request, reply)
        self._bar.count(reply)
