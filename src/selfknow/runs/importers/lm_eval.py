"""An importer of lm-evaluation-harness's sample logs, which ``lm_eval --log_samples --output_path DIR`` writes.

A line holds a document with all its requests. The response to a request is a text (``generate_until``), or a choice's
log-likelihood (multiple choice). If a task has several filters, each of them repeats the document in a line.
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
from selfknow.runs.importers.own_task import RECORD_KEY, own_log, read_own_sample
from selfknow.runs.importers.run import ImportedCall, ImportedLog, ImportedScore, refuse_damaged

TOOL = "lm-evaluation-harness"
_FILE_NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d{2}-\d{2}T[\d.:-]+)\.jsonl")
_NEEDED_FIELDS = ("doc_id", "doc", "arguments", "resps")
_TOKEN_LIMITS = ("max_gen_toks", "max_new_tokens", "max_tokens", "max_completion_tokens")
"""Options that limit a reply's length; the first one that is set applies."""


def read_lm_eval(path: Path, model: str | None = None) -> ImportedLog:
    """Read one ``samples_TASK_DATE.jsonl``.

    Args:
        path: The file.
        model: The model's name; null: the name in the ``results_DATE.json`` beside the file.

    Raises:
        UserError: The file is not a sample log, or the model's name is unknown.
    """
    with refuse_damaged(path, TOOL):
        return _read(path, model)


def _read(path: Path, model: str | None) -> ImportedLog:
    rows = list(read_json_lines(path))
    for number, row in enumerate(rows, start=1):
        if missing := [name for name in _NEEDED_FIELDS if name not in row]:
            raise UserError(f"{path}, line {number} is not a sample of lm-evaluation-harness: it has no {missing[0]}")
    match = _FILE_NAME.fullmatch(path.name)
    task = match["task"] if match else path.stem
    results = _read_results(path, match["date"] if match else None)
    name = model or results.get("model_name") or results.get("model_source")
    if not name:
        raise UserError(f"no results_*.json beside {path} names the model: add --model")
    if log_of_our_task := _own_log(rows, str(name)):
        return log_of_our_task
    ids = _example_ids(rows, task)
    filters = list(dict.fromkeys(str(row.get("filter", "none")) for row in rows))
    scores = _scores(rows, several_filters=len(filters) > 1)
    examples = {ids[row["doc_id"]]: {**row["doc"], "id": ids[row["doc_id"]]} for row in rows}
    documents = [row for row in rows if str(row.get("filter", "none")) == filters[0]]  # each once
    calls = [call for row in documents for call in _calls(row, ids[row["doc_id"]], str(name), scores[row["doc_id"]])]
    configs = results.get("configs")
    config = configs.get(task, {}) if isinstance(configs, dict) else {}
    reference = DatasetReference(
        str(config.get("dataset_path") or task), config.get("dataset_name"), config.get("test_split")
    )
    return ImportedLog(task, reference, list(examples.values()), calls, _decoding(documents), TOOL)


def _own_log(rows: Sequence[Mapping[str, Any]], model: str) -> ImportedLog | None:
    """Return the log of a task of this package; null for any other."""
    records = [row["doc"].get(RECORD_KEY) if isinstance(row["doc"], dict) else None for row in rows]
    samples = [read_own_sample(json.loads(record)) for record in records if isinstance(record, str)]
    if not samples or len(samples) < len(records):
        return None
    calls = []
    for row, sample in zip(rows, samples, strict=True):
        example_id = str(sample.row["id"])
        for (context, _), replies in zip(_requests(row), row["resps"], strict=True):
            for number, text in enumerate(replies):
                reply = Reply(str(text), None)
                calls.append(
                    ImportedCall(example_id, model, context, reply, sample.stage, sample.variant, sample=number)
                )
    return own_log(samples, calls, _decoding(rows), TOOL)


def _decoding(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the decoding settings by our names; empty for multiple choice, which generates nothing.

    The harness decodes greedily if no temperature is set, and always with ``do_sample: false``.
    """
    options = next((options for row in rows for _, options in _requests(row) if isinstance(options, dict)), None)
    if options is None:
        return {}
    temperature = 0.0 if options.get("do_sample") is False else float(options.get("temperature") or 0.0)
    limits = [options[name] for name in _TOKEN_LIMITS if options.get(name) is not None]
    decoding: dict[str, Any] = {"temperature": temperature}
    if limits:
        decoding["max_new_tokens"] = limits[0]
    if (until := options.get("until")) is not None:
        decoding["stop"] = [until] if isinstance(until, str) else list(until)
    return decoding | {name: options[name] for name in ("top_p", "top_k") if options.get(name) is not None}


def _read_results(path: Path, date: str | None) -> Mapping[str, Any]:
    """Read the results beside a sample log: those of its date, else the latest; empty if there are none."""
    files = sorted(path.parent.glob("results_*.json"))
    files_of_date = [file for file in files if date and date in file.name]
    best_files = files_of_date or files[-1:]
    return read_json(best_files[0]) if best_files else {}


def _example_ids(rows: Sequence[Mapping[str, Any]], task: str) -> dict[Any, str]:
    """Map each document's number to its ``id`` if all ids are unique, else to an id such as ``task-3``."""
    ids = {row["doc_id"]: row["doc"].get("id") if isinstance(row["doc"], dict) else None for row in rows}
    if None not in ids.values() and len({str(value) for value in ids.values()}) == len(ids):
        return {number: str(value) for number, value in ids.items()}
    return {number: f"{task}-{number}" for number in ids}


def _scores(rows: Sequence[Mapping[str, Any]], *, several_filters: bool) -> dict[Any, list[ImportedScore]]:
    scores: dict[Any, list[ImportedScore]] = {}
    for row in rows:
        document_scores = scores.setdefault(row["doc_id"], [])
        for metric in row.get("metrics", []):
            name = f"{metric},{row.get('filter')}" if several_filters else metric
            value = row.get(metric)
            if isinstance(value, bool | int | float):
                document_scores.append(ImportedScore(name, float(value)))
            else:
                text = json.dumps(value, default=str)
                document_scores.append(ImportedScore(name, None, f"no number for a single answer: {text[:80]}"))
    return scores


def _requests(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each request's context, and its second argument: a choice's text, or the decoding settings."""
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
                call_scores = tuple(scores) if (number, sample) == (0, 0) else ()
                reply = Reply(str(text), None)
                yield ImportedCall(
                    example_id, model, context, reply, variant=variant, sample=sample, scores=call_scores
                )
        return
    logprobs = [_logprob(replies) for _, replies in requests]
    likeliest = max(range(len(requests)), key=lambda number: logprobs[number])
    for number, ((context, choice), _) in enumerate(requests):
        reply = Reply(str(choice), "forced", logprob=logprobs[number])
        call_scores = tuple(scores) if number == likeliest else ()
        variant = f"choice-{number}"
        yield ImportedCall(
            example_id, model, context, reply, stage="choice", variant=variant, sample=0, scores=call_scores
        )


def _logprob(replies: Any) -> float:
    """Read the log-probability in ``[[logprob, is_greedy]]`` or ``[logprob, is_greedy]``, as numbers or as text."""
    value = replies
    while isinstance(value, list) and value:
        value = value[0]
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise UserError(f"the response to a choice is not a log-likelihood: {str(replies)[:80]}") from error
