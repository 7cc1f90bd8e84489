"""Groups of regular expressions with an index, so that only expressions that can match a text are tried.

A match of most expressions must contain one of a few words, such as "know" or "tell". An index by three letters of each
word finds the expressions that can match. It takes a tenth of the time of trying all expressions.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from re import _parser  # type: ignore[attr-defined]  # the only way to an expression's parts
from typing import Any

_WIDTH = 3
_ENDS = ".!?… "
_BY_FREQUENCY = " etaoinshrdlcumwfgypbvk'jxqz"
_ZERO_WIDTH = ("AT", "ASSERT", "ASSERT_NOT")
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")


class PatternGroups:
    r"""Groups of regular expressions; a search for a group is like a search for its expressions joined by ``|``.

    Args:
        groups: Expressions by the name of their group, without flags and named groups.

    Example:
        >>> patterns = PatternGroups({"doubts": [r"\bunknown\b", r"\bno(?:body|t) knows?\b"]})
        >>> patterns.search("doubts", "nobody knows the unknown").group(), patterns.holds("doubts", "who knows?")
        ('nobody knows', False)
    """

    def __init__(self, groups: Mapping[str, Sequence[str]]) -> None:
        self.expressions = groups
        self.joined = {
            name: re.compile("|".join(f"(?:{expression})" for expression in group)) for name, group in groups.items()
        }
        self._patterns: list[re.Pattern[str]] = []
        self._always = 0
        bits_of_words: dict[str, int] = defaultdict(int)
        self._bits_of_group = {
            name: sum(self._add(expression, bits_of_words) for expression in group) for name, group in groups.items()
        }
        self._by_letters: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for word, bits in bits_of_words.items():
            self._by_letters[_rarest_letters(word)].append((word, bits))
        self._letters = frozenset(self._by_letters)
        # Each sentence is tried against several groups, so its candidates are cached.
        self._candidates = lru_cache(maxsize=256)(self._find_candidates)

    def _add(self, expression: str, bits_of_words: dict[str, int]) -> int:
        """Add an expression and return its bit; also set that bit for each word that a match needs."""
        bit, words = 1 << len(self._patterns), needed_words(expression)
        self._patterns.append(re.compile(expression))
        for word in words:
            bits_of_words[word] |= bit
        self._always |= 0 if words else bit
        return bit

    def _find_candidates(self, text: str) -> int:
        """Return the bits of the expressions that may match."""
        candidates = self._always
        letters_in_text = set(map("".join, zip(text, text[1:], text[2:], strict=False)))
        for letters in letters_in_text & self._letters:
            for word, bits in self._by_letters[letters]:
                if word in text:
                    candidates |= bits
        return candidates

    def _matches(self, candidates: int, text: str) -> Iterator[re.Match[str]]:
        """Yield the first match of each expression that has one, in the order of the expressions."""
        while candidates:
            bit = candidates & -candidates
            candidates -= bit
            if match := self._patterns[bit.bit_length() - 1].search(text):
                yield match

    def search(self, group: str, text: str) -> re.Match[str] | None:
        """Return the first match in a text; of two at the same place, that of the earlier expression."""
        candidates = self._candidates(text.rstrip(_ENDS)) & self._bits_of_group[group]
        return min(self._matches(candidates, text), key=lambda match: match.start(), default=None)

    def holds(self, group: str, text: str) -> bool:
        """Return true if an expression matches somewhere in a text."""
        candidates = self._candidates(text.rstrip(_ENDS)) & self._bits_of_group[group]
        return bool(candidates) and next(self._matches(candidates, text), None) is not None


def needed_words(expression: str) -> tuple[str, ...]:
    r"""Return texts such that every match of an expression contains one of them; none if there are none.

    Each text has at least three characters.

    >>> needed_words(r"\b(?:is|was) (?:not known|unclear)\b"), needed_words(r"\w+")
    (('unclear', 'not known'), ())
    """
    words = _best(_alternatives(_parser.parse(expression)))
    words = frozenset(word.rstrip(_ENDS) for word in words)  # candidates are searched in sentences without their ends
    # A word that contains another one adds nothing: the other one is found, too.
    shortest = [word for word in words if not any(other in word for other in words - {word})]
    return tuple(sorted(shortest, key=lambda word: (len(word), word)))


def _alternatives(items: Iterable[tuple[Any, Any]]) -> list[frozenset[str]]:
    """Return sets of texts; every match of a parsed sequence contains one text of each set."""
    sets: list[frozenset[str]] = []
    run = ""
    for operation, value in items:
        name = str(operation)
        if name == "LITERAL":
            run += chr(value)
        elif name not in _ZERO_WIDTH:
            sets, run = [*sets, frozenset([run])], ""
            if name == "BRANCH":
                branches = [_best(_alternatives(branch)) for branch in value[1]]
                sets.append(frozenset[str]().union(*branches) if all(branches) else frozenset())
            elif name == "SUBPATTERN":
                sets += _alternatives(value[-1])
            elif name == "ATOMIC_GROUP":
                sets += _alternatives(value)
            elif name in _REPEATS and value[0] > 0:
                sets += _alternatives(value[-1])
    return [words for words in [*sets, frozenset([run])] if words and min(map(_length, words)) >= _WIDTH]


def _length(word: str) -> int:
    return len(word.rstrip(_ENDS))


def _best(sets: Sequence[frozenset[str]]) -> frozenset[str]:
    """Return the set whose texts are probably the rarest: long and few; the empty set if there are no sets."""
    return max(sets, key=lambda words: min(map(_length, words)) - len(words) / 20, default=frozenset())


def _rarest_letters(word: str) -> str:
    """Return the three adjacent characters of a word that are the rarest in English."""
    places = range(len(word) - _WIDTH + 1)
    return max((word[place : place + _WIDTH] for place in places), key=lambda run: sum(map(_BY_FREQUENCY.find, run)))
