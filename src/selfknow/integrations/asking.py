"""A task of this package as another tool asks it: its samples, what follows upon a reply, and its own scores.

Whatever the tool, the prompts come from the task's stages and the scores from the task's scorer; the tool only brings
the replies.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from selfknow.errors import UserError
from selfknow.evaluate.catalogue import find_task
from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.run import check_names, filled
from selfknow.evaluate.task import FinishedRun, Options, Row, Rows, SoFar, Stage, Task
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.runs.importers.own_task import OwnSample, table_of, types_of
from selfknow.runs.schema import GENERATIONS

_NOWHERE = Path(os.devnull)  # no run folder is written, so none holds anything of an earlier run
_PLAIN_STAGES = 2  # those of a task that writes and is then asked about it


@dataclass(frozen=True)
class Call:
    """A request with its reply, as a place in a list that says which call it goes back to."""

    request: Request
    reply: Reply

    def as_row(self, place: int) -> dict[str, Any]:
        """As a row of ``generations``; its id is its place in the list of calls."""
        request, reply = self.request, self.reply
        return {
            "generation_id": str(place),
            "run_id": "",
            "attempt": 0,
            "model": "",
            "prompt": reply.rendered_prompt or request.prompt,
            "created_at": datetime.now(UTC),
            **{name: getattr(request, name) for name in ("example_id", "stage", "variant", "sample")},
            "parent_generation_id": request.parent_generation_id,
            **{name: getattr(reply, name) for name in ("generation", "finish_reason", "error")},
            **{name: getattr(reply, name) for name in ("prompt_tokens", "completion_tokens", "logprob")},
        }


@dataclass(frozen=True)
class _Said(SoFar):
    """A run that is in no folder: the calls of one sample."""

    calls: Sequence[Call] = ()

    @cached_property
    def replies(self) -> list[Row]:
        """The calls, as rows of ``generations``."""
        return [call.as_row(place) for place, call in enumerate(self.calls)]


@dataclass(frozen=True)
class Asking:
    """A task with the rows that are asked.

    Attributes:
        task: The task.
        options: Its options.
        rows: Its rows.
        decoding: How its paper draws replies.
    """

    task: Task[Any, Any]
    options: Options
    rows: Rows
    decoding: Decoding

    @classmethod
    def open(cls, name: str, **options: Any) -> "Asking":
        """Open a set of a task.

        Args:
            name: As ``selfknow evaluate`` calls it, such as ``self-aware:authored``.
            options: The task's own, such as ``form="icl"``.

        Raises:
            UserError: There is no such set or option, or the task shows or draws pictures.
        """
        task, own = find_task(name)
        check_names(options, [own], name)
        # Other tools send the prompts alone, so completion models are shown no worked examples.
        without = {"examples": False} if any(one.name == "examples" for one in fields(own)) else {}
        chosen = filled(own, {**options, **without})
        if hasattr(chosen, "has_pictures"):
            raise UserError(
                f"{name} is about pictures, which other tools are not given: use `selfknow evaluate {name}`"
            )
        rows = task.open(name, chosen, _NOWHERE)
        return cls(task, chosen, rows, rows.decoding)

    @cached_property
    def stages(self) -> Sequence[Stage]:
        """The steps of the task, in order."""
        return self.task.stages(self.options, self.rows)

    @cached_property
    def listed(self) -> list[Row]:
        """The rows."""
        return list(self.rows.table.to_pylist())

    @cached_property
    def openings(self) -> list[Request]:
        """What is asked first: a sample each, in the order of the rows."""
        return list(self.stages[0].requests(SoFar(_NOWHERE, self.listed)))

    def follow_ups(self, stage: Stage, calls: Sequence[Call]) -> list[Request]:
        """What a later stage asks upon the calls of one sample; a parent is named by its place among them."""
        return list(stage.requests(_Said(_NOWHERE, self.listed, calls)))

    def sample(self, opening: Request) -> OwnSample:
        """What another tool's log carries of a sample, so that it can be imported."""
        return replace(self._origin, row=self._by_id[opening.example_id], stage=opening.stage, variant=opening.variant)

    def scores(self, calls: Sequence[Call]) -> dict[str, Outcome[float]]:
        """What the task's scorer says of the calls of one sample.

        Args:
            calls: In order, the opening first.

        Returns:
            By metric. The metrics of a third or later stage begin with its name, and those of a stage that is asked in
            several variants with the variant.
        """
        scored = score_calls(self.sample(calls[0].request), calls)
        return {self._metric(calls, place, metric): outcome for place, metric, outcome in scored}

    @cached_property
    def _by_id(self) -> Mapping[str, Row]:
        return {row["id"]: row for row in self.listed}

    @cached_property
    def _origin(self) -> OwnSample:
        return OwnSample(
            self.task.name,
            self.rows.reference.as_json(),
            self.decoding.as_json(),
            dict(self.rows.settings),
            types_of(self.rows.table.schema),
        )

    def _metric(self, calls: Sequence[Call], place: int, metric: str) -> str:
        request = calls[place].request
        names = [stage.name for stage in self.stages]
        of_stage = {call.request.variant for call in calls if call.request.stage == request.stage}
        return "/".join(
            [
                *([request.stage] if names.index(request.stage) >= _PLAIN_STAGES else []),
                *([request.variant] if len(of_stage) > 1 else []),
                metric,
            ]
        )


def score_calls(own: OwnSample, calls: Sequence[Call]) -> Iterator[tuple[int, str, Outcome[float]]]:
    """What the scorer of a sample's task says of its calls.

    Args:
        own: The sample.
        calls: All of them, in order.

    Yields:
        The place of the call, the metric, and its value or why there is none.
    """
    task = find_task(own.task).task
    made = pa.Table.from_pylist([call.as_row(place) for place, call in enumerate(calls)], schema=GENERATIONS)
    run = FinishedRun(_NOWHERE, {"task": own.task, "settings": dict(own.settings)}, made, table_of([own]))
    for table in task.score(run, task.score_options()).tables.values():
        for row in table.to_pylist():
            yield int(row["generation_id"]), row["metric"], Outcome(row["value"], row["reason"])


def cut_at_stop(text: str, stop: Sequence[str]) -> str:
    r"""A reply up to the first text that ends one; some tools leave that in.

    Example:
        >>> cut_at_stop("Nobody knows.\nQuestion: Why?", ["\nQuestion:"])
        'Nobody knows.'
    """
    return min((text.partition(end)[0] for end in stop), key=len, default=text)


def metric_names(asking: Asking) -> list[str]:
    """The metrics that every sample of a task gets in other tools; null where one does not apply to a sample."""
    settings, stages = asking.rows.settings, [stage.name for stage in asking.stages]
    names = list(METRICS[asking.task.name])
    if asking.task.name == "according-to":
        names = [*_QUIP, *_TASK_METRICS[str(settings["format"])]]
        if len(stages) > 1:  # of the two steps the second is asked under every prompt
            prompts = cast("list[str]", settings["prompts"])
            names = [f"{prompt}/{name}" if len(prompts) > 1 else name for prompt in prompts for name in names]
    return names + [f"{stage}/{name}" for stage in stages[_PLAIN_STAGES:] for name in _LATER[stage]]


_QUIP = ("quip", "quip_zero", "quip_corrected")
_TASK_METRICS = {
    "short": ("exact_match", "f1", "whole_word_match", "has_explanation"),
    "two-step": ("exact_match", "f1", "whole_word_match"),
    "long": ("rouge_l",),
    "long-answer": ("rouge_l",),
}
_WRITTEN = ("generation_correct", "leaks_answer")
_VERIFIED = ("reply_parsed", "verification_correct", "self_consistent", "all_correct")
_LATER = {
    "dual": _WRITTEN,
    "verify-dual": _VERIFIED,
    "verify-kept": _VERIFIED,
    "verify-broken": ("reply_parsed", "verification_correct", "answer_changed"),
}
METRICS: Mapping[str, tuple[str, ...]] = {
    "diary-recall": (
        *("exact_match", "right_count", "right_content"),
        *("documents_recalled", "documents_target", "documents_correct"),
    ),
    "self-aware": (
        *("sentences_abstained", "sentences_hedged", "sentences_refused"),
        *("whole_word_match", "exact_match", "f1", "substring_match"),
    ),
    "according-to": (*_QUIP, *_TASK_METRICS["short"]),
    "self-knowledge": (*_WRITTEN, *_VERIFIED),
}
"""By task, what other tools show of a sample."""
