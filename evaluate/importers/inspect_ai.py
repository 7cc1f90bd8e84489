"""Inspect: the logs of ``inspect eval``, ``.eval`` archives and ``.json`` files alike.

A sample's epochs become samples; its score's letters become numbers as Inspect's own metrics have them.
"""

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from selfknow.errors import UserError
from selfknow.evaluate.files import read_json
from selfknow.evaluate.importers.run import ImportedCall, ImportedScore, Log
from selfknow.evaluate.models import Reply
from selfknow.evaluate.run import DatasetReference

_VALUES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_FINISH = {"stop": "stop", "max_tokens": "length", "model_length": "length"}
_ZSTD = 93  # the compression that newer archives have


def read_inspect(path: Path) -> Log:
    """Read one log.

    Raises:
        UserError: It is no Inspect log, or an archive of a kind that Python's zip cannot read.
    """
    header, samples = _read_archive(path) if path.suffix == ".eval" else _read_file(path)
    said = header.get("eval")
    if not isinstance(said, dict) or not said.get("model"):
        raise UserError(f"{path} is no Inspect log: it does not say which model was evaluated")
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
    examples: dict[str, dict[str, Any]] = {}
    calls = []
    for sample in samples:
        try:
            example = _example(sample)
            examples.setdefault(example["id"], example)
            calls.append(_call(sample, model))
        except (KeyError, TypeError, AttributeError) as error:
            raise UserError(
                f"{path} holds a sample that is no Inspect sample: {type(error).__name__} {error}"
            ) from error
    name = str(dataset.get("location") or dataset.get("name") or task)
    return Log(task, DatasetReference(name), list(examples.values()), calls, decoding, "Inspect")


def _read_file(path: Path) -> tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]:
    content = read_json(path)
    samples = content.get("samples")
    if not isinstance(samples, list):
        raise UserError(f"{path} is no Inspect log with samples")
    return content, samples


def _read_archive(path: Path) -> tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if any(entry.compress_type == _ZSTD for entry in archive.infolist()):
                raise UserError(
                    f"{path} is compressed with zstd, which Python's zip does not read: write it as JSON first, with "
                    "`inspect log convert --to json`"
                )
            header_name = "header.json" if "header.json" in names else "_journal/start.json"
            header = json.loads(archive.read(header_name))
            samples = [json.loads(archive.read(name)) for name in sorted(names) if name.startswith("samples/")]
    except FileNotFoundError as error:
        raise UserError(f"{path} does not exist") from error
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise UserError(f"{path} is no whole Inspect archive: {error}") from error
    return header, samples


def _example(sample: Mapping[str, Any]) -> dict[str, Any]:
    metadata = sample.get("metadata") or {}
    target = sample.get("target")
    return {
        **{name: value for name, value in metadata.items() if name not in ("id", "input", "target")},
        "id": str(sample["id"]),
        "input": _text_of(sample["input"]),
        "target": target if isinstance(target, str) else json.dumps(target),
    }


def _call(sample: Mapping[str, Any], model: str) -> ImportedCall:
    output = sample.get("output") or {}
    choice = next(iter(output.get("choices") or []), None)
    error = sample.get("error")
    asked = sample["input"]
    messages = None if isinstance(asked, str) else tuple(_message(one) for one in asked)
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
    return ImportedCall(str(sample["id"]), model, _text_of(asked), reply, sample=sample_number, scores=scores)


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
