"""Sentences of a reply, and the one that concludes it."""

import re

_END = re.compile(r"(?<=[.!?…])[\"”’')\]*_]*\s+(?=\S)|\n+")
_NOT_AN_END = re.compile(r"\b(?:e\.g|i\.e|vs|approx|no|cf|mr|mrs|dr|st|etc)\.$|^\W*\d+[.)]$", re.IGNORECASE)
_CONCLUDES = re.compile(
    r"^\W*(?:\d+[.)]\s+)?"
    r"(?:so|thus|therefore|hence|consequently|in (?:conclusion|total|all|summary|short)|overall|altogether|finally|"
    r"to (?:sum up|conclude)|the (?:final |correct )?answer|adding|(?:the )?total)\b|"
    r"\b(?:therefore|thus|hence|in total|in all|altogether|answer is)\b|[,;:–—] so\b",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"\([^()\n]*\)|\[[^\[\]\n]*\]|\([^()\n]*$", re.MULTILINE)
_QUOTED = re.compile(r"[\"“][^\"“”\n]*[\"”]|(?<!\w)['‘][^'‘’\n]*['’](?!\w)|`[^`\n]*`")


def sentences(text: str) -> list[str]:
    r"""The sentences of a text; a line ends one.

    >>> sentences("It is so. No. 5 wins!\nYes")
    ['It is so.', 'No. 5 wins!', 'Yes']
    """
    found: list[str] = []
    for piece in _END.split(text):
        if not piece or not piece.strip():
            continue
        if found and _NOT_AN_END.search(found[-1][-12:]):
            found[-1] = f"{found[-1]} {piece.strip()}"
        else:
            found.append(piece.strip())
    return found


def concludes(sentence: str) -> bool:
    """Whether a sentence says that it sums up: "So …", "… in total", "The answer is …"."""
    return bool(_CONCLUDES.search(sentence))


def without_asides(text: str) -> str:
    """A text without what stands in brackets, unless that is all that it says."""
    shorter = _BRACKETED.sub(" ", text)
    return shorter if re.search(r"\w", shorter) else text


def without_quotations(text: str) -> str:
    """A text without what it quotes, unless that is all that it says."""
    shorter = _QUOTED.sub(" ", text)
    return shorter if re.search(r"\w", shorter) else text
