"""Flaws that the text of a question and its answers shows: near-duplicates, leaked answers, short aliases."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence

NEAR_DUPLICATE = 0.7  # least Jaccard similarity of the shingles of two near-duplicates
SHINGLE_WIDTH = 5  # characters
LONGEST_SHORT_ALIAS = 3  # characters
_WORD = re.compile(r"\w+")


def normalized(text: str) -> str:
    """Return the words of a text in lower case, with one space between them.

    >>> normalized("What's  in a name?")
    'what s in a name'
    """
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", text).lower()))


def shingles(text: str) -> frozenset[str]:
    """Return all runs of five characters of the lower-case text; a shorter text is one run."""
    lowered = text.lower()
    return frozenset(
        lowered[start : start + SHINGLE_WIDTH] for start in range(max(1, len(lowered) - SHINGLE_WIDTH + 1))
    )


def similarity(first: frozenset[str], second: frozenset[str]) -> float:
    """Return the Jaccard similarity of two sets.

    >>> similarity(shingles("Who am I?"), shingles("Who am I?"))
    1.0
    """
    return len(first & second) / len(first | second)


def near_duplicates(texts: Sequence[str], threshold: float = NEAR_DUPLICATE) -> Iterator[tuple[int, int, float]]:
    """Yield the pairs of texts that share ``threshold`` or more of their runs of five characters (Jaccard).

    Yields:
        The two positions, the smaller one first, and the similarity.
    """
    sets = [shingles(text) for text in texts]
    holders: dict[str, list[int]] = defaultdict(list)
    for position, grams in enumerate(sets):
        candidates = {other for gram in grams for other in holders[gram]}
        for other in sorted(candidates):
            shared = similarity(sets[other], grams)
            if shared >= threshold:
                yield other, position, shared
        for gram in grams:
            holders[gram].append(position)


def holds_phrase(text: str, phrase: str) -> bool:
    """Return True if a text contains a phrase as whole words, ignoring case and punctuation.

    >>> holds_phrase("Do we know?", "no"), holds_phrase("Is it a no, then?", "No")
    (False, True)
    """
    return whole_words(phrase) in whole_words(text)


def whole_words(text: str) -> str:
    """Return the normalized words of a text, with a space at each end, so that a substring matches only whole words.

    >>> whole_words("Is it a no, then?")
    ' is it a no then '
    """
    return f" {normalized(text)} "


def answer_flags(question: str, answers: Sequence[str], *, whole_words: bool = True) -> list[str]:
    """Return the names of the flaws of a question's answers.

    ``answer_in_question``: the question contains an alias. ``alias_too_short``: an alias has three characters or fewer,
    so a search for it as a substring matches unrelated replies.

    Args:
        question: The question.
        answers: Its answer and the answer's aliases.
        whole_words: If true, an alias must match whole words of the question; if false, any substring.
    """
    if whole_words:
        is_leaked = any(holds_phrase(question, answer) for answer in answers)
    else:
        is_leaked = any(answer.lower() in question.lower() for answer in answers)
    is_short = any(len(answer) <= LONGEST_SHORT_ALIAS for answer in answers)
    return [name for name, has_flaw in (("answer_in_question", is_leaked), ("alias_too_short", is_short)) if has_flaw]
