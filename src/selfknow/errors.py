"""Errors of a person or their data, as opposed to our own mistakes."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_MAX_LISTED = 16  # names that a line can hold
_MIN_RATIO = 0.6  # difflib's own bound for a close match
_MAX_GAP = 0.05  # between the ratios of the best match and of another one
_MAX_SHORT = 2  # letters of a name that is too short to match by its beginning


class UserError(ValueError):
    """A mistake that the user can correct; the message says how, in one clear line.

    The command line prints it on stderr without a traceback and exits with code 2.
    """


class MissingExtraError(UserError):
    """A use of selfknow that needs optional dependencies that are not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs the extra [{extra}]: pip install 'selfknow[{extra}]'")


class SelfknowWarning(UserWarning):
    """A fact that the user should know, although the work continues; the command line prints it on stderr, once."""


_FLAGS: ContextVar[bool] = ContextVar("_FLAGS", default=False)


@contextmanager
def command_line() -> Iterator[None]:
    """Let errors name options as flags within a block; outside of it they name Python's arguments."""
    token = _FLAGS.set(True)
    try:
        yield
    finally:
        _FLAGS.reset(token)


def argument(name: str, value: object = None, *, flag: str | None = None) -> str:
    """Return an option as its user writes it: an argument in Python, a flag on the command line.

    Args:
        name: The argument.
        value: Its value; null returns only the name. On the command line a switch has no value.
        flag: The text after the hyphens on the command line; null uses the name and the value.

    Example:
        >>> argument("max_new_tokens"), argument("precision", "saved"), argument("chat", False)
        ('max_new_tokens=', "precision='saved'", 'chat=False')
        >>> with command_line():
        ...     argument("max_new_tokens"), argument("precision", "saved"), argument("chat", False)
        ('--max-new-tokens', '--precision saved', '--no-chat')
    """
    if not _FLAGS.get():
        return f"{name}=" if value is None else f"{name}={value!r}"
    if flag is not None:
        return f"--{flag}"
    flag = name.replace("_", "-")
    if isinstance(value, bool):
        return f"--{flag}" if value else f"--no-{flag}"
    return f"--{flag}" if value is None else f"--{flag} {value}"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the similar known names, or else all known names.

    Args:
        name: The unknown name.
        known: The known names, in the order in which people should read them.

    Example:
        >>> f"unknown task 'gsm9k'{nearest('gsm9k', ['diary-recall', 'gsm8k'])}"
        "unknown task 'gsm9k': did you mean 'gsm8k'?"
        >>> f"unknown style 'curt'{nearest('curt', ['plain', 'expert'])}"
        "unknown style 'curt': choose from plain, expert"
    """
    names = list(dict.fromkeys(known))
    if matches := close_matches(name, names):
        return f": did you mean {' or '.join(map(repr, matches))}?"
    more = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    return f": choose from {', '.join(names[:_MAX_LISTED])}{more}" if names else ""


def close_matches(name: str, names: Iterable[str], limit: int = 3) -> list[str]:
    """Return the names that are most like ``name``.

    These are names that differ only in case or hyphens; else names of which ``name`` is the first or last part; else
    names with a similar spelling.

    Example:
        >>> close_matches("opt-126m", ["opt-125m", "pythia-70m"])
        ['opt-125m']
    """
    from difflib import SequenceMatcher

    folded_name = _fold(name)
    folded = {known: _fold(known) for known in names}
    if matches := [known for known, key in folded.items() if key == folded_name]:
        return matches[:limit]
    beginnings, ending = (f"{folded_name}-", f"{folded_name}/"), f"/{folded_name}"
    matches = [known for known, key in folded.items() if key.startswith(beginnings) or key.endswith(ending)]
    if matches and len(folded_name) > _MAX_SHORT:
        return matches[:limit]
    ratios = {known: SequenceMatcher(None, key, folded_name).ratio() for known, key in folded.items()}
    least_ratio = max(_MIN_RATIO, max(ratios.values(), default=0) - _MAX_GAP)
    matches = [known for known in ratios if ratios[known] >= least_ratio]
    return sorted(matches, key=lambda known: -ratios[known])[:limit]


def _fold(name: str) -> str:
    return name.strip().lower().replace("_", "-").replace(" ", "-")
