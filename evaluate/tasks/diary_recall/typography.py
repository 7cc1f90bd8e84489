"""Diary entries without their typography, so that formatting does not make an entry wrong.

Exact match compares bytes. All other metrics of an answer's entries ignore typography: curly apostrophes, carriage
returns, white space and quotation marks around a line, Markdown (bold, headings, bullets, fences, rules), numbering, a
colon after a title, and empty lines. A line that ends like a sentence and is no "attribute: value" is the model's
remark; at the end of an answer it is ignored.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from selfknow.evaluate.tasks.diary_recall.documents import DIARY, Document, cut, parse_title

_DRESSED = re.compile(r"[^\w \n:',-]|_|^[ :,-]|[ :]$|^$|  ", re.MULTILINE)
"""Marks that never occur in a plain diary. An answer without them has no typography to remove."""
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\u00b4\u2032", "'"))
_SYMBOLS = "\u2600-\u27bf\u2b00-\u2bff\ufe0f\U0001f300-\U0001faff"
_QUOTES = '"“”„«»'
_LEADING = re.compile(rf"(?:[-+*•▪◦●–—>]\s+|>|#{{1,6}}\s+|\d{{1,3}}[.)]\s+|[{_SYMBOLS}{_QUOTES}]\s*)+")
_TRAILING = re.compile(rf"(?:(?<![\s{_SYMBOLS}{_QUOTES}]))[\s{_SYMBOLS}{_QUOTES}]+\Z")
_EMPHASIS = re.compile(r"(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)|`+|</?(?:b|i|strong|em)>|\\(?=')")


def is_dressed(text: str) -> bool:
    """Return true if a text has typography."""
    return bool(_DRESSED.search(text))


def undressed(line: str) -> str:
    r"""Return a line without typography; it may be empty.

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
    r"""Read the documents of an answer, without typography.

    Example:
        >>> answer = "Sure!\n\n**Tom’s Diary Entry 1**\n* Mood: Sad\n\nThat is all."
        >>> [document.text for document in read_documents(answer)]
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
    """Return true if a line is the model's own remark: it ends like a sentence, and names no attribute."""
    return line.endswith((".", "!", "?", "…", ":")) and ": " not in line


@lru_cache(maxsize=65_536)
def undressed_document(document: Document) -> Document:
    """Return a document of the target without typography, to compare it with an answer's."""
    sentences = tuple(bare for line in document.sentences if (bare := undressed(line)))
    return Document(undressed(document.diarist), document.number, sentences, document.middle)


def corrects_itself(documents: Sequence[Document]) -> bool:
    """Return true if an entry is repeated after a remark, so that it is unknown which of the two counts."""
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
    """An answer and its target in comparable form.

    Attributes:
        recalled: The documents of the answer, without typography unless they are right byte for byte.
        target: The documents of the target in the same form.
        has_right_content: True if the answer is right as far as it goes, byte for byte.
        is_dressed: True if typography was removed.
    """

    recalled: tuple[Document, ...]
    target: tuple[Document, ...]
    has_right_content: bool
    is_dressed: bool = False


def read_answer(text: str, target: tuple[Document, ...]) -> ReadAnswer:
    """Read the documents of an answer, without typography unless they are right byte for byte."""
    before, recalled = cut(text)
    is_right_so_far = all(document == expected for document, expected in zip(recalled, target, strict=False))
    has_right_content = bool(recalled) and not before and is_right_so_far
    if has_right_content or not is_dressed(text):
        return ReadAnswer(recalled, target, has_right_content)
    return ReadAnswer(read_documents(text), tuple(map(undressed_document, target)), False, is_dressed=True)
