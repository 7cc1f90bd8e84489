"""One recalled answer against its target: what became of every document."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from selfknow.evaluate.tasks.diary_recall.documents import Document


class Fate(StrEnum):
    """What a document of an answer or of its target turned out to be.

    The first five are documents of the answer, so they add up to the number recalled; ``correct``, ``wrong`` and
    ``missing`` add up to the number in the target.
    """

    correct = "correct"  # in the target, and every line of it right
    wrong = "wrong"  # in the target, with an error
    repeated = "repeated"  # a number of the target once more
    beyond = "beyond"  # the diarist's, but with a number that the target does not have
    foreign = "foreign"  # another diarist's title
    missing = "missing"  # in the target, not recalled


@dataclass(frozen=True)
class MatchedDocument:
    """One document of the answer or the target.

    Attributes:
        place: Its place in the answer, from 1; null where it is missing.
        number: The number in its title.
        fate: What it turned out to be.
        recalled_sentences: Lines below its title in the answer; null where it is missing.
        target_sentences: Sentences that it has in the target; null where it is not there.
        body: The lines below its title as they were read through typography; null where they are as written.
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
        recalled: The answer's, in the order recalled.
        target: The diarist's, each number once.
    """
    wanted = {(document.diarist, document.number, document.middle): document for document in target}
    diarists = {document.diarist for document in target}
    seen: set[tuple[str, int, str]] = set()
    for place, document in enumerate(recalled, start=1):
        key = (document.diarist, document.number, document.middle)
        aim = wanted.get(key)
        if document.diarist not in diarists:
            fate = Fate.foreign
        elif aim is None:
            fate = Fate.beyond
        elif key in seen:
            fate = Fate.repeated
        else:
            fate = Fate.correct if document.sentences == aim.sentences else Fate.wrong
        seen.add(key)
        length = None if aim is None else len(aim.sentences)
        yield MatchedDocument(place, document.number, fate, len(document.sentences), length)
    for key, document in wanted.items():
        if key not in seen:
            yield MatchedDocument(None, document.number, Fate.missing, None, len(document.sentences))
