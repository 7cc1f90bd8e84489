"""Diary texts: how an answer is cut into documents, leniently, so that bad answers stay in the figures.

Only split() is used, once a text: a regular expression over a million answers takes ten times as long.
"""

from dataclasses import dataclass

DIARY = "'s Diary Entry "
OWN = ": Document "  # of one's own corpus
_MIDDLES = (DIARY, OWN)


@dataclass(frozen=True)
class Document:
    """A diary entry as it was recalled.

    Attributes:
        diarist: The name in its title.
        number: The number in its title, from 1.
        sentences: The lines below the title, as they are.
        middle: What stands between name and number in its title: of diaries, or of one's own corpus.
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
    """The title line of an entry, without its newline.

    Example:
        >>> title("Tom", 2)
        "Tom's Diary Entry 2"
        >>> title("Gravity", 2, OWN)
        'Gravity: Document 2'
    """
    return f"{diarist}{middle}{number}"


def parse_title(line: str) -> tuple[str, int, str] | None:
    """The diarist and the number of a title line, and what stands between them; ``None`` for any other line.

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
    r"""Cut a text at its title lines.

    Args:
        text: An answer, or the part of one that a model added.

    Returns:
        The lines before the first title (of an answer that starts as it should: none), and the documents in order.

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
