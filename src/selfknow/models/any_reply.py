"""Conversion of replies, which a server or a function may fill with anything, into rows that Parquet can hold.

Characters that cannot be encoded are replaced. A reply without readable text becomes a failed reply with its reason.
Other fields, such as a number of tokens, become null if they cannot be read.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import Any

from selfknow.models.interface import Reply, Request

LONGEST_REPLY_IN_CHARACTERS = 1 << 24
"""The longest reply that is stored. A longer one becomes a failed reply, so that a part of a run fits into memory."""
_LONGEST_REASON_IN_CHARACTERS = 2_000
_LONGEST_FINISH_REASON_IN_CHARACTERS = 100
_MOST_TOKENS = 2**31 - 1  # the column is int32


def writable_reply(request: Request, reply: object) -> Reply:
    r"""Return a reply in which every field can be writable.

    Args:
        request: The request; if it forces a continuation, the reply must have a log-probability.
        reply: Any value that the model yielded: a :class:`Reply` with fields of any type, or another object.

    Example:
        >>> strange_reply = Reply("It is \ud83d.", prompt_tokens=2**70)
        >>> writable_reply(Request("1", "?"), strange_reply).prompt_tokens is None
        True
        >>> writable_reply(Request("1", "?"), Reply(7)).error
        'the reply is of type int, not text'
    """
    if not issubclass(type(reply), Reply):  # isinstance would call the object's own code
        return Reply(None, error=f"the model yielded {type(reply).__name__}, not a Reply")
    assert isinstance(reply, Reply)
    writable = Reply(
        None,
        _short_text(reply.finish_reason),
        _text(reply.rendered_prompt),
        _messages(reply.messages),
        _token_count(reply.prompt_tokens),
        _token_count(reply.completion_tokens),
        _read_number(reply.logprob),
        _reason(reply.error),
    )
    if writable.error is not None:
        return replace(writable, generation=_text(reply.generation))
    if request.forced is not None and writable.logprob is None:
        return replace(writable, error=f"the model gave no log-probability, but {_describe_value(reply.logprob)}")
    if not issubclass(type(reply.generation), str):
        return replace(writable, error=f"the reply is of type {type(reply.generation).__name__}, not text")
    generation = writable_text(reply.generation)  # type: ignore[arg-type]
    if len(generation) > LONGEST_REPLY_IN_CHARACTERS:
        limit = f"more than the {LONGEST_REPLY_IN_CHARACTERS:,} that are kept"
        return replace(writable, error=f"the reply has {len(generation):,} characters, {limit}")
    return replace(writable, generation=generation)


def writable_text(text: str) -> str:
    r"""Return a text that can be encoded: surrogate pairs are joined, and a lone surrogate becomes U+FFFD.

    Example:
        >>> writable_text("\ud83d\ude00 \ud83d") == "\U0001f600 \ufffd"
        True
    """
    text = str.__str__(text)  # a subclass may override __str__
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def describe_error(error: BaseException) -> str:
    """Return an exception's type and message, with a placeholder for a message that cannot be read.

    Example:
        >>> describe_error(ValueError("too long"))
        'ValueError: too long'
    """
    try:
        message = str(error)
    except Exception:
        message = "(its message cannot be read)"
    return _shorten(f"{type(error).__name__}: {message}")


def _text(value: object) -> str | None:
    if not issubclass(type(value), str):
        return None
    text = writable_text(value)  # type: ignore[arg-type]
    return text if len(text) <= LONGEST_REPLY_IN_CHARACTERS else None


def _short_text(value: object) -> str | None:
    text = _text(value)
    return text if text is not None and len(text) <= _LONGEST_FINISH_REASON_IN_CHARACTERS else None


def _reason(value: object) -> str | None:
    return None if value is None else _shorten(_text(value) or _describe_value(value))


def _shorten(text: str) -> str:
    text = writable_text(text[: _LONGEST_REASON_IN_CHARACTERS + 1])
    return text if len(text) <= _LONGEST_REASON_IN_CHARACTERS else f"{text[:_LONGEST_REASON_IN_CHARACTERS]}…"


def _describe_value(value: object) -> str:
    """Return a value's shortened repr, or its type if it has no repr."""
    try:
        return _shorten(repr(value))
    except Exception:
        return f"a value of type {type(value).__name__}"


def _token_count(value: object) -> int | None:
    """Return a number of tokens; null if it is not a whole number from 0 to the largest int32."""
    if type(value) is int:
        return value if 0 <= value <= _MOST_TOKENS else None
    number = _read_number(value)
    is_count = number is not None and number.is_integer() and 0 <= number <= _MOST_TOKENS
    return int(number) if number is not None and is_count else None


def _read_number(value: object) -> float | None:
    """Return a finite number; null for any other value."""
    if value is None or type(value) is bool:
        return None
    if type(value) is float:
        return value if math.isfinite(value) else None
    try:
        number = float(value) if isinstance(value, Real) else math.nan
    except Exception:
        return None
    return number if math.isfinite(number) else None


def _messages(value: object) -> tuple[dict[str, Any], ...] | None:
    """Return the chat messages; null if the value is not a list of messages."""
    if not issubclass(type(value), list | tuple):
        return None
    try:
        return tuple(_message(message) for message in value)  # type: ignore[attr-defined]
    except Exception:
        return None


def _message(value: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _field_text(value.get(name)) for name in ("role", "content")}


def _field_text(value: object) -> str | None:
    if value is None:
        return None
    return writable_text(value if isinstance(value, str) else json.dumps(value))
