"""Parsers of server responses, which may be any JSON: OpenAI's chat completions and TGI's protocol.

They return numbers and finish reasons unchanged; :func:`selfknow.models.any_reply.writable_reply` later replaces values
that cannot be stored.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from selfknow.models.interface import Reply

_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "a truth value", int: "a number", float: "a number"}
_TEXT_PARTS = {"text": "text", "output_text": "text", "refusal": "refusal"}
_THOUGHT_PARTS = ("thinking", "reasoning")
_LARGEST_LOGPROB = 1e300
_NO_TEXT = "the reply's content is"


def reply_from_chat_response(body: object) -> Reply:
    """Read the parsed body of a chat completion; a response without text becomes a reply with its error.

    Args:
        body: Any JSON value.

    Returns:
        The first choice's text, its finish reason and the numbers of tokens.

    Example:
        >>> reply_from_chat_response({"choices": [{"message": {"content": "Yes."}}]}).generation
        'Yes.'
        >>> reply_from_chat_response({"choices": []}).error
        'the server sent no choices'
    """
    if not isinstance(body, Mapping):
        return Reply(None, error=f"the server sent {json_kind(body)}, not a chat completion")
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        error = body.get("error")
        problem = "no choices" if error is None else f"an error: {error_message(error)}"
        return Reply(None, error=f"the server sent {problem}")
    return reply_from_choice(choices[0], body.get("usage"))


def reply_from_choice(choice: object, usage: object = None) -> Reply:
    """Read one choice of a chat completion, or of a plain completion, which has a ``text`` and no message.

    Args:
        choice: Any JSON value.
        usage: The token counts of the whole response; any JSON value.
    """
    counts: Mapping[str, Any] = usage if isinstance(usage, Mapping) else {}
    if not isinstance(choice, Mapping):
        return Reply(None, error=f"the choice is {json_kind(choice)}, not an object")
    message = choice.get("message")
    if isinstance(message, Mapping):
        text, error = _text_of_message(message)
    elif isinstance(choice.get("text"), str):
        text, error = choice["text"], None
    else:
        text, error = None, f"the message is {json_kind(message)}, not an object"
    return Reply(
        text,
        choice.get("finish_reason"),
        prompt_tokens=counts.get("prompt_tokens"),
        completion_tokens=counts.get("completion_tokens"),
        error=error,
    )


def _text_of_message(message: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return the text of a message, or the reason why it has none. A refusal is text; a tool call is not."""
    content = message.get("content")
    if content is not None:
        return content_text(content)
    if isinstance(message.get("refusal"), str):
        return message["refusal"], None
    if message.get("tool_calls") or message.get("function_call"):
        return None, "the model called a tool, and wrote no text"
    if "content" in message:
        return "", None  # null, for example because the model was cut off while it was thinking
    return None, "the message has no content"


def content_text(content: object) -> tuple[str | None, str | None]:
    """Return the text of a message's content, or the reason why it has none.

    Parts are joined without a separator, as OpenAI's client does. The model's thoughts are left out.

    Args:
        content: Any JSON value.

    Example:
        >>> content_text([{"type": "text", "text": "Ye"}, {"type": "text", "text": "s."}])
        ('Yes.', None)
        >>> content_text(7)
        (None, "the reply's content is a number, not text")
    """
    if isinstance(content, str):
        return content, None
    if not isinstance(content, list):
        return None, f"{_NO_TEXT} {json_kind(content)}, not text"
    texts: list[str] = []
    for part in content:
        kind = part.get("type") if isinstance(part, Mapping) else None
        if isinstance(kind, str) and kind in _THOUGHT_PARTS:
            continue
        key = _TEXT_PARTS.get(kind) if isinstance(kind, str) else None
        text = None if key is None else part.get(key)
        if not isinstance(text, str):
            return None, f"{_NO_TEXT} in parts, and one of them is not text"
        texts.append(text)
    return "".join(texts), None


def reply_from_tgi_response(body: object, stop: Sequence[str] = ()) -> Reply:
    """Read the parsed body of a TGI response; a response without text becomes a reply with its error.

    Args:
        body: Any JSON value.
        stop: The stop texts. TGI leaves the one that it matched at the end of the text; it is removed here.

    Example:
        >>> reply_from_tgi_response([{"generated_text": "Yes."}]).generation
        'Yes.'
    """
    answer = body[0] if isinstance(body, list) and body else body
    text = answer.get("generated_text") if isinstance(answer, Mapping) else None
    if not isinstance(answer, Mapping) or not isinstance(text, str):
        error = answer.get("error") if isinstance(answer, Mapping) else None
        missing = f"{json_kind(answer)} without a generated text"
        problem = missing if error is None else f"an error: {error_message(error)}"
        return Reply(None, error=f"the server sent {problem}")
    for ending in stop:
        text = text.removesuffix(ending)
    details = answer.get("details")
    details = details if isinstance(details, Mapping) else {}
    prefill = details.get("prefill")
    return Reply(
        text,
        "length" if details.get("finish_reason") == "length" else "stop",
        prompt_tokens=len(prefill) or None if isinstance(prefill, list) else None,
        completion_tokens=details.get("generated_tokens"),
        logprob=_sum_of_logprobs(details.get("tokens")),
    )


def _sum_of_logprobs(tokens: object) -> float | None:
    """Return the sum of the tokens' log-probabilities; null if a token has none."""
    if not isinstance(tokens, list) or not tokens:
        return None
    logprobs = [token.get("logprob") if isinstance(token, Mapping) else None for token in tokens]
    numbers = [
        float(logprob)
        for logprob in logprobs
        if isinstance(logprob, int | float) and not isinstance(logprob, bool) and abs(logprob) < _LARGEST_LOGPROB
    ]
    return sum(numbers) if len(numbers) == len(logprobs) else None


def error_message(error: object) -> str:
    """Return the message in a response's ``error``, or the whole value as text if it has no message.

    Example:
        >>> error_message({"message": "overloaded", "code": 502}), error_message("overloaded")
        ('overloaded', 'overloaded')
    """
    message = error.get("message") if isinstance(error, Mapping) else error
    return message if isinstance(message, str) else str(error)


def json_kind(value: object) -> str:
    """Return the kind of a JSON value in words.

    Example:
        >>> json_kind([1]), json_kind(None)
        ('a list', 'null')
    """
    return next((name for type_, name in _KINDS.items() if isinstance(value, type_)), "null")
