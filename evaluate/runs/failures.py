"""Failed requests in one line: how many, and why most of them."""

from collections import Counter
from collections.abc import Iterable

_LONGEST = 300


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


def no_reply(run: str, failed: int, reason: str | None) -> str:
    """Return why there is nothing to score or report in a run, and what to do.

    Args:
        run: The run folder, or several.
        failed: Its failed calls; it has no others.
        reason: Why most of them failed.

    Example:
        >>> no_reply("runs/a", 0, None)
        'runs/a holds no reply: ask it with `selfknow evaluate` first'
    """
    if not failed:
        return f"{run} holds no reply: ask it with `selfknow evaluate` first"
    return f"{run} holds no reply ({failures(failed, failed, reason)}): give the same `selfknow evaluate` again"
