"""Diary entries read through typography: however an answer sets them, what they say is compared.

Exact match stays to the byte. Which entries an answer has, and which of them are right, is read from lines without
what only sets them: curly apostrophes, carriage returns, spaces of other widths and around a line, quotation marks
around it, Markdown (bold, headings, bullets, fences, rules), numbering, a colon after a title, empty lines. A line of
a diary that is no "attribute: value" and ends a sentence is a remark of the model's; at the end of an answer it is
left out.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from selfknow.evaluate.tasks.diary_recall.documents import DIARY, Document, cut, parse_title

_DRESSED = re.compile(r"[^\w \n:',-]|_|^[ :,-]|[ :]$|^$|  ", re.MULTILINE)
"""What a plain diary never holds: an answer without it is read as it is."""
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\u00b4\u2032", "'"))
_SYMBOLS = "\u2600-\u27bf\u2b00-\u2bff\ufe0f\U0001f300-\U0001faff"
_QUOTES = '"“”„«»'
_LEADING = re.compile(rf"(?:[-+*•▪◦●–—>]\s+|>|#{{1,6}}\s+|\d{{1,3}}[.)]\s+|[{_SYMBOLS}{_QUOTES}]\s*)+")
_TRAILING = re.compile(rf"(?:(?<![\s{_SYMBOLS}{_QUOTES}]))[\s{_SYMBOLS}{_QUOTES}]+\Z")
_EMPHASIS = re.compile(r"(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)|`+|</?(?:b|i|strong|em)>|\\(?=')")


def is_dressed(text: str) -> bool:
    """Return true if a text has marks that only lay out its lines."""
    return bool(_DRESSED.search(text))


def undressed(line: str) -> str:
    r"""Return a line without what only sets it; empty where nothing is left.

    Example:
        >>> undressed("- **Location**: City  \r"), undressed("### Tom’s Diary Entry 2"), undressed("---")
        ('Location: City', "Tom's Diary Entry 2", '')
    """
    if line.lstrip().startswith("```"):
        return ""
    bare = " ".join(_EMPHASIS.sub("", line.translate(_APOSTROPHES)).split())
    if leading := _LEADING.match(bare):
        bare = bare[leading.end() :]
    bare = _TRAILING.sub("", bare)
    title = bare.rstrip(" :")
    if title != bare and parse_title(title):
        return title
    return bare if any(map(str.isalnum, bare)) else ""


def read_documents(text: str) -> tuple[Document, ...]:
    r"""Cut an answer at its title lines, however they are set.

    Example:
        >>> [one.text for one in read_documents("Sure!\n\n**Tom’s Diary Entry 1**\n* Mood: Sad\n\nThat is all.")]
        ["Tom's Diary Entry 1\nMood: Sad"]
    """
    lines = [bare for line in text.splitlines() if (bare := undressed(line))]
    _, documents = cut("\n".join(lines))
    if documents and documents[-1].middle == DIARY:
        while len(lines) > 1 and is_remark(lines[-1]):
            lines.pop()
        _, documents = cut("\n".join(lines))
    return documents


def is_remark(line: str) -> bool:
    """Return true for a line that is the model's own sentence: it ends as one, and names no attribute."""
    return line.endswith((".", "!", "?", "…", ":")) and ": " not in line


@lru_cache(maxsize=65_536)
def undressed_document(document: Document) -> Document:
    """Return a document of the target with its lines read as those of an answer are."""
    sentences = tuple(bare for line in document.sentences if (bare := undressed(line)))
    return Document(undressed(document.diarist), document.number, sentences, document.middle)


def corrects_itself(documents: Sequence[Document]) -> bool:
    """Return true if an entry stands again after a remark: nobody can tell which of the two counts."""
    remarks = 0
    remarks_before: dict[tuple[str, int], int] = {}
    for document in documents:
        key = (document.diarist, document.number)
        if document.middle == DIARY and remarks > remarks_before.setdefault(key, remarks):
            return True
        remarks += any(is_remark(line) for line in document.sentences)
    return False


@dataclass(frozen=True)
class ReadAnswer:
    """An answer as it is compared with its target.

    Attributes:
        recalled: Its documents: byte for byte where they are right that way, else through typography.
        target: The documents of the target, read in the same way.
        has_right_content: True if what was recalled has no error as far as it goes, byte for byte.
        is_dressed: True if it was read through typography.
    """

    recalled: tuple[Document, ...]
    target: tuple[Document, ...]
    has_right_content: bool
    is_dressed: bool = False


def read_answer(text: str, target: tuple[Document, ...]) -> ReadAnswer:
    """Read an answer, through typography where it holds any."""
    before, recalled = cut(text)
    as_far_as_it_goes = all(document == expected for document, expected in zip(recalled, target, strict=False))
    has_right_content = bool(recalled) and not before and as_far_as_it_goes
    if has_right_content or not is_dressed(text):
        return ReadAnswer(recalled, target, has_right_content)
    return ReadAnswer(read_documents(text), tuple(map(undressed_document, target)), False, is_dressed=True)
