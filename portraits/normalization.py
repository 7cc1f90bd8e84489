"""The normalisation of a text before its n-grams are taken: none, or that of the Data Portraits tool.

``data-portraits`` (Marone and Van Durme, 2023) turns a run of line ends into one line feed, and any other run of white
space into one space. Then it drops a space at the start of a line, and white space at both ends. Letters do not change.
"""

import re
from typing import Literal, get_args

import pyarrow as pa
import pyarrow.compute as pc

from selfknow.errors import UserError, nearest

Normalization = Literal["none", "data-portraits"]

# All that Python's ``\s`` matches in a str except line ends; spelt out because RE2's ``\s`` is ASCII only.
_BLANKS = (
    "\t\x0b\x0c\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_TOKEN = re.compile(r"(?P<line_end>[\r\n]+)|(?P<blank>[^\S\r\n]+)|\S+")


def check_normalization(name: str) -> Normalization:
    """Return the name if there is a normalisation of this name.

    Raises:
        UserError: The name is unknown.
    """
    for known in get_args(Normalization):
        if name == known:
            return known  # type: ignore[no-any-return]
    raise UserError(f"unknown normalization {name!r}{nearest(name, get_args(Normalization))}")


def normalize(texts: pa.LargeStringArray, normalization: Normalization) -> pa.LargeStringArray:
    """Normalise an array of texts; nulls stay null."""
    if normalization == "none":
        return texts
    texts = pc.replace_substring_regex(texts, pattern=r"[\r\n]+", replacement="\n")
    texts = pc.replace_substring_regex(texts, pattern=f"[{_BLANKS}]+", replacement=" ")
    texts = pc.replace_substring(texts, pattern="\n ", replacement="\n")
    return pc.utf8_trim(texts, characters=" \n")


def normalize_with_positions(text: str, normalization: Normalization) -> tuple[str, list[int]]:
    """Normalise a text, and return the result with the position of each of its characters in the original."""
    if normalization == "none":
        return text, list(range(len(text)))
    characters: list[str] = []
    positions: list[int] = []
    for match in _TOKEN.finditer(text):
        if match["line_end"] or match["blank"]:
            if not (match["blank"] and characters and characters[-1] == "\n"):
                characters.append("\n" if match["line_end"] else " ")
                positions.append(match.start())
        else:
            characters.extend(match[0])
            positions.extend(range(*match.span()))
    normalized = "".join(characters)
    start = len(normalized) - len(normalized.lstrip())
    end = max(start, len(normalized.rstrip()))
    return normalized[start:end], positions[start:end]
