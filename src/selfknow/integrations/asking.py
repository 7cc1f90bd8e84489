"""A task of this package for another evaluation tool: its samples, the requests of later stages, and its scores.

The prompts come from the task's stages and the scores from the task's scorer; the tool only provides the replies.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from selfknow.errors import UserError
from selfknow.evaluate.catalogue import find_task
from selfknow.evaluate.named_options import check_names, options_from
from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.task import FinishedRun, Options, Row, Rows, SoFar, Stage, Task
from selfknow.integrations.option_values import as_declared
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.options import check_options
from selfknow.runs.importers.own_task import OwnSample, column_types, example_rows
from selfknow.runs.schema import GENERATIONS

_NOWHERE = Path(os.devnull)  # stands for a run folder, since none is written
# Names of metrics hold their stage only after the first two stages, in which a model writes and answers about its text.
_PLAIN_STAGES = 2


@dataclass(frozen=True)
class Call:
    """A request with its reply."""

    request: Request
    reply: Reply

    def as_row(self, index: int) -> dict[str, Any]:
        """Return the call as a row of ``generations``; its id is its index in the list of calls."""
        request, reply = self.request, self.reply
        return {
            "generation_id": str(index),
            "run_id": "",
            "attempt": 0,
            "model": "",
            "prompt": reply.rendered_prompt or request.text,
            "messages": reply.messages,
            "created_at": datetime.now(UTC),
            **{name: getattr(request, name) for name in ("example_id", "stage", "variant", "sample")},
            "parent_generation_id": request.parent_generation_id,
            **{name: getattr(reply, name) for name in ("generation", "finish_reason", "error")},
            **{name: getattr(reply, name) for name in ("prompt_tokens", "completion_tokens", "logprob")},
        }


@dataclass(frozen=True)
class _CallsSoFar(SoFar):
    """The state of a run without a folder: the calls of one sample."""

    calls: Sequence[Call] = ()

    @cached_property
    def replies(self) -> list[Row]:
        """Calls as rows of ``generations``."""
        return [call.as_row(index) for index, call in enumerate(self.calls)]


@dataclass(frozen=True)
class Asking:
    """An opened task with its rows, for another tool.

    Attributes:
        task: The task.
        options: The task's options.
        rows: The task's rows.
        decoding: The decoding of the task's paper.
    """

    task: Task[Any, Any]
    options: Options
    rows: Rows
    decoding: Decoding

    @classmethod
    def open(cls, name: str, **options: Any) -> "Asking":
        """Open a task and its dataset.

        Args:
            name: The name for ``selfknow evaluate``, such as ``self-aware:authored``.
            options: The task's own options, such as ``form="icl"``, as the tool's command line reads them.

        Raises:
            UserError: The dataset, an option or a value is unknown; or the task is about pictures, or asks questions
                that belong to no sample.
        """
        task, options_class = find_task(name)
        check_names(options, [options_class], name)
        declared = {field.name: field.type for field in fields(options_class)}
        option_values = {option: as_declared(option, value, declared[option]) for option, value in options.items()}
        if "examples" in declared:  # other tools send only the prompts, so completion models get no worked examples
            option_values["examples"] = False
        values = options_from(options_class, option_values)
        check_options(values, options_class)
        if hasattr(values, "has_pictures"):
            raise UserError(f"{name} is about pictures, which other tools do not get: use `selfknow evaluate {name}`")
        if hasattr(values, "benchmark"):
            raise UserError(
                f"{name} also asks questions that belong to no sample of another tool: use `selfknow evaluate {name}`"
            )
        rows = task.open(name, values, _NOWHERE)
        return cls(task, values, rows, rows.decoding)

    @cached_property
    def stages(self) -> Sequence[Stage]:
        """The stages of the task, in order."""
        return self.task.stages(self.options, self.rows)

    @cached_property
    def row_list(self) -> list[Row]:
        """The rows as dictionaries."""
        return list(self.rows.table.to_pylist())

    @cached_property
    def openings(self) -> list[Request]:
        """The first request of each sample, in the order of the rows."""
        return list(self.stages[0].requests(SoFar(_NOWHERE, self.row_list)))

    def follow_ups(self, stage: Stage, calls: Sequence[Call]) -> list[Request]:
        """Return a later stage's requests after the calls of a sample; a parent's id is its index among the calls."""
        return list(stage.requests(_CallsSoFar(_NOWHERE, self.row_list, calls)))

    def sample(self, opening: Request) -> OwnSample:
        """Return the record of a sample for another tool's log, with which the log can be imported."""
        row = self._rows_by_id[opening.example_id]
        return replace(self._origin, row=row, stage=opening.stage, variant=opening.variant)

    def scores(self, calls: Sequence[Call]) -> dict[str, Outcome[float]]:
        """Score the calls of one sample with the task's scorer.

        Args:
            calls: All calls in order, the opening first.

        Returns:
            The outcomes by metric. The name of a metric begins with its stage (from the third stage on) and its variant
            (if the stage has several), such as ``verify-dual/all_correct``.
        """
        scores = score_calls(self.sample(calls[0].request), calls)
        return {self._metric_name(calls, index, metric): outcome for index, metric, outcome in scores}

    @cached_property
    def _rows_by_id(self) -> Mapping[str, Row]:
        return {row["id"]: row for row in self.row_list}

    @cached_property
    def _origin(self) -> OwnSample:
        return OwnSample(
            self.task.name,
            self.rows.reference.as_json(),
            self.decoding.as_json(),
            dict(self.rows.settings),
            column_types(self.rows.table.schema),
        )

    def _metric_name(self, calls: Sequence[Call], index: int, metric: str) -> str:
        request = calls[index].request
        stages = [stage.name for stage in self.stages]
        variants = {call.request.variant for call in calls if call.request.stage == request.stage}
        parts = []
        if stages.index(request.stage) >= _PLAIN_STAGES:
            parts.append(request.stage)
        if len(variants) > 1:
            parts.append(request.variant)
        return "/".join([*parts, metric])


def score_calls(sample: OwnSample, calls: Sequence[Call]) -> Iterator[tuple[int, str, Outcome[float]]]:
    """Score the calls of a sample with its task's scorer.

    Args:
        sample: The sample.
        calls: All of the sample's calls, in order.

    Yields:
        The index of the call, the metric, and its value or the reason why there is none.
    """
    task = find_task(sample.task).task
    generations = pa.Table.from_pylist([call.as_row(index) for index, call in enumerate(calls)], schema=GENERATIONS)
    generations = generations.append_column("whole", pa.nulls(len(calls), pa.string()))
    run = FinishedRun(
        _NOWHERE, {"task": sample.task, "settings": dict(sample.settings)}, [generations], example_rows([sample])
    )
    tables = (table for scores in task.score(run, task.score_options()) for table in scores.tables.values())
    for row in chain.from_iterable(table.to_pylist() for table in tables):
        yield int(row["generation_id"]), row["metric"], Outcome(row["value"], row["reason"])


def cut_at_stop(text: str, stop: Sequence[str]) -> str:
    r"""Cut a reply at its first stop sequence, since some tools leave it in the reply.

    Example:
        >>> cut_at_stop("Nobody knows.\nQuestion: Why?", ["\nQuestion:"])
        'Nobody knows.'
    """
    return min((text.partition(end)[0] for end in stop), key=len, default=text)


def metric_names(asking: Asking) -> list[str]:
    """List the metrics that other tools show for every sample; a metric that does not apply to a sample is null."""
    settings, stages = asking.rows.settings, [stage.name for stage in asking.stages]
    names = list(METRICS[asking.task.name])
    if asking.task.name == "according-to":
        names = [*_QUIP_METRICS, *_FORMAT_METRICS[str(settings["format"])]]
        if len(stages) > 1:  # the second of the two steps is asked under every prompt
            prompts = cast("list[str]", settings["prompts"])
            names = [f"{prompt}/{name}" if len(prompts) > 1 else name for prompt in prompts for name in names]
    return names + [f"{stage}/{name}" for stage in stages[_PLAIN_STAGES:] for name in _LATER_METRICS[stage]]


_QUIP_METRICS = ("quip", "quip_zero", "quip_corrected")
_FORMAT_METRICS = {
    "short": ("exact_match", "f1", "whole_word_match", "has_explanation"),
    "two-step": ("exact_match", "f1", "whole_word_match"),
    "long": ("rouge_l",),
    "long-answer": ("rouge_l",),
}
_WRITING_METRICS = ("generation_correct", "leaks_answer")
_VERIFICATION_METRICS = ("reply_parsed", "verification_correct", "self_consistent", "all_correct")
_LATER_METRICS = {
    "dual": _WRITING_METRICS,
    "verify-dual": _VERIFICATION_METRICS,
    "verify-kept": _VERIFICATION_METRICS,
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
    "according-to": (*_QUIP_METRICS, *_FORMAT_METRICS["short"]),
    "self-knowledge": (*_WRITING_METRICS, *_VERIFICATION_METRICS),
}
"""The metrics that other tools show for a sample, by task."""
