"""What a person or their data can get wrong, told apart from our own mistakes."""

from collections.abc import Iterable

_LISTED = 16  # names that a line can hold
_LIKE, _AS_LIKE = 0.6, 0.05  # difflib's own measure of what is close, and how much less close a second name may be
_SHORT = 2  # letters of a name whose beginning says nothing


class UserError(ValueError):
    """A mistake that its maker can mend: the message is one clear line and says how.

    The command line prints it on stderr without a traceback and exits with code 2.
    """


class MissingExtraError(UserError):
    """A part of selfknow was used whose optional dependencies are not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs the extra [{extra}]: pip install 'selfknow[{extra}]'")


class SelfknowWarning(UserWarning):
    """Something that goes on, but that its user should know: the command line shows its one line on stderr, once."""


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: those that were probably meant, or else all there are.

    Args:
        name: What was written.
        known: The names that there are, in the order in which people should read them.

    Example:
        >>> f"unknown task 'gsm9k'{nearest('gsm9k', ['diary-recall', 'gsm8k'])}"
        "unknown task 'gsm9k': did you mean 'gsm8k'?"
        >>> f"unknown style 'curt'{nearest('curt', ['plain', 'expert'])}"
        "unknown style 'curt': choose from plain, expert"
    """
    names = list(dict.fromkeys(known))
    if near := _near(name, names):
        return f": did you mean {' or '.join(repr(one) for one in near)}?"
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f": choose from {', '.join(names[:_LISTED])}{more}" if names else ""


def _near(name: str, names: Iterable[str], most: int = 3) -> list[str]:
    """The names that differ in case or hyphens alone, or begin or end like this one, or else are spelt like it."""
    from difflib import SequenceMatcher

    wanted = _folded(name)
    folded = {one: _folded(one) for one in names}
    if found := [one for one, its in folded.items() if its == wanted]:
        return found[:most]
    begins, ends = (f"{wanted}-", f"{wanted}/"), f"/{wanted}"
    found = [one for one, its in folded.items() if its.startswith(begins) or its.endswith(ends)]
    if found and len(wanted) > _SHORT:
        return found[:most]
    ratios = {one: SequenceMatcher(None, its, wanted).ratio() for one, its in folded.items()}
    least = max(_LIKE, max(ratios.values(), default=0) - _AS_LIKE)
    return sorted((one for one in ratios if ratios[one] >= least), key=lambda one: -ratios[one])[:most]


def _folded(name: str) -> str:
    return name.strip().lower().replace("_", "-").replace(" ", "-")
