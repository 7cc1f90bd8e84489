"""Only the expressions that can match a text are tried, and what is found is what all of them joined find."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfknow.evaluate.tasks.self_aware.own_sentences import patterns
from selfknow.evaluate.tasks.self_aware.pattern_groups import PatternGroups, needed_words
from selfknow.evaluate.tasks.self_aware.read_replies import labelled_replies

EXPRESSIONS = [
    r"\b(?:nobody|no one) (?:\w+ ){0,2}?knows?\b",
    r"^(?:it is |still )*(?:unknown|unclear)$",
    r"\bi (?:don't|do not) (?:think|believe)(?! so)",
    r"(?<!which )\bnot (?:yet )?settled|(?:hard|impossible) to say",
    r"\w+n't (?:be )?(?:told|said)\b|\bwho can tell\?",
    r"a{2}b+(?:cd)?e*x?yzyz",
]


def place_and_words(match: re.Match[str] | None) -> tuple[int, str] | None:
    return match and (match.start(), match.group())


def texts() -> list[str]:
    sentences = [reply.reply.lower() for reply in labelled_replies()[::8]]
    words = [word for _, words in _words_by_group() for word in words]
    return [*sentences, *(f"so {first} {second}." for first, second in zip(words[::9], words[4::9], strict=False))]


def _words_by_group() -> list[tuple[str, list[str]]]:
    groups = patterns().expressions
    return [(name, [word for each in group for word in needed_words(each)]) for name, group in groups.items()]


def test_every_group_of_the_scorer_finds_what_its_expressions_joined_find() -> None:
    texts_to_try = texts()
    assert len(texts_to_try) > 100
    matches = 0
    for name in patterns().expressions:
        for text in texts_to_try:
            expected = patterns().joined[name].search(text)
            assert place_and_words(patterns().search(name, text)) == place_and_words(expected), (name, text)
            assert patterns().holds(name, text) == (expected is not None), (name, text)
            matches += expected is not None
    assert matches > 100


def test_of_two_matches_the_first_counts_and_of_two_at_one_place_that_of_the_earlier_expression() -> None:
    groups = PatternGroups({"some": ["known fact", "unknown", "known"], "other": ["fact"]})
    assert place_and_words(groups.search("some", "an unknown known fact")) == (3, "unknown")
    assert place_and_words(groups.search("some", "a known fact")) == (2, "known fact")
    assert place_and_words(groups.search("some", "a known one")) == (2, "known")
    assert groups.search("some", "a knoll") is None
    assert not groups.holds("other", "unknown")


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (r"\b(?:is|was) (?:not known|unclear)\b", ("unclear", "not known")),
        (r"(?:answer )?unknown", ("unknown",)),
        (r"un(?=known)known", ("unknown",)),
        (r"(?:known ){2}|(?:known ){0}never", ("known", "never")),
        (r"(?:known )*|never", ()),
        (r"nobody[.!]?$", ("nobody",)),
        (r"no\b.*(?:known|ends\.)", ("ends", "known")),
        (r"who\?|no", ()),
        (r"[kK]nown", ("nown",)),
        (r"\w+", ()),
    ],
)
def test_the_needed_words_of_an_expression(expression: str, words: tuple[str, ...]) -> None:
    assert needed_words(expression) == words


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_every_match_holds_one_of_the_needed_words(data: st.DataObject) -> None:
    expression = data.draw(st.sampled_from(EXPRESSIONS))
    text = data.draw(st.from_regex(re.compile(expression, re.ASCII)))
    words = needed_words(expression)
    assert words
    assert any(word in text for word in words)
    groups = PatternGroups({"all": EXPRESSIONS})
    assert place_and_words(groups.search("all", text)) == place_and_words(groups.joined["all"].search(text))
