"""The sentences of a reply that are its own, and the patterns that each of them is tried against.

What a reply quotes, denies or only repeats of its prompt is not its own, and greetings say nothing. The patterns are
data (``datasets_src/self_aware/replies/sentence_patterns.yaml``).
"""

import re
from functools import cache

import yaml

from selfknow.builders.self_aware.question_text import whole_words
from selfknow.builders.sources import read_text
from selfknow.evaluate.readers.sentences import TITLES_AND_INITIALS, own_words, sentences
from selfknow.evaluate.replies import plain
from selfknow.evaluate.tasks.self_aware.paper_scorer import denials
from selfknow.evaluate.tasks.self_aware.pattern_groups import PatternGroups

_NOT_KNOWING = re.compile(
    r"know|unsure|uncertain|not able|unable|cannot|can't|no answer|unanswerable|not sure", re.IGNORECASE
)
_BULLET = re.compile(r"^[\s\-*•#>]*(?:\d{1,3}[.)]\s)?\s*")
_ASKED_FOR = re.compile(
    r"\b(?:repl(?:y|ies)|answer|respond|say|write|output)\b[^.\n]{0,60}?(?:(?:sentence|words?|phrase)\s*:?\s*|:\s*)?"
    r"[\"“'‘](?P<quoted>[^\"”\n]{2,80}?)[\"”'’](?=[\s.,;)]|$)|"
    r"\b(?:repl(?:y|ies)|answer|respond|say|write|output)\b[^.\n]{0,60}?\b(?:sentence|words?|phrase)\s*:\s*"
    r"(?P<told>[^\n]{2,80}?[.!?])(?=\s|$)",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"(?<=\w )\([^()]*\)")


@cache
def patterns() -> PatternGroups:
    """Return the patterns of sentences in lower case, by the name of their group."""
    groups = yaml.safe_load(read_text("self_aware/replies/sentence_patterns.yaml"))
    words = groups.pop("words")

    def filled(pattern: str) -> str:
        for _ in range(2):  # words may stand in words
            for name, alternatives in words.items():
                pattern = pattern.replace(f"{{{name}}}", alternatives)
        return pattern

    return PatternGroups({name: [*map(filled, group)] for name, group in groups.items()})


def says(group: str, text: str) -> bool:
    """Return true if a text in lower case holds a pattern of this group."""
    return patterns().holds(group, text)


def own_sentences(reply: str, prompt: str) -> list[str]:
    """Return a reply's sentences in lower case, without quotations, denials, greetings, and what repeats the prompt.

    Args:
        reply: A reply without its thinking.
        prompt: The rendered prompt.
    """
    text = _ASIDE.sub(" ", own_words(plain(reply).replace("’", "'"), gap=" … "))
    pieces = [" ".join(_BULLET.sub("", piece).split()).lower() for piece in _pieces(text)]
    every = [piece for piece in pieces if re.search(r"\w", piece)]
    echoes = {words_only(piece) for piece in _pieces(prompt)} - sentences_to_say(prompt)
    own = [piece for piece in every if words_only(piece) not in echoes] or every if echoes else every
    own = [piece for piece in own if not says("courtesies", piece)] or own
    return [piece for piece in own if not _denies(piece)]


def _pieces(text: str) -> list[str]:
    """Return the sentences of a text; a line ends one, also after an initial."""
    return [piece for line in re.split(r"[\r\n]+", text) for piece in sentences(line, TITLES_AND_INITIALS)]


def _denies(sentence: str) -> bool:
    """Return true if a sentence takes back what it says of not knowing: "it is not true that nobody knows"."""
    words = whole_words(sentence)
    return any(map(words.__contains__, denials()))


def words_only(sentence: str) -> str:
    """Return the words of a sentence, in lower case and with single spaces between them."""
    return " ".join(re.findall(r"\w+", sentence.lower()))


@cache
def sentences_to_say(prompt: str) -> frozenset[str]:
    """Return the words of the sentences that a prompt tells the model to say if it does not know."""
    offered = set()
    for match in _ASKED_FOR.finditer(prompt):
        start = max(prompt.rfind(end, 0, match.start()) for end in (". ", "\n", "! "))
        if _NOT_KNOWING.search(prompt[start + 1 : match.start()] + (match["quoted"] or match["told"])):
            offered.add(words_only(match["quoted"] or match["told"]))
    return frozenset(offered)
