"""An importer of OpenAI's batches: their output and error files, with their input files.

A line answers the request with the same ``custom_id``, which becomes the example's id. You can import a batch with
later batches that repeat its failed requests. If a request's line failed, a later line with the same ``custom_id`` is
its retry.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Any

from selfknow.errors import UserError
from selfknow.files import read_json_lines
from selfknow.models.chat_response import reply_from_choice
from selfknow.models.interface import Reply
from selfknow.runs.description import DatasetReference
from selfknow.runs.importers.run import ImportedCall, ImportedLog, refuse_damaged


def read_openai_batch(outputs: Sequence[Path], inputs: Sequence[Path]) -> ImportedLog:
    """Read a batch.

    Args:
        outputs: Its output files and error files.
        inputs: Its input files, which hold the requests.

    Raises:
        UserError: A line is not a batch request or output, or answers a request that is not in the input.
    """
    with refuse_damaged(outputs[0], "an OpenAI batch"):
        return _read(outputs, inputs)


def _read(outputs: Sequence[Path], inputs: Sequence[Path]) -> ImportedLog:
    requests = _read_requests(inputs)
    calls = []
    for path in outputs:
        for number, row in enumerate(read_json_lines(path), start=1):
            if "custom_id" not in row or ("response" not in row and "error" not in row):
                raise UserError(f"{path}, line {number} is not batch output: it has no custom_id and response")
            body = requests.get(str(row["custom_id"]))
            if body is None:
                raise UserError(f"{path}, line {number} answers {row['custom_id']!r}, which is not in the input")
            calls.extend(_calls(row, body))
    missing = Reply(None, error="the batch has no output for this request")
    for custom_id in requests.keys() - {call.example_id for call in calls}:
        body = requests[custom_id]
        calls.append(ImportedCall(custom_id, str(body.get("model", "unknown")), _prompt(body), missing))
    examples = [{"id": custom_id, "prompt": _prompt(body)} for custom_id, body in requests.items()]
    decoding = _shared([_decoding(body) for body in requests.values()])
    return ImportedLog(
        task="openai-batch",
        dataset=DatasetReference(inputs[0].stem),
        examples=examples,
        calls=calls,
        decoding=decoding,
        source="OpenAI batch",
    )


def _read_requests(inputs: Sequence[Path]) -> dict[str, Mapping[str, Any]]:
    requests = {}
    for path in inputs:
        for number, row in enumerate(read_json_lines(path), start=1):
            if "custom_id" not in row or not isinstance(row.get("body"), dict):
                raise UserError(f"{path}, line {number} is not a batch request: it has no custom_id and body")
            requests[str(row["custom_id"])] = row["body"]
    if not requests:
        raise UserError("the input holds no request")
    return requests


def _decoding(body: Mapping[str, Any]) -> dict[str, Any]:
    limits = [body[name] for name in ("max_completion_tokens", "max_tokens") if body.get(name) is not None]
    stop = body.get("stop")
    decoding = {
        "temperature": body.get("temperature"),
        "top_p": body.get("top_p"),
        "max_new_tokens": limits[0] if limits else None,
        "stop": [stop] if isinstance(stop, str) else stop,
        "seed": body.get("seed"),
    }
    return {name: value for name, value in decoding.items() if value is not None}


def _shared(decodings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the settings that are equal in all requests of a batch."""
    first, *others = decodings
    return {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}


def _calls(row: Mapping[str, Any], body: Mapping[str, Any]) -> list[ImportedCall]:
    custom_id = str(row["custom_id"])
    prompt = _prompt(body)
    model = str(body.get("model", "unknown"))
    messages = tuple(_message(message) for message in body.get("messages", [])) or None
    response = row.get("response") or {}
    response_body = response.get("body") or {}
    error = row.get("error")
    if not error and response.get("status_code") != HTTPStatus.OK:
        error = response_body.get("error")
    choices = response_body.get("choices")
    if error or not isinstance(choices, list) or not choices:
        status = f"{response['status_code']} " if response.get("status_code") else ""
        reason = _reason(error) or "no choice in the response"
        reply = Reply(None, messages=messages, error=f"{status}{reason}")
        return [ImportedCall(custom_id, model, prompt, reply)]
    usage = response_body.get("usage")
    replies = [reply_from_choice(choice, usage) for choice in choices]
    if len(replies) > 1:  # the usage counts the tokens of all choices together
        replies = [replace(reply, completion_tokens=None) for reply in replies]
    return [ImportedCall(custom_id, model, prompt, replace(reply, messages=messages)) for reply in replies]


def _reason(error: Any) -> Any:
    """Return an error's message, or else its code; an error that is not an object is its own reason."""
    if isinstance(error, dict):
        return error.get("message") or error.get("code")
    return error


def _prompt(body: Mapping[str, Any]) -> str:
    if "messages" in body:
        return "\n".join(_text(message.get("content") or "") for message in body["messages"])
    return str(body.get("prompt", ""))


def _message(message: Mapping[str, Any]) -> dict[str, str]:
    return {"role": str(message.get("role")), "content": _text(message.get("content") or "")}


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content)
