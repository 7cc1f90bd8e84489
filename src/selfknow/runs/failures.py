"""Failed requests in one line: their number, and the most common reason."""

from collections import Counter
from collections.abc import Iterable, Sequence

_LONGEST_LINE_IN_CHARACTERS = 300


def is_refusal(reason: str) -> bool:
    """Return true if a server read the request and refused it. A refusal is a result and stays in every denominator.

    Example:
        >>> is_refusal("HTTP 400: rejected by the safety system"), is_refusal("HTTP 503: overloaded")
        (True, False)
    """
    return reason.startswith(("HTTP 400:", "HTTP 422:"))


def most_common_reason(reasons: Iterable[str | None]) -> str | None:
    """Return the most common reason of failures; null if nothing failed.

    Example:
        >>> most_common_reason(["no answer in time", None, "no answer in time", "HTTP 500: busy"])
        'no answer in time'
    """
    counts = Counter(reason for reason in reasons if reason is not None)
    return counts.most_common(1)[0][0] if counts else None


def describe_failures(failed: int, requested: int, reason: str | None) -> str:
    r"""Describe failed requests in one line: their number and the reason.

    Example:
        >>> describe_failures(5, 1000, "CUDA out of\nmemory")
        '5 of 1,000 failed; most often: CUDA out of memory'
    """
    line = " ".join((reason or "no reason known").split())
    if len(line) > _LONGEST_LINE_IN_CHARACTERS:
        line = f"{line[: _LONGEST_LINE_IN_CHARACTERS - 1]}…"
    return f"{failed:,} of {requested:,} failed; most often: {line}"


def explain_no_replies(run: str, errors: Sequence[str | None]) -> str | None:
    """Explain why a run has nothing to score or report, and what to do; null if it has replies.

    A refusal counts as a reply.

    Args:
        run: The run folder, or several, as text for the message.
        errors: The error of each call's last attempt; null for a reply.

    Example:
        >>> explain_no_replies("runs/a", [])
        'runs/a holds no reply: run `selfknow evaluate` first'
        >>> explain_no_replies("runs/a", [None, "no answer in time"]) is None
        True
    """
    if any(error is None or is_refusal(error) for error in errors):
        return None
    failed, reason = len(errors), most_common_reason(errors)
    if not failed:
        return f"{run} holds no reply: run `selfknow evaluate` first"
    return f"{run} holds no reply ({describe_failures(failed, failed, reason)}): run the same `selfknow evaluate` again"
