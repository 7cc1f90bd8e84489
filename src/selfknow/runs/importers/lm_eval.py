"""An importer of lm-evaluation-harness's sample logs, which ``lm_eval --log_samples --output_path DIR`` writes.

A line is a document with all its requests: a text for ``generate_until``, or one log-likelihood a choice for multiple
choice. Several filters of one task repeat the document.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from selfknow.errors import UserError
from selfknow.files import read_json, read_json_lines
from selfknow.models.interface import Reply
from selfknow.runs.description import DatasetReference
from selfknow.runs.importers.own_task import MARK, own_log, read_own_sample
from selfknow.runs.importers.run import ImportedCall, ImportedScore, Log, refuse_damaged

TOOL = "lm-evaluation-harness"
_NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d{2}-\d{2}T[\d.:-]+)\.jsonl")
_NEEDED = ("doc_id", "doc", "arguments", "resps")
_LIMITS = ("max_gen_toks", "max_new_tokens", "max_tokens", "max_completion_tokens")  # the first that is set holds


def read_lm_eval(path: Path, model: str | None = None) -> Log:
    """Read one ``samples_TASK_DATE.jsonl``.

    Args:
        path: The file.
        model: The model's name; null: the name in the ``results_DATE.json`` beside the file.

    Raises:
        UserError: It is not a sample log, or the model's name is unknown.
    """
    with refuse_damaged(path, TOOL):
        return _read(path, model)


def _read(path: Path, model: str | None) -> Log:
    rows = list(read_json_lines(path))
    for number, row in enumerate(rows, start=1):
        if missing := [name for name in _NEEDED if name not in row]:
            raise UserError(f"{path}, line {number} is not a sample of lm-evaluation-harness: it has no {missing[0]}")
    match = _NAME.fullmatch(path.name)
    task = match["task"] if match else path.stem
    results = _results(path, match["date"] if match else None)
    name = model or results.get("model_name") or results.get("model_source")
    if not name:
        raise UserError(f"no results_*.json lies beside {path} to name the model: add --model")
    if own := _own_log(rows, str(name)):
        return own
    ids = _ids(rows, task)
    filters = list(dict.fromkeys(str(row.get("filter", "none")) for row in rows))
    scores = _scores(rows, several_filters=len(filters) > 1)
    examples = {ids[row["doc_id"]]: {**row["doc"], "id": ids[row["doc_id"]]} for row in rows}
    first = [row for row in rows if str(row.get("filter", "none")) == filters[0]]
    calls = [call for row in first for call in _calls(row, ids[row["doc_id"]], str(name), scores[row["doc_id"]])]
    config = results.get("configs", {}).get(task, {}) if isinstance(results.get("configs"), dict) else {}
    reference = DatasetReference(
        str(config.get("dataset_path") or task), config.get("dataset_name"), config.get("test_split")
    )
    return Log(task, reference, list(examples.values()), calls, _decoding(first), TOOL)


def _own_log(rows: Sequence[Mapping[str, Any]], model: str) -> Log | None:
    """Return the log of a task of this package; null for any other."""
    marks = [row["doc"].get(MARK) if isinstance(row["doc"], dict) else None for row in rows]
    samples = [read_own_sample(json.loads(mark)) for mark in marks if isinstance(mark, str)]
    if not samples or len(samples) < len(marks):
        return None
    calls = [
        ImportedCall(
            *(str(own.row["id"]), model, context, Reply(str(text), None), own.stage, own.variant),
            sample=number,
        )
        for row, own in zip(rows, samples, strict=True)
        for (context, _), replies in zip(_requests(row), row["resps"], strict=True)
        for number, text in enumerate(replies)
    ]
    return own_log(samples, calls, _decoding(rows), TOOL)


def _decoding(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the settings of drawing replies by our names; none if the model chose among given texts.

    The harness draws greedily unless a temperature is set, and with ``do_sample: false`` in any case.
    """
    options = next((options for row in rows for _, options in _requests(row) if isinstance(options, dict)), None)
    if options is None:
        return {}
    temperature = 0.0 if options.get("do_sample") is False else float(options.get("temperature") or 0.0)
    limits = [options[name] for name in _LIMITS if options.get(name) is not None]
    until = options.get("until")
    return {
        "temperature": temperature,
        **({"max_new_tokens": limits[0]} if limits else {}),
        **({"stop": [until] if isinstance(until, str) else list(until)} if until is not None else {}),
        **{name: options[name] for name in ("top_p", "top_k") if options.get(name) is not None},
    }


def _results(path: Path, date: str | None) -> Mapping[str, Any]:
    files = sorted(path.parent.glob("results_*.json"))
    same_date = [file for file in files if date and date in file.name]
    chosen = same_date or files[-1:]
    return read_json(chosen[0]) if chosen else {}


def _ids(rows: Sequence[Mapping[str, Any]], task: str) -> dict[Any, str]:
    """Map the documents' numbers to their own ids if these are unique, else to task and number."""
    own = {row["doc_id"]: row["doc"].get("id") if isinstance(row["doc"], dict) else None for row in rows}
    if None not in own.values() and len({str(value) for value in own.values()}) == len(own):
        return {number: str(value) for number, value in own.items()}
    return {number: f"{task}-{number}" for number in own}


def _scores(rows: Sequence[Mapping[str, Any]], *, several_filters: bool) -> dict[Any, list[ImportedScore]]:
    scores: dict[Any, list[ImportedScore]] = {}
    for row in rows:
        of_document = scores.setdefault(row["doc_id"], [])
        for metric in row.get("metrics", []):
            name = f"{metric},{row.get('filter')}" if several_filters else metric
            value = row.get(metric)
            if isinstance(value, bool | int | float):
                of_document.append(ImportedScore(name, float(value)))
            else:
                text = json.dumps(value, default=str)
                of_document.append(ImportedScore(name, None, f"no number for one answer alone: {text[:80]}"))
    return scores


def _requests(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each request's context, and its second argument: a choice's text, or the settings of drawing."""
    requests = row["arguments"]
    for request in requests.values() if isinstance(requests, dict) else requests:
        values = list(request.values()) if isinstance(request, dict) else list(request)
        yield str(values[0]), values[1] if len(values) > 1 else None


def _calls(row: Mapping[str, Any], example_id: str, model: str, scores: list[ImportedScore]) -> Iterator[ImportedCall]:
    requests = list(zip(_requests(row), row["resps"], strict=True))
    if all(isinstance(options, dict) or options is None for (_, options), _ in requests):
        for number, ((context, _), replies) in enumerate(requests):
            for sample, text in enumerate(replies):
                variant = "plain" if len(requests) == 1 else f"request-{number}"
                worth = tuple(scores) if (number, sample) == (0, 0) else ()
                reply = Reply(str(text), None)
                yield ImportedCall(example_id, model, context, reply, variant=variant, sample=sample, scores=worth)
        return
    logprobs = [_logprob(replies) for _, replies in requests]
    likeliest = max(range(len(requests)), key=lambda number: logprobs[number])
    for number, ((context, choice), _) in enumerate(requests):
        reply = Reply(str(choice), "forced", logprob=logprobs[number])
        worth = tuple(scores) if number == likeliest else ()
        variant = f"choice-{number}"
        yield ImportedCall(example_id, model, context, reply, stage="choice", variant=variant, sample=0, scores=worth)


def _logprob(replies: Any) -> float:
    """Read the log-probability in ``[[logprob, is_greedy]]`` or ``[logprob, is_greedy]``, as numbers or as text."""
    value = replies
    while isinstance(value, list) and value:
        value = value[0]
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise UserError(f"the response to a choice is not a log-likelihood: {str(replies)[:80]}") from error
