"""The tasks as Inspect runs them: ``inspect eval selfknow/self_aware --model …`` (extra ``[inspect]``).

Inspect finds them by the entry point ``inspect_ai``. A sample begins with one request of the task's first stage; later
stages follow upon it within the sample. Every value is our own scorer's, NaN where it gives none (Inspect counts such
samples as unscored), and ``selfknow import inspect`` makes the log a run.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from selfknow.errors import MissingExtraError
from selfknow.integrations.asking import Asking, Call, cut_at_stop, metric_names
from selfknow.models.interface import Reply, Request
from selfknow.runs.importers.own_task import CALLS, MARK

try:
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageUser, GenerateConfig
    from inspect_ai.scorer import Metric, Score, Scorer, Target, grouped, mean, scorer, stderr
    from inspect_ai.solver import Generate, Solver, TaskState, solver
except ImportError as error:
    raise MissingExtraError("running the tasks in Inspect", "inspect") from error

_FINISH = {"stop": "stop", "max_tokens": "length", "model_length": "length"}
_SILENT = "hf"  # this provider says `stop` of a reply that was cut off, too
_VARIANT = "variant"


@task
def diary_recall(dataset: str = "diary-recall:1k", split: str = "test", limit: int | None = None) -> Task:
    """Does a model know how much it knows? It recalls all of a diarist's entries (Prato et al., section 3.2).

    Args:
        dataset: As ``selfknow evaluate`` takes it: ``diary-recall:1k``, ``FOLDER:CONFIG`` or ``ORG/NAME:CONFIG``.
        split: The split whose questions are asked.
        limit: Ask only so many.
    """
    return _task(dataset, split=split, limit=limit)


@task
def self_aware(dataset: str = "self-aware:authored", form: str = "direct", limit: int | None = None) -> Task:
    """Does a model know what it does not know? Questions with and without an answer (Yin et al., section 4).

    Args:
        dataset: As ``selfknow evaluate`` takes it.
        form: ``direct``, ``instruction`` or ``icl``.
        limit: Ask only so many; both labels keep their shares, which ``--limit`` does not know.
    """
    return _task(dataset, form=form, limit=limit)


@task
def according_to(
    portrait: str,
    questions: str = "nq",
    prompts: str = "all",
    prompt_format: str | None = None,
    placement: str = "appended",
    corpus_name: str = "Wikipedia",
    corpus_address: str | None = None,
    limit: int | None = None,
) -> Task:
    """Does a model quote its corpus when it is asked to (Weller et al., sections 3 and 4)?

    Args:
        portrait: The corpus's portrait, a folder or a Hub id.
        questions: ``nq``, ``tqa``, ``hotpot``, ``eli5`` or a file.
        prompts: ``all``, or ids of prompts with commas between; the null prompt is always asked.
        prompt_format: ``short``, ``two-step``, ``long`` or ``long-answer``; null: the set's.
        placement: Where the phrase stands.
        corpus_name: What the prompts call the corpus.
        corpus_address: Where the corpus is said to be found.
        limit: Ask only so many questions.
    """
    return _task(
        f"according-to:{questions}",
        portrait=portrait,
        prompts=prompts,
        prompt_format=prompt_format,
        placement=placement,
        corpus_name=corpus_name,
        corpus_address=corpus_address,
        limit=limit,
    )


@task
def self_knowledge(
    dataset: str = "self-knowledge:total-count",
    protocol: str = "separate",
    style: str = "plain",
    wording: str = "ours",
    limit: int | None = None,
) -> Task:
    """Does a model understand what it creates? It writes, and is then asked about it (Tan et al., sections 3 to 7).

    Args:
        dataset: As ``selfknow evaluate`` takes it; tasks about pictures are refused.
        protocol: ``separate``, ``in-context``, ``in-context-noise``, ``dual``, ``consistency`` or ``inconsistency``.
        style: ``plain``, ``expert`` or ``cot``.
        wording: ``ours``, or the ``paper``'s.
        limit: Ask only so many.
    """
    return _task(dataset, protocol=protocol, style=(style,), wording=wording, limit=limit)


def _task(name: str, **options: Any) -> Task:
    asking = _opened(name, tuple(options.items()))
    decoding = asking.decoding
    several = len({opening.variant for opening in asking.openings}) > 1
    of_variants: list[Metric] = [grouped(mean(), _VARIANT, all=False)]
    return Task(
        dataset=MemoryDataset([_sample(asking, opening, several=several) for opening in asking.openings], name=name),
        solver=ask_stages(name, options),
        scorer=own_scores(name, options),
        metrics={"*": of_variants if several else [mean(), stderr()]},
        config=GenerateConfig(
            max_tokens=decoding.max_new_tokens,
            # The hf provider refuses a temperature of 0: greedy is `-M do_sample=false` there, `--temperature 0` else.
            temperature=decoding.temperature or None,
            stop_seqs=list(decoding.stop) or None,
        ),
    )


@cache
def _opened(name: str, options: tuple[tuple[str, Any], ...]) -> Asking:
    return Asking.open(name, **dict(options))


def _sample(asking: Asking, opening: Request, *, several: bool) -> Sample:
    own = asking.sample(opening)
    return Sample(
        input=opening.prompt,
        target=_target(own.row),
        id=f"{opening.example_id}/{opening.variant}" if several else opening.example_id,
        metadata={_VARIANT: opening.variant, MARK: own.as_json()},
    )


def _target(row: Mapping[str, Any]) -> str | list[str]:
    """What a person who reads the log sees as right; the scores do not read it."""
    shown = next((row[name] for name in ("completion", "answers", "answer") if row.get(name)), "")
    return shown if isinstance(shown, str | list) else str(shown)


@solver
def ask_stages(name: str, options: dict[str, Any]) -> Solver:
    """Asks the stages of a task, each request in a conversation of its own.

    Args:
        name: The set.
        options: The task's.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        asking = _opened(name, tuple(options.items()))
        own = state.metadata[MARK]
        opening = Request(own["row"]["id"], state.input_text, own["stage"], own["variant"])
        calls: list[Call] = []
        state = await _call(asking, state, generate, opening, calls)
        for stage in asking.stages[1:]:
            for request in asking.follow_ups(stage, calls):
                state.messages = [ChatMessageUser(content=request.prompt)]
                state = await _call(asking, state, generate, request, calls)
        return state

    return solve


async def _call(asking: Asking, state: TaskState, generate: Generate, request: Request, calls: list[Call]) -> TaskState:
    """Ask one request, and note it where the log keeps it."""
    state = await generate(state)
    state.output.completion = cut_at_stop(state.output.completion, asking.decoding.stop)
    calls.append(Call(request, _reply(state)))
    places = [call.as_row(place) for place, call in enumerate(calls)]
    state.metadata[CALLS] = [{key: value for key, value in row.items() if key != "created_at"} for row in places]
    return state


def _reply(state: TaskState) -> Reply:
    usage = state.output.usage
    finish = None if state.model.api == _SILENT else _FINISH.get(str(state.output.stop_reason))
    return Reply(
        state.output.completion,
        finish,
        prompt_tokens=usage.input_tokens if usage else None,
        completion_tokens=usage.output_tokens if usage else None,
    )


@scorer(metrics={"*": [mean(), stderr()]})
def own_scores(name: str, options: dict[str, Any]) -> Scorer:
    """Our own scores of a sample's calls, NaN where there is none; the explanation says why.

    Args:
        name: The set.
        options: The task's.
    """

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect gives every scorer a target
        asking = _opened(name, tuple(options.items()))
        outcomes = asking.scores([_read(row) for row in state.metadata[CALLS]])
        found = {metric: outcome.value for metric, outcome in outcomes.items()}
        values = {metric: found.get(metric) for metric in metric_names(asking)}
        reasons = {metric: outcome.reason for metric, outcome in outcomes.items() if outcome.reason}
        return Score(
            value={metric: float("nan") if value is None else value for metric, value in values.items()},
            answer=state.output.completion,
            explanation="\n".join(f"{metric}: {reason}" for metric, reason in reasons.items()) or None,
        )

    return score


def _read(row: Mapping[str, Any]) -> Call:
    request = Request(
        row["example_id"],
        row["prompt"],
        row["stage"],
        row["variant"],
        parent_generation_id=row["parent_generation_id"],
    )
    reply = Reply(
        row["generation"],
        row["finish_reason"],
        prompt_tokens=row["prompt_tokens"],
        completion_tokens=row["completion_tokens"],
    )
    return Call(request, reply)
