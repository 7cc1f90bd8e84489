"""Failed requests in one line: how many, and why most of them."""

from collections import Counter
from collections.abc import Iterable, Sequence

_LONGEST = 300


def is_refusal(reason: str) -> bool:
    """Return whether a server read the request and said no to it, which is a result: it stays in every denominator.

    Example:
        >>> is_refusal("HTTP 400: rejected by the safety system"), is_refusal("HTTP 503: overloaded")
        (True, False)
    """
    return reason.startswith(("HTTP 400:", "HTTP 422:"))


def most_often(reasons: Iterable[str | None]) -> str | None:
    """Return the reason that most failures have; null where nothing failed.

    Example:
        >>> most_often(["no answer in time", None, "no answer in time", "HTTP 500: busy"])
        'no answer in time'
    """
    counted = Counter(reason for reason in reasons if reason is not None)
    return counted.most_common(1)[0][0] if counted else None


def failures(failed: int, requested: int, reason: str | None) -> str:
    r"""Return how many requests failed and why, in one line.

    Example:
        >>> failures(5, 1000, "CUDA out of\nmemory")
        '5 of 1,000 failed; most often: CUDA out of memory'
    """
    line = " ".join((reason or "nobody says why").split())
    line = line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
    return f"{failed:,} of {requested:,} failed; most often: {line}"


def nothing_in(run: str, errors: Sequence[str | None]) -> str | None:
    """Return why there is nothing to score or report in a run, and what to do; null where there is something.

    Args:
        run: The run folder, or several.
        errors: Of the last attempt of each call; null for a reply.

    Example:
        >>> nothing_in("runs/a", [])
        'runs/a holds no reply: ask it with `selfknow evaluate` first'
        >>> nothing_in("runs/a", [None, "no answer in time"]) is None
        True
    """
    if any(error is None or is_refusal(error) for error in errors):
        return None
    failed, reason = len(errors), most_often(errors)
    if not failed:
        return f"{run} holds no reply: ask it with `selfknow evaluate` first"
    return f"{run} holds no reply ({failures(failed, failed, reason)}): give the same `selfknow evaluate` again"
