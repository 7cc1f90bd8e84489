"""Counts of words, keywords and names in a text.

A *word* is a run of characters without white space that contains a letter or a digit: "well-known" is one word, a dash
between spaces is none. A *keyword* matches whole words, in upper or lower case: "river's" contains "river", "rivers"
does not.

Prepositions, positive words and names are counted with closed lists (``datasets_src/self_knowledge``). These counts are
estimates: the lists are finite, and a listed word may have another sense in the text.
"""

import re
from collections.abc import Iterable

from selfknow.builders.self_knowledge.sources import categories, words
from selfknow.evaluate.readers.words import bare

_TOKEN = re.compile(r"\S+")


def words_of(text: str) -> list[re.Match[str]]:
    """Return the words of a text as matches, which have their places."""
    return [match for match in _TOKEN.finditer(text) if any(character.isalnum() for character in match[0])]


def count_words(text: str) -> int:
    """Count the words of a text.

    >>> count_words("A well-known fact – or two.")
    5
    """
    return len(words_of(text))


def word_at(text: str, position: int) -> str | None:
    """Return the word at a position, from 1, without punctuation; None if the text is shorter."""
    all_words = words_of(text)
    return bare(all_words[position - 1][0]) if 1 <= position <= len(all_words) else None


def count_occurrences(text: str, keywords: Iterable[str]) -> int:
    """Count the occurrences of keywords as whole words, in upper or lower case.

    >>> count_occurrences("The river's bend, the River and the rivers.", ["river"])
    2
    """
    return len(re.findall(_whole_words(keywords), text, flags=re.IGNORECASE))


def _whole_words(keywords: Iterable[str]) -> str:
    longest_first = sorted(keywords, key=len, reverse=True)
    return rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)"


def count_prepositions(text: str) -> int:
    """Estimate the number of prepositions in a text, from a closed list."""
    return count_occurrences(text, words()["prepositions"])


def count_positive_words(text: str) -> int:
    """Estimate the number of positive words in a text, from a closed list."""
    return count_occurrences(text, words()["positive"])


def count_mentions(text: str, category: str) -> int:
    """Count the distinct members of a category that a text names; two names of the same country count once.

    >>> count_mentions("From Czechia, that is the Czech Republic, to New Mexico and Mexico.", "countries")
    2
    """
    numbers_by_name = {name: number for number, names in enumerate(categories()[category]) for name in names.split("|")}
    others = [] if category == "states of the United States" else categories()["states of the United States"]
    longer = [other for other in others if other not in numbers_by_name]  # New Mexico is not Mexico
    names = re.findall(_whole_words([*numbers_by_name, *longer]), text)
    return len({numbers_by_name[name] for name in names if name in numbers_by_name})
