"""The tasks in Inspect: ``inspect eval selfknow/self_aware --model …`` (extra ``[inspect]``).

Inspect finds them by the entry point ``inspect_ai``. A sample begins with one request of the task's first stage; the
requests of later stages follow within the sample. All scores come from our own scorer. A missing score is NaN, and
Inspect counts its sample as unscored. ``selfknow import inspect`` turns the log into a run.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from selfknow.errors import MissingExtraError, UserError
from selfknow.integrations.asking import Asking, Call, cut_at_stop, metric_names
from selfknow.integrations.option_values import as_text
from selfknow.models.interface import Reply, Request
from selfknow.runs.importers.own_task import CALLS, RECORD_KEY

try:
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser, GenerateConfig, get_model
    from inspect_ai.scorer import Metric, Score, Scorer, Target, grouped, mean, scorer, stderr
    from inspect_ai.solver import Generate, Solver, TaskState, solver
except ImportError as error:
    raise MissingExtraError("running the tasks in Inspect", "inspect") from error

_FINISH_REASONS = {"stop": "stop", "max_tokens": "length", "model_length": "length"}
_WITHOUT_FINISH_REASON = "hf"  # this provider also reports `stop` for truncated replies
_VARIANT = "variant"


@task
def diary_recall(dataset: str = "diary-recall:1k", split: str = "test", limit: int | None = None) -> Task:
    """Ask a model to recall all entries of a diarist: does it know how much it knows?

    Source: Prato et al., section 3.2.

    Args:
        dataset: ``diary-recall:1k``, ``FOLDER:CONFIG`` or ``ORG/NAME:CONFIG``, as for ``selfknow evaluate``.
        split: Split of the questions.
        limit: Largest number of questions.
    """
    return _task(as_text("dataset", dataset), split=split, limit=limit)


@task
def self_aware(dataset: str = "self-aware:authored", form: str = "direct", limit: int | None = None) -> Task:
    """Ask a model questions with and without an answer: does it know what it does not know?

    Source: Yin et al., section 4.

    Args:
        dataset: Dataset, as for ``selfknow evaluate``.
        form: ``direct``, ``instruction`` or ``icl``.
        limit: Largest number of questions. Both labels keep their shares, unlike with Inspect's ``--limit``.
    """
    return _task(as_text("dataset", dataset), form=form, limit=limit)


@task
def according_to(
    portrait: str,
    questions: str = "nq",
    prompts: str | list[str] = "all",
    prompt_format: str | None = None,
    placement: str = "appended",
    corpus_name: str = "Wikipedia",
    corpus_address: str | None = None,
    limit: int | None = None,
) -> Task:
    """Ask a model to quote its corpus, and measure how much it quotes.

    Source: Weller et al., sections 3 and 4.

    Args:
        portrait: Portrait of the corpus, a folder or a Hub id.
        questions: ``nq``, ``tqa``, ``hotpot``, ``eli5`` or a file.
        prompts: ``all``, or ids of prompts separated by commas; the null prompt is always included.
        prompt_format: ``short``, ``two-step``, ``long`` or ``long-answer``; by default the format of the dataset.
        placement: Place of the phrase in the prompt.
        corpus_name: Name of the corpus in the prompts.
        corpus_address: Address of the corpus in the prompts.
        limit: Largest number of questions.
    """
    return _task(
        f"according-to:{as_text('questions', questions)}",
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
    style: str | list[str] = "plain",
    wording: str = "ours",
    limit: int | None = None,
) -> Task:
    """Let a model write a text and ask about it: does the model understand what it creates?

    Source: Tan et al., sections 3 to 7.

    Args:
        dataset: Dataset, as for ``selfknow evaluate``; tasks about pictures are refused.
        protocol: ``separate``, ``in-context``, ``in-context-noise``, ``dual``, ``consistency`` or ``inconsistency``.
        style: ``plain``, ``expert`` or ``cot``, or several separated by commas.
        wording: ``ours``, or ``paper`` for the wording of the paper.
        limit: Largest number of samples.
    """
    name = as_text("dataset", dataset)
    return _task(name, protocol=protocol, style=style, wording=wording, limit=limit)


def _task(name: str, **options: Any) -> Task:
    try:
        asking = _open(name, options)
        has_variants = len({opening.variant for opening in asking.openings}) > 1
    except UserError as error:
        raise _in_one_line(error) from error
    decoding = asking.decoding
    samples = [_sample(asking, opening, has_variants=has_variants) for opening in asking.openings]
    variant_means: list[Metric] = [grouped(mean(), _VARIANT, all=False)]
    return Task(
        dataset=MemoryDataset(samples, name=name),
        solver=ask_stages(name, options),
        scorer=own_scores(name, options),
        metrics={"*": variant_means if has_variants else [mean(), stderr()]},
        config=GenerateConfig(
            max_tokens=decoding.max_new_tokens,
            # A local model (hf) also needs `-M do_sample=false` for greedy decoding; transformers says so in an error.
            temperature=decoding.temperature,
            stop_seqs=list(decoding.stop) or None,
        ),
    )


def _open(name: str, options: Mapping[str, Any]) -> Asking:
    return _open_cached(name, json.dumps(options, default=str))


@cache
def _open_cached(name: str, options: str) -> Asking:
    return Asking.open(name, **json.loads(options))


def _in_one_line(error: UserError) -> Exception:
    """Turn a `UserError` into an error that Inspect shows in one line, without a traceback."""
    try:
        from inspect_ai._util.error import PrerequisiteError
        from rich.markup import escape
    except ImportError:  # a private module of Inspect, which may move
        return error
    return PrerequisiteError(escape(str(error)))


def _sample(asking: Asking, opening: Request, *, has_variants: bool) -> Sample:
    own_sample = asking.sample(opening)
    return Sample(
        input=opening.prompt,
        target=_target(own_sample.row),
        id=f"{opening.example_id}/{opening.variant}" if has_variants else opening.example_id,
        metadata={_VARIANT: opening.variant, RECORD_KEY: own_sample.as_json()},
    )


def _target(row: Mapping[str, Any]) -> str | list[str]:
    """Return the right answer, for readers of the log; the scores do not use it."""
    answer = next((row[name] for name in ("completion", "answers", "answer") if row.get(name)), "")
    return answer if isinstance(answer, str | list) else str(answer)


@solver
def ask_stages(name: str, options: dict[str, Any]) -> Solver:
    """Send the requests of all stages of a task, each in its own conversation with the request's earlier turns.

    Args:
        name: Name of the dataset.
        options: The task's options.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        asking = _open(name, options)
        record = state.metadata[RECORD_KEY]
        opening = Request(record["row"]["id"], state.input_text, record["stage"], record["variant"])
        calls: list[Call] = []
        state = await _call(asking, state, generate, opening, calls)
        for stage in asking.stages[1:]:
            for request in asking.follow_ups(stage, calls):
                state = await _call(asking, state, generate, request, calls)
        return state

    return solve


async def _call(asking: Asking, state: TaskState, generate: Generate, request: Request, calls: list[Call]) -> TaskState:
    """Send one request, and record the call in the log."""
    state.messages = _messages(request)
    messages = tuple({"role": message.role, "content": message.text} for message in state.messages)
    state = await generate(state)
    state.output.completion = cut_at_stop(state.output.completion, asking.decoding.stop)
    calls.append(Call(request, replace(_reply(state), messages=messages)))
    rows = [call.as_row(place) for place, call in enumerate(calls)]
    state.metadata[CALLS] = [{key: value for key, value in row.items() if key != "created_at"} for row in rows]
    return state


def _messages(request: Request) -> list[ChatMessage]:
    """Return a request's messages as `selfknow evaluate` sends them; for a base model the last line break stays."""
    tokenizer = getattr(get_model().api, "tokenizer", None)
    is_chat = tokenizer is None or getattr(tokenizer, "chat_template", None) is not None
    texts = [(turn.role, turn.content) for turn in request.turns]
    texts.append(("user", request.prompt.removesuffix("\n") if is_chat else request.prompt))
    return [
        ChatMessageUser(content=text) if role == "user" else ChatMessageAssistant(content=text) for role, text in texts
    ]


def _reply(state: TaskState) -> Reply:
    usage = state.output.usage
    is_known = state.model.api != _WITHOUT_FINISH_REASON
    return Reply(
        state.output.completion,
        _FINISH_REASONS.get(str(state.output.stop_reason)) if is_known else None,
        prompt_tokens=usage.input_tokens if usage else None,
        completion_tokens=usage.output_tokens if usage else None,
    )


@scorer(metrics={"*": [mean(), stderr()]})
def own_scores(name: str, options: dict[str, Any]) -> Scorer:
    """Score a sample's calls with our own scorer. A missing score is NaN, with its reason in the explanation.

    Args:
        name: Name of the dataset.
        options: The task's options.
    """

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect passes a target to every scorer
        asking = _open(name, options)
        outcomes = asking.scores([_read_call(row) for row in state.metadata[CALLS]])
        scores = {metric: outcome.value for metric, outcome in outcomes.items()}
        all_scores = {metric: scores.get(metric) for metric in metric_names(asking)}
        reasons = {metric: outcome.reason for metric, outcome in outcomes.items() if outcome.reason}
        return Score(
            value={metric: float("nan") if value is None else value for metric, value in all_scores.items()},
            answer=state.output.completion,
            explanation="\n".join(f"{metric}: {reason}" for metric, reason in reasons.items()) or None,
        )

    return score


def _read_call(row: Mapping[str, Any]) -> Call:
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
