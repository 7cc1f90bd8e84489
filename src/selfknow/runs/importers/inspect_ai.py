"""An importer of Inspect's logs, both ``.eval`` archives and ``.json`` files.

Each epoch of an Inspect sample becomes one sample of the run. Letters of scores become numbers as in Inspect's metrics.
"""

import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from selfknow.errors import UserError
from selfknow.files import parse_json, read_json
from selfknow.models.interface import Reply
from selfknow.runs.description import DatasetReference
from selfknow.runs.importers.archive import check_sizes, read_member
from selfknow.runs.importers.own_task import CALLS, RECORD_KEY, OwnSample, own_log, read_own_sample
from selfknow.runs.importers.run import ImportedCall, ImportedLog, ImportedScore, refuse_damaged

TOOL = "Inspect"
_SCORES_OF_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_ATTACHMENT_PREFIX = "attachment://"
_UNNEEDED_PARTS = ("events", "events_data", "store", "attachments")  # they are large
_FINISH_REASONS = {"stop": "stop", "max_tokens": "length", "model_length": "length"}
_INSPECT_NAMES = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "max_new_tokens": "max_tokens",
    "stop": "stop_seqs",
    "seed": "seed",
}


def read_inspect(path: Path) -> ImportedLog:
    """Read one log.

    Raises:
        UserError: The file is not an Inspect log, or it is incomplete.
    """
    with refuse_damaged(path, TOOL):
        return _read(path)


def _read(path: Path) -> ImportedLog:
    if path.suffix == ".eval":
        with _refuse_incomplete(path):
            check_sizes(path)  # Inspect itself has no limit
    read_without_inspect = _read_archive if path.suffix == ".eval" else _read_file
    header, samples = _read_with_inspect(path) or read_without_inspect(path)
    evaluation = header.get("eval")
    if not isinstance(evaluation, dict) or not evaluation.get("model"):
        raise UserError(f"{path} is not an Inspect log: it does not say which model was evaluated")
    model, task = str(evaluation["model"]), str(evaluation.get("task") or path.stem)
    dataset = evaluation.get("dataset") or {}
    decoding = _decoding(evaluation, (header.get("plan") or {}).get("config") or {})
    try:
        samples = _sort_samples([_needed_part(sample) for sample in samples], dataset)
        records = [(sample.get("metadata") or {}).get(RECORD_KEY) for sample in samples]
        own_samples = [read_own_sample(record) for record in records if isinstance(record, dict)]
        if own_samples and len(own_samples) == len(records):
            pairs = zip(samples, own_samples, strict=True)
            calls = [call for sample, own_sample in pairs for call in _own_calls(sample, own_sample, model)]
            return own_log(own_samples, calls, decoding, TOOL)
        ids = _example_ids(samples)
        examples = {ids[str(sample["id"])]: _example(sample, ids[str(sample["id"])]) for sample in samples}
        calls = [_call(sample, ids[str(sample["id"])], model) for sample in samples]
    except (KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path} holds a sample that is not from Inspect: {type(error).__name__} {error}") from error
    name = str(dataset.get("location") or dataset.get("name") or task)
    return ImportedLog(task, DatasetReference(name), list(examples.values()), calls, decoding, TOOL)


def _decoding(evaluation: Mapping[str, Any], plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return the decoding settings in the log, by our names.

    A local model (``hf``) with ``-M do_sample=false`` decodes greedily at any temperature.
    """
    options = {**(evaluation.get("model_generate_config") or {}), **plan}
    decoding = {name: options[key] for name, key in _INSPECT_NAMES.items() if options.get(key) is not None}
    is_greedy = (evaluation.get("model_args") or {}).get("do_sample") is False
    return {**decoding, "temperature": 0.0} if is_greedy else decoding


def _read_with_inspect(path: Path) -> tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]] | None:
    """Read a log of any version with Inspect; null if Inspect is not installed or fails.

    Our own reader then reads the log, and describes an error in one line.
    """
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        return None
    try:
        log = read_eval_log(str(path), resolve_attachments=True, exclude_fields=set(_UNNEEDED_PARTS))
        content = log.model_dump(mode="json", exclude_none=True)
    except Exception:  # Inspect may raise anything; our own reader takes over
        return None
    samples = content.get("samples")
    return (content, samples) if isinstance(samples, list) and samples else None


def _read_file(path: Path) -> tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]:
    content = read_json(path)
    samples = content.get("samples")
    if not isinstance(samples, list):
        raise UserError(f"{path} is not an Inspect log with samples")
    return content, samples


def _read_archive(path: Path) -> tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]:
    """Read an archive sample by sample, without the parts that are not needed."""
    with _refuse_incomplete(path), zipfile.ZipFile(path) as archive:
        entries = {entry.filename: entry for entry in archive.infolist()}
        header = parse_json(read_member(archive, entries["header.json"]))
        if not isinstance(header, dict):
            raise ValueError("its header is not a JSON object")
        names = sorted(name for name in entries if name.startswith("samples/"))
        return header, [_needed_part(parse_json(read_member(archive, entries[name]))) for name in names]


@contextmanager
def _refuse_incomplete(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise UserError(f"{path} does not exist") from error
    except (UserError, RecursionError):
        raise
    except (OSError, KeyError, ValueError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise UserError(
            f"{path} is not a complete Inspect archive (an evaluation that was stopped?): {error}"
        ) from error


def _needed_part(sample: Any) -> Any:
    """Return a sample without the parts that are not needed, and with the long texts that Inspect stores apart."""
    return _resolve(sample, sample.get("attachments") or {})


def _resolve(value: Any, attachments: Mapping[str, str]) -> Any:
    """Replace Inspect's references to attachments by the attached texts, and drop the parts that are not needed."""
    if isinstance(value, str) and value.startswith(_ATTACHMENT_PREFIX):
        return attachments.get(value.removeprefix(_ATTACHMENT_PREFIX), value)
    if isinstance(value, dict):
        return {name: _resolve(part, attachments) for name, part in value.items() if name not in _UNNEEDED_PARTS}
    return [_resolve(part, attachments) for part in value] if isinstance(value, list) else value


def _sort_samples(samples: list[Any], dataset: Mapping[str, Any]) -> list[Any]:
    """Sort samples in the order of their dataset; Inspect sorts them by id."""
    positions = {str(name): position for position, name in enumerate(dataset.get("sample_ids") or [])}
    return sorted(samples, key=lambda sample: positions.get(str(sample["id"]), len(positions)))


def _example_ids(samples: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Map each sample's id to its example's: the ``id`` in the metadata if all are unique, else the sample's own.

    Inspect numbers the samples of a dataset on the Hub; the rows' ids are in the metadata.
    """
    row_ids = {str(sample["id"]): (sample.get("metadata") or {}).get("id") for sample in samples}
    if None in row_ids.values() or len({str(row_id) for row_id in row_ids.values()}) < len(row_ids):
        return {sample_id: sample_id for sample_id in row_ids}
    return {sample_id: str(row_id) for sample_id, row_id in row_ids.items()}


def _own_calls(sample: Mapping[str, Any], own_sample: OwnSample, model: str) -> list[ImportedCall]:
    """Read the calls that the solver of this package recorded in a sample."""
    number = int(sample.get("epoch", 1)) - 1
    calls: list[ImportedCall] = []
    for row in (sample.get("metadata") or {}).get(CALLS) or []:
        reply = Reply(
            row["generation"],
            row.get("finish_reason"),
            messages=tuple(_message(message) for message in row["messages"]),
            prompt_tokens=row.get("prompt_tokens"),
            completion_tokens=row.get("completion_tokens"),
        )
        parent = row.get("parent_generation_id")
        calls.append(
            ImportedCall(
                str(row["example_id"]),
                model,
                str(row["prompt"]),
                reply,
                stage=row["stage"],
                variant=row["variant"],
                sample=number,
                parent=None if parent is None else calls[int(parent)],
            )
        )
    if calls:
        return calls
    failed = _call(sample, str(own_sample.row["id"]), model)
    return [replace(failed, stage=own_sample.stage, variant=own_sample.variant, scores=())]


def _example(sample: Mapping[str, Any], identifier: str) -> dict[str, Any]:
    metadata = sample.get("metadata") or {}
    target = sample.get("target")
    return {
        **{name: value for name, value in metadata.items() if name not in ("id", "input", "target")},
        "id": identifier,
        "input": _join_texts(sample["input"]),
        "target": target if isinstance(target, str) else json.dumps(target),
    }


def _call(sample: Mapping[str, Any], identifier: str, model: str) -> ImportedCall:
    output = sample.get("output") or {}
    choice = next(iter(output.get("choices") or []), None)
    error = sample.get("error")
    conversation = _conversation(sample)
    messages = tuple(_message(message) for message in conversation)
    usage = output.get("usage") or {}
    if error is not None or choice is None:
        reason = error.get("message") if isinstance(error, dict) else error
        reply = Reply(None, messages=messages, error=str(reason or output.get("error") or "no output"))
    else:
        stop_reason = str(choice.get("stop_reason"))
        reply = Reply(
            _join_texts(choice["message"]["content"]),
            _FINISH_REASONS.get(stop_reason, stop_reason),
            messages=messages,
            prompt_tokens=usage.get("input_tokens"),
            completion_tokens=usage.get("output_tokens"),
        )
    scores = tuple(_scores(sample.get("scores") or {}))
    sample_number = int(sample.get("epoch", 1)) - 1
    return ImportedCall(identifier, model, _join_texts(conversation), reply, sample=sample_number, scores=scores)


def _conversation(sample: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the messages before the model's last answer: system prompts, earlier turns and the last prompt."""
    messages = list(sample.get("messages") or [])
    if messages and messages[-1]["role"] == "assistant":
        messages.pop()
    if messages:
        return messages
    prompt = sample["input"]
    return [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(prompt)


def _message(message: Mapping[str, Any]) -> dict[str, str]:
    return {"role": str(message["role"]), "content": _join_texts(message["content"])}


def _join_texts(content: Any) -> str:
    """Return a text unchanged; join the texts of messages or parts by line breaks."""
    if isinstance(content, str):
        return content
    texts = (_join_texts(part["content"]) if "content" in part else str(part.get("text", "")) for part in content)
    return "\n".join(texts)


def _scores(scores: Mapping[str, Any]) -> Iterator[ImportedScore]:
    for scorer, score in scores.items():
        value = score.get("value") if isinstance(score, dict) else score
        if isinstance(value, dict):
            yield from (_score(f"{scorer}/{key}", part) for key, part in value.items())
        else:
            yield _score(scorer, value)


def _score(metric: str, value: Any) -> ImportedScore:
    if isinstance(value, bool | int | float):
        return ImportedScore(metric, float(value))
    if isinstance(value, str) and value in _SCORES_OF_LETTERS:
        return ImportedScore(metric, _SCORES_OF_LETTERS[value])
    try:
        return ImportedScore(metric, float(value))
    except (TypeError, ValueError):
        return ImportedScore(metric, None, f"no number: {str(value)[:80]}")
