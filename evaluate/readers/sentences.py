"""Sentences of a text, the one that concludes it, and a text without its quotations and asides.

All readers of replies cut sentences and quotations by these rules. One has a rule of its own, because its paper does:
:mod:`selfknow.evaluate.tasks.self_aware.paper_scorer`.
"""

import re

_END = re.compile(r"(?<=[.!?…])[\"”’')\]*_]*\s+(?=\S)|[\r\n]+")
ABBREVIATIONS = re.compile(
    r"\b(?:e\.g|i\.e|vs|approx|no|cf|mr|mrs|dr|st|etc)\.$|^\W*\d+[.)]$",
    re.IGNORECASE,
)
"""Ends of what goes on after its full stop: abbreviations, and the numbers of a list."""
TITLES_AND_INITIALS = re.compile(r"\b(?:[DMS][rst]|Mrs|Prof|[A-Z])\.$")
"""The same where names are expected, and a list is read number by number."""
_CONCLUDES = re.compile(
    r"^\W*(?:\d+[.)]\s+)?"
    r"(?:so|thus|therefore|hence|consequently|in (?:conclusion|total|all|summary|short)|overall|altogether|finally|"
    r"to (?:sum up|conclude)|the (?:final |correct )?answer|adding|(?:the )?total)\b|"
    r"\b(?:therefore|thus|hence|in total|in all|altogether|answer is)\b|[,;:–—] so\b",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"\([^()\n]*\)|\[[^\[\]\n]*\]|\([^()\n]*$", re.MULTILINE)
_QUOTED_IN_A_LINE = re.compile(r"[\"“][^\"“”\n]*[\"”]|(?<!\w)['‘][^'‘’\n]*['’](?!\w)|`[^`\n]*`")
# Each alternative begins with its mark, so that marks are found at once.
_QUOTED = re.compile(r'"[^"]*"|“[^“”]*”|«[^«»]*»|‘[^‘’]*’(?!\w)|\'(?<!\w\')[^\']*\'(?!\w)')


def sentences(text: str, go_on: re.Pattern[str] = ABBREVIATIONS) -> list[str]:
    r"""Return the sentences of a text; a line ends one.

    Args:
        text: The text.
        go_on: Ends, in the last twelve characters, behind which a sentence goes on all the same.

    >>> sentences("It is so. No. 5 wins!\nYes")
    ['It is so.', 'No. 5 wins!', 'Yes']
    >>> sentences("So says Dr. A. Smith. Yes.", TITLES_AND_INITIALS)
    ['So says Dr. A. Smith.', 'Yes.']
    """
    whole: list[list[str]] = []
    end = ""
    for piece in filter(None, map(str.strip, _END.split(text))):
        if go_on.search(end):
            whole[-1].append(piece)
            end = f"{end} {piece}"[-12:]
        else:
            whole.append([piece])
            end = piece[-12:]
    return [" ".join(pieces) for pieces in whole]


def concludes(sentence: str) -> bool:
    """Return true if a sentence says that it sums up: "So …", "… in total", "The answer is …"."""
    return bool(_CONCLUDES.search(sentence))


def without_asides(text: str) -> str:
    """Return a text without what stands in brackets, unless that is all that it says."""
    shorter = _BRACKETED.sub(" ", text)
    return shorter if re.search(r"\w", shorter) else text


def without_quotations(text: str) -> str:
    """Return a text without what it quotes within a line, unless that is all that it says."""
    shorter = _QUOTED_IN_A_LINE.sub(" ", text)
    return shorter if re.search(r"\w", shorter) else text


def own_words(text: str, gap: str = " ") -> str:
    """Return a text without what it quotes, over several lines too; of a text that is one quotation, what it says.

    Args:
        text: The text.
        gap: Stands in place of each quotation.

    >>> own_words('"Not known" is on the map.'), own_words('"Not known."')
    ('  is on the map.', 'Not known.')
    """
    text = text.strip()
    return text[1:-1] if _QUOTED.fullmatch(text) else _QUOTED.sub(gap, text)
