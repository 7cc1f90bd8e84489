"""The sentences that a reply says itself, and the patterns to match them against.

Quotations, denials and repetitions of the prompt are not the reply's own, and greetings say nothing. The patterns are
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
    """Return the groups of patterns, which are for sentences in lower case."""
    groups = yaml.safe_load(read_text("self_aware/replies/sentence_patterns.yaml"))
    words = groups.pop("words")

    def filled(pattern: str) -> str:
        for _ in range(2):  # a word's alternatives may contain other words
            for name, alternatives in words.items():
                pattern = pattern.replace(f"{{{name}}}", alternatives)
        return pattern

    return PatternGroups({name: [*map(filled, group)] for name, group in groups.items()})


def says(group: str, text: str) -> bool:
    """Return true if a text in lower case matches a pattern of the group."""
    return patterns().holds(group, text)


def own_sentences(reply: str, prompt: str) -> list[str]:
    """Return a reply's own sentences in lower case: no quotations, denials, greetings or repetitions of the prompt.

    Args:
        reply: A reply without its thinking.
        prompt: The rendered prompt.
    """
    text = _ASIDE.sub(" ", own_words(plain(reply).replace("’", "'"), gap=" … "))
    pieces = [" ".join(_BULLET.sub("", piece).split()).lower() for piece in _pieces(text)]
    all_sentences = [piece for piece in pieces if re.search(r"\w", piece)]
    echoes = {words_only(piece) for piece in _pieces(prompt)} - sentences_to_say(prompt)
    remaining = [piece for piece in all_sentences if words_only(piece) not in echoes] or all_sentences
    remaining = [piece for piece in remaining if not says("courtesies", piece)] or remaining
    return [piece for piece in remaining if not _denies(piece)]


def _pieces(text: str) -> list[str]:
    """Return the sentences of a text; a line break ends a sentence, even after an initial."""
    return [piece for line in re.split(r"[\r\n]+", text) for piece in sentences(line, TITLES_AND_INITIALS)]


def _denies(sentence: str) -> bool:
    """Return true if a sentence denies that something is unknown: "it is not true that nobody knows"."""
    words = whole_words(sentence)
    return any(map(words.__contains__, denials()))


def words_only(sentence: str) -> str:
    """Return the words of a sentence, in lower case and with single spaces between them."""
    return " ".join(re.findall(r"\w+", sentence.lower()))


@cache
def sentences_to_say(prompt: str) -> frozenset[str]:
    """Return the words of the sentences that a prompt tells the model to say if it does not know."""
    sentences_of_prompt = set()
    for match in _ASKED_FOR.finditer(prompt):
        start = max(prompt.rfind(end, 0, match.start()) for end in (". ", "\n", "! "))
        if _NOT_KNOWING.search(prompt[start + 1 : match.start()] + (match["quoted"] or match["told"])):
            sentences_of_prompt.add(words_only(match["quoted"] or match["told"]))
    return frozenset(sentences_of_prompt)
