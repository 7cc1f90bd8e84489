"""Inspect: the logs of ``inspect eval``, ``.eval`` archives and ``.json`` files alike.

A sample's epochs become samples; its score's letters become numbers as Inspect's own metrics have them.
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
from selfknow.runs.importers.own_task import CALLS, MARK, OwnSample, own_log, read_own_sample
from selfknow.runs.importers.run import ImportedCall, ImportedScore, Log, told_as_damaged

TOOL = "Inspect"
_VALUES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_ATTACHMENT = "attachment://"
_LONG = ("events", "events_data", "store", "attachments")  # what an import does not read
_FINISH = {"stop": "stop", "max_tokens": "length", "model_length": "length"}


def read_inspect(path: Path) -> Log:
    """Read one log.

    Raises:
        UserError: It is not an Inspect log, or not a whole one.
    """
    with told_as_damaged(path, TOOL):
        return _read(path)


def _read(path: Path) -> Log:
    if path.suffix == ".eval":
        with _told_as_incomplete(path):
            check_sizes(path)  # Inspect itself has no limit
    header, samples = _read_with_inspect(path) or (_read_archive(path) if path.suffix == ".eval" else _read_file(path))
    said = header.get("eval")
    if not isinstance(said, dict) or not said.get("model"):
        raise UserError(f"{path} is not an Inspect log: it does not say which model was evaluated")
    model, task = str(said["model"]), str(said.get("task") or path.stem)
    dataset = said.get("dataset") or {}
    config = said.get("model_generate_config") or {}
    plan = (header.get("plan") or {}).get("config") or {}
    drawn = {**config, **plan}
    decoding = {
        ours: drawn[theirs]
        for ours, theirs in {"temperature": "temperature", "top_p": "top_p", "max_new_tokens": "max_tokens"}.items()
        if drawn.get(theirs) is not None
    }
    try:
        resolved = _in_order([_own_part(one) for one in samples], dataset)
        marks = [(sample.get("metadata") or {}).get(MARK) for sample in resolved]
        own = [read_own_sample(mark) for mark in marks if isinstance(mark, dict)]
        if own and len(own) == len(marks):
            calls = [call for sample, one in zip(resolved, own, strict=True) for call in _own_calls(sample, one, model)]
            return own_log(own, calls, decoding, TOOL)
        ids = _ids(resolved)
        examples = {ids[str(sample["id"])]: _example(sample, ids[str(sample["id"])]) for sample in resolved}
        calls = [_call(sample, ids[str(sample["id"])], model) for sample in resolved]
    except (KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path} holds a sample that is not from Inspect: {type(error).__name__} {error}") from error
    name = str(dataset.get("location") or dataset.get("name") or task)
    return Log(task, DatasetReference(name), list(examples.values()), calls, decoding, TOOL)


def _read_with_inspect(path: Path) -> tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]] | None:
    """The log as Inspect itself reads it, whatever its version wrote; null where Inspect is not installed or cannot.

    What it cannot read is then read here, which says in one line what is wrong with it.
    """
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        return None
    try:
        log = read_eval_log(str(path), resolve_attachments=True, exclude_fields=set(_LONG))
        content = log.model_dump(mode="json", exclude_none=True)
    except Exception:  # whatever stops it: we read the file ourselves
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
    """Read an archive, one sample after another, each without what an import does not read."""
    with _told_as_incomplete(path), zipfile.ZipFile(path) as archive:
        entries = {entry.filename: entry for entry in archive.infolist()}
        header = parse_json(read_member(archive, entries["header.json"]))
        if not isinstance(header, dict):
            raise ValueError("its header is no JSON object")
        names = sorted(name for name in entries if name.startswith("samples/"))
        return header, [_own_part(parse_json(read_member(archive, entries[name]))) for name in names]


@contextmanager
def _told_as_incomplete(path: Path) -> Iterator[None]:
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


def _own_part(sample: Any) -> Any:
    """Return a sample with its long texts in place, and without what is not read."""
    return _resolved(sample, sample.get("attachments") or {})


def _resolved(value: Any, attachments: Mapping[str, str]) -> Any:
    """A sample whose long texts stand where Inspect has put references to them."""
    if isinstance(value, str) and value.startswith(_ATTACHMENT):
        return attachments.get(value.removeprefix(_ATTACHMENT), value)
    if isinstance(value, dict):
        return {name: _resolved(one, attachments) for name, one in value.items() if name not in _LONG}
    return [_resolved(one, attachments) for one in value] if isinstance(value, list) else value


def _in_order(samples: list[Any], dataset: Mapping[str, Any]) -> list[Any]:
    """The samples as they stood in their dataset; Inspect writes them sorted by their ids."""
    places = {str(name): place for place, name in enumerate(dataset.get("sample_ids") or [])}
    return sorted(samples, key=lambda sample: places.get(str(sample["id"]), len(places)))


def _ids(samples: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """For each sample's id that of its row: the field ``id`` of its metadata, where that tells samples apart.

    Inspect numbers the samples of a dataset on the Hub; the rows' own ids are in their metadata.
    """
    own = {str(sample["id"]): (sample.get("metadata") or {}).get("id") for sample in samples}
    if None in own.values() or len({str(value) for value in own.values()}) < len(own):
        return {name: name for name in own}
    return {name: str(value) for name, value in own.items()}


def _own_calls(sample: Mapping[str, Any], own: OwnSample, model: str) -> list[ImportedCall]:
    """The calls of a sample of a task of this package, as its solver noted them."""
    number = int(sample.get("epoch", 1)) - 1
    calls: list[ImportedCall] = []
    for row in (sample.get("metadata") or {}).get(CALLS) or []:
        message = {"role": "user", "content": str(row["prompt"])}
        reply = Reply(
            row["generation"],
            row.get("finish_reason"),
            messages=(message,),
            prompt_tokens=row.get("prompt_tokens"),
            completion_tokens=row.get("completion_tokens"),
        )
        parent = row.get("parent_generation_id")
        calls.append(
            ImportedCall(
                *(str(row["example_id"]), model, str(row["prompt"]), reply, row["stage"], row["variant"], number),
                parent=None if parent is None else calls[int(parent)],
            )
        )
    if calls:
        return calls
    failed = _call(sample, str(own.row["id"]), model)
    return [replace(failed, stage=own.stage, variant=own.variant, scores=())]


def _example(sample: Mapping[str, Any], identifier: str) -> dict[str, Any]:
    metadata = sample.get("metadata") or {}
    target = sample.get("target")
    return {
        **{name: value for name, value in metadata.items() if name not in ("id", "input", "target")},
        "id": identifier,
        "input": _text_of(sample["input"]),
        "target": target if isinstance(target, str) else json.dumps(target),
    }


def _call(sample: Mapping[str, Any], identifier: str, model: str) -> ImportedCall:
    output = sample.get("output") or {}
    choice = next(iter(output.get("choices") or []), None)
    error = sample.get("error")
    asked = _before_the_answer(sample)
    messages = tuple(_message(one) for one in asked)
    usage = output.get("usage") or {}
    if error is not None or choice is None:
        why = error.get("message") if isinstance(error, dict) else error
        reply = Reply(None, messages=messages, error=str(why or output.get("error") or "no output"))
    else:
        reply = Reply(
            _text_of(choice["message"]["content"]),
            _FINISH.get(str(choice.get("stop_reason")), str(choice.get("stop_reason"))),
            messages=messages,
            prompt_tokens=usage.get("input_tokens"),
            completion_tokens=usage.get("output_tokens"),
        )
    scores = tuple(_scores(sample.get("scores") or {}))
    sample_number = int(sample.get("epoch", 1)) - 1
    return ImportedCall(identifier, model, _text_of(asked), reply, sample=sample_number, scores=scores)


def _before_the_answer(sample: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The conversation that the model answered last: system prompts and earlier turns are part of what was asked."""
    said = list(sample.get("messages") or [])
    if said and said[-1]["role"] == "assistant":
        said.pop()
    if said:
        return said
    asked = sample["input"]
    return [{"role": "user", "content": asked}] if isinstance(asked, str) else list(asked)


def _message(message: Mapping[str, Any]) -> dict[str, str]:
    return {"role": str(message["role"]), "content": _text_of(message["content"])}


def _text_of(content: Any) -> str:
    """Text as it is; of messages or parts their texts, one after another."""
    if isinstance(content, str):
        return content
    texts = (_text_of(one["content"]) if "content" in one else str(one.get("text", "")) for one in content)
    return "\n".join(texts)


def _scores(scores: Mapping[str, Any]) -> Iterator[ImportedScore]:
    for scorer, score in scores.items():
        value = score.get("value") if isinstance(score, dict) else score
        values = {f"{scorer}/{key}": one for key, one in value.items()} if isinstance(value, dict) else {scorer: value}
        for metric, one in values.items():
            yield _score(metric, one)


def _score(metric: str, value: Any) -> ImportedScore:
    if isinstance(value, bool | int | float):
        return ImportedScore(metric, float(value))
    if isinstance(value, str) and value in _VALUES:
        return ImportedScore(metric, _VALUES[value])
    try:
        return ImportedScore(metric, float(value))
    except (TypeError, ValueError):
        return ImportedScore(metric, None, f"no number: {str(value)[:80]}")
