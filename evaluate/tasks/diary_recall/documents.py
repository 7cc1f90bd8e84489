"""The documents in diary texts, and their match with those of the target, which is the true answer.

Texts are split without regular expressions, which take ten times as long over a million answers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

DIARY = "'s Diary Entry "
OWN = ": Document "  # in the titles of a corpus that the user made
_MIDDLES = (DIARY, OWN)


@dataclass(frozen=True)
class Document:
    """A titled document of an answer or a target: a diary entry, or a document of the user's own corpus.

    Attributes:
        diarist: The name in the title.
        number: The number in the title, from 1.
        sentences: The lines below the title, unchanged.
        middle: The text between name and number in the title: :data:`DIARY` or :data:`OWN`.
    """

    diarist: str
    number: int
    sentences: tuple[str, ...]
    middle: str = DIARY

    @property
    def title(self) -> str:
        """The title line, without its newline."""
        return title(self.diarist, self.number, self.middle)

    @property
    def text(self) -> str:
        """The whole document, without a newline at its end."""
        return "\n".join((self.title, *self.sentences))


def title(diarist: str, number: int, middle: str = DIARY) -> str:
    """Return the title line of an entry, without its newline.

    Example:
        >>> title("Tom", 2)
        "Tom's Diary Entry 2"
        >>> title("Gravity", 2, OWN)
        'Gravity: Document 2'
    """
    return f"{diarist}{middle}{number}"


def parse_title(line: str) -> tuple[str, int, str] | None:
    """Return the diarist, the number and the text between them of a title line; None for any other line.

    Example:
        >>> parse_title("Mary-Ann O'Neill's Diary Entry 12")
        ("Mary-Ann O'Neill", 12, "'s Diary Entry ")
        >>> parse_title("Tom's Diary Entry 01") is None
        True
    """
    for middle in _MIDDLES:
        if middle in line:
            diarist, _, number = line.rpartition(middle)
            if diarist and number.isascii() and number.isdigit() and number[0] != "0" and len(number) <= 9:
                return diarist, int(number), middle
    return None


def cut(text: str) -> tuple[tuple[str, ...], tuple[Document, ...]]:
    r"""Split a text at its title lines.

    Args:
        text: An answer, or the continuation of a started answer.

    Returns:
        The lines before the first title (none if the answer starts correctly), and the documents in order.

    Example:
        >>> cut("Mood: Sad\nTom's Diary Entry 2\nTime: Morning")
        (('Mood: Sad',), (Document(diarist='Tom', number=2, sentences=('Time: Morning',), middle="'s Diary Entry "),))
    """
    before: list[str] = []
    documents: list[tuple[str, int, str, list[str]]] = []
    for line in text.split("\n") if text else []:
        head = parse_title(line) if DIARY in line or OWN in line else None
        if head is not None:
            documents.append((*head, []))
        elif documents:
            documents[-1][3].append(line)
        else:
            before.append(line)
    return tuple(before), tuple(
        Document(name, number, tuple(lines), middle) for name, number, middle, lines in documents
    )


class Fate(StrEnum):
    """The result of matching one document of an answer or a target.

    The first five are documents of the answer, so their counts add up to the number recalled. The counts of
    ``correct``, ``wrong`` and ``missing`` add up to the number in the target.
    """

    correct = "correct"  # in the target, without an error
    wrong = "wrong"  # in the target, with an error
    repeated = "repeated"  # in the target, but recalled before
    beyond = "beyond"  # the diarist's, but with a number that the target does not have
    foreign = "foreign"  # another diarist's title
    missing = "missing"  # in the target, not recalled


@dataclass(frozen=True)
class MatchedDocument:
    """One document of the answer or the target.

    Attributes:
        place: The document's place in the answer, from 1; null if it is missing there.
        number: The number in its title.
        fate: The result of the match.
        recalled_sentences: The number of lines below its title in the answer; null if it is missing there.
        target_sentences: The number of its sentences in the target; null if it is not in the target.
        body: The lines below its title without typography; null if the answer has no typography.
    """

    place: int | None
    number: int
    fate: Fate
    recalled_sentences: int | None
    target_sentences: int | None
    body: str | None = None


def match(recalled: Sequence[Document], target: Sequence[Document]) -> Iterator[MatchedDocument]:
    """Match the documents of an answer to those of its target, by their titles.

    Args:
        recalled: The documents of the answer, in order.
        target: The documents of the target, each number once.
    """
    target_documents = {(document.diarist, document.number, document.middle): document for document in target}
    diarists = {document.diarist for document in target}
    seen: set[tuple[str, int, str]] = set()
    for place, document in enumerate(recalled, start=1):
        key = (document.diarist, document.number, document.middle)
        expected = target_documents.get(key)
        if document.diarist not in diarists:
            fate = Fate.foreign
        elif expected is None:
            fate = Fate.beyond
        elif key in seen:
            fate = Fate.repeated
        else:
            fate = Fate.correct if document.sentences == expected.sentences else Fate.wrong
        seen.add(key)
        length = None if expected is None else len(expected.sentences)
        yield MatchedDocument(place, document.number, fate, len(document.sentences), length)
    for key, document in target_documents.items():
        if key not in seen:
            yield MatchedDocument(None, document.number, Fate.missing, None, len(document.sentences))
