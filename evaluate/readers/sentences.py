"""Splitting of a text into sentences, and removal of quotations and asides.

All readers of replies use these rules, except :mod:`selfknow.evaluate.tasks.self_aware.paper_scorer`, which follows its
paper.
"""

import re

_END = re.compile(r"(?<=[.!?…])[\"”’')\]*_]*\s+(?=\S)|[\r\n]+")
ABBREVIATIONS = re.compile(
    r"\b(?:e\.g|i\.e|vs|approx|no|cf|mr|mrs|dr|st|etc)\.$|^\W*\d+[.)]$",
    re.IGNORECASE,
)
"""Full stops that do not end a sentence: those of abbreviations and of list numbers."""
TITLES_AND_INITIALS = re.compile(r"\b(?:[DMS][rst]|Mrs|Prof|[A-Z])\.$")
"""Full stops that do not end a sentence in texts with names: those of titles and initials."""
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
    r"""Return the sentences of a text; a line break ends a sentence.

    Args:
        text: The text.
        go_on: Full stops that do not end a sentence, within its last twelve characters.

    >>> sentences("It is so. No. 5 wins!\nYes")
    ['It is so.', 'No. 5 wins!', 'Yes']
    >>> sentences("So says Dr. A. Smith. Yes.", TITLES_AND_INITIALS)
    ['So says Dr. A. Smith.', 'Yes.']
    """
    pieces_of_sentences: list[list[str]] = []
    end = ""
    for piece in filter(None, map(str.strip, _END.split(text))):
        if go_on.search(end):
            pieces_of_sentences[-1].append(piece)
            end = f"{end} {piece}"[-12:]
        else:
            pieces_of_sentences.append([piece])
            end = piece[-12:]
    return [" ".join(pieces) for pieces in pieces_of_sentences]


def concludes(sentence: str) -> bool:
    """Return true if a sentence has words of conclusion: "So …", "… in total", "The answer is …"."""
    return bool(_CONCLUDES.search(sentence))


def without_asides(text: str) -> str:
    """Return a text without its brackets, unless all words are in brackets."""
    shorter = _BRACKETED.sub(" ", text)
    return shorter if re.search(r"\w", shorter) else text


def without_quotations(text: str) -> str:
    """Return a text without quotations within a line, unless all words are quoted."""
    shorter = _QUOTED_IN_A_LINE.sub(" ", text)
    return shorter if re.search(r"\w", shorter) else text


def own_words(text: str, gap: str = " ") -> str:
    """Return a text without its quotations, which may span lines; a text that is one quotation loses only its marks.

    Args:
        text: The text.
        gap: The replacement of each quotation.

    >>> own_words('"Not known" is on the map.'), own_words('"Not known."')
    ('  is on the map.', 'Not known.')
    """
    text = text.strip()
    return text[1:-1] if _QUOTED.fullmatch(text) else _QUOTED.sub(gap, text)
