"""Counts of words and sentences in a text, by stated rules.

A *word* is a run of characters without white space that holds a letter or a digit, so that a dash between spaces is
none and a hyphenated compound is one. A *keyword* occurs wherever it stands as a whole word, in upper or lower case: no
letter, digit or underscore at either side ("river's" holds "river", "rivers" does not).

Prepositions, positive words and names are counted by closed lists (``datasets_src/self_knowledge``): estimates, since a
word of the list may be used in another part of speech or sense, and the lists are finite.
"""

import re
from collections.abc import Iterable

from selfknow.builders.self_knowledge.sources import categories, words
from selfknow.evaluate.readers.words import bare

_TOKEN = re.compile(r"\S+")


def words_of(text: str) -> list[re.Match[str]]:
    """Return the words of a text, as matches, so that their places are known."""
    return [match for match in _TOKEN.finditer(text) if any(character.isalnum() for character in match[0])]


def count_words(text: str) -> int:
    """Count the words of a text.

    >>> count_words("A well-known fact – or two.")
    5
    """
    return len(words_of(text))


def word_at(text: str, position: int) -> str | None:
    """Return the word at a position, counted from 1, without punctuation; null if the text is shorter."""
    all_words = words_of(text)
    return bare(all_words[position - 1][0]) if 1 <= position <= len(all_words) else None


def count_occurrences(text: str, keywords: Iterable[str]) -> int:
    """Count the occurrences of these words or names as whole words, in upper or lower case.

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
    """Count the distinct things of a category that a text names.

    >>> count_mentions("From Czechia, that is the Czech Republic, to New Mexico and Mexico.", "countries")
    2
    """
    things = {name: number for number, names in enumerate(categories()[category]) for name in names.split("|")}
    others = [] if category == "states of the United States" else categories()["states of the United States"]
    longer = [other for other in others if other not in things]  # New Mexico is not Mexico
    names = re.findall(_whole_words([*things, *longer]), text)
    return len({things[name] for name in names if name in things})
