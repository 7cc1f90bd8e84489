"""The number of passages of a corpus in which an entity of a question and an answer to it occur together.

Weller et al., section 4.4, after Kandpal et al.: a question's count is that of its most frequent pair, where a pair is
one of its entities and the answer. Here an answer occurs where any of its references does. Only whole words match, so
that 'Rome' is not in 'Romeo'; case and the punctuation between words are ignored. All phrases are looked for at once
(Aho-Corasick), so that a passage is read once, however many questions there are.

Kandpal et al. linked entities with DBpedia Spotlight, which needs a server. Here a *name* is a run of words that the
corpus capitalizes in mid-sentence. It may go on with numbers and contain ``of``, ``the``, ``and`` or an apostrophe, but
does not begin or end with an article or a preposition. A single word is a name only if the corpus capitalizes it more
often than not. A question's entities are the longest names among its words, from left to right. The case of the
question is ignored, because the questions of Natural Questions are in lower case.
"""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from selfknow.errors import MissingExtraError, UserError
from selfknow.evaluate.task import Row

LONGEST_NAME_IN_WORDS = 8
_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_ALLOWED_INSIDE = frozenset({"of", "the", "and", "'", "’", "s"})
_NEVER_AT_AN_END = frozenset(
    {"a", "an", "and", "as", "at", "by", "for", "from", "in", "is", "it"}
    | {"of", "on", "or", "s", "that", "the", "this", "to", "was", "with"}
)
_SENTENCE_ENDS = frozenset(".!?")


def words_of(text: str) -> str:
    """Return the words of a text, case folded, with one space between them, and without punctuation.

    Example:
        >>> words_of("Grey's  Anatomy, (TV)")
        'grey s anatomy tv'
    """
    return " ".join(_WORD.findall(text.casefold()))


def find_names(questions: Iterable[str], passages: Iterable[str]) -> frozenset[str]:
    """Return the names that a corpus writes and a question mentions, normalized by :func:`words_of`.

    Args:
        questions: The questions; a name that none of them mentions is ignored.
        passages: The corpus, read once.
    """
    candidates = {span for question in questions for _, _, span in _spans(words_of(question).split())}
    names: Counter[str] = Counter()
    uncapitalized: Counter[str] = Counter()
    for passage in passages:
        for name, is_name in _runs(passage):
            if name in candidates:
                (names if is_name else uncapitalized)[name] += 1
    return frozenset(name for name, count in names.items() if " " in name or count > uncapitalized[name])


def entities_of(question: str, names: frozenset[str]) -> list[str]:
    """Return the longest names among a question's words, from left to right; none overlaps another.

    Example:
        >>> entities_of("who was mayor of new york city", frozenset({"new york", "new york city", "york"}))
        ['new york city']
    """
    words = words_of(question).split()
    entities: list[str] = []
    end = 0
    for start, after, span in sorted(_spans(words), key=lambda item: (item[0], -item[1])):
        if start >= end and span in names:
            entities.append(span)
            end = after
    return list(dict.fromkeys(entities))


def _spans(words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    for start in range(len(words)):
        for end in range(start + 1, min(len(words), start + LONGEST_NAME_IN_WORDS) + 1):
            yield start, end, " ".join(words[start:end])


def _runs(passage: str) -> Iterator[tuple[str, bool]]:
    """Yield each capitalized run of a passage with true, and each word that starts in lower case with false."""
    run: list[str] = []
    waiting: list[str] = []  # words that belong to the run if it goes on after them
    starts_sentence = True
    for token in _TOKEN.findall(passage):
        if (token[0].isupper() and not starts_sentence) or (run and token.isdigit()):
            run += [*waiting, token]
            waiting = []
        elif run and token in _ALLOWED_INSIDE:
            waiting.append(token)
        elif run:
            yield _trimmed(run), True
            run, waiting = [], []
        if token[0].islower():
            yield token.casefold(), False
        starts_sentence = token in _SENTENCE_ENDS
    if run:
        yield _trimmed(run), True


def _trimmed(run: Sequence[str]) -> str:
    words = words_of(" ".join(run)).split()
    while words and words[-1] in _NEVER_AT_AN_END:
        words.pop()
    while words and words[0] in _NEVER_AT_AN_END:
        words.pop(0)
    return " ".join(words)


@dataclass(frozen=True)
class Cooccurrences:
    """The counts of one question.

    Attributes:
        id: The id of the question.
        question: The text of the question.
        entities: The question's entities, normalized by :func:`words_of`.
        count: The number of passages with an answer and the entity that most often occurs with it; null if the question
            has no entity, or no answer with a word in it.
    """

    id: str
    question: str
    entities: tuple[str, ...]
    count: int | None


def passages_of(corpus: Iterable[Any], words: int | None = None) -> Iterator[str]:
    """Yield the passages of a corpus: its texts, or pieces of them.

    Args:
        corpus: Texts, or Arrow arrays of texts, as a :class:`selfknow.portraits.Corpus` gives them.
        words: Cut each text into pieces of this many words (KILT's passages have 100); null: do not cut.
    """
    texts = itertools.chain.from_iterable([text] if isinstance(text, str) else text.to_pylist() for text in corpus)
    for text in texts:
        if text is None or not text.strip():
            continue
        if words is None:
            yield text
        else:
            pieces = text.split()
            yield from (" ".join(pieces[start : start + words]) for start in range(0, len(pieces), words))


def count_cooccurrences(
    questions: Sequence[Row],
    corpus: Iterable[Any],
    entities: Mapping[str, Sequence[str]] | None = None,
    *,
    passage_words: int | None = None,
    quiet: bool = False,
) -> list[Cooccurrences]:
    """Count for every question the passages in which one of its entities and its answer occur together.

    Args:
        questions: Rows with id, question and answers.
        corpus: Texts or arrays of them; read twice where entities have to be found, else once.
        entities: The entities of the questions whose entities are known, by the question's id.
        passage_words: See :func:`passages_of`.
        quiet: Show no progress bars.

    Raises:
        MissingExtraError: The package ahocorasick-rs is not installed.
        UserError: The corpus has no passage.

    Example:
        >>> rows = [{"id": "1", "question": "who loves Juliet", "answers": ["Romeo"]}]
        >>> texts = ["Now Romeo loves Juliet.", "In Rome lives Juliet.", "Here is Romeo."]
        >>> [one] = count_cooccurrences(rows, texts, quiet=True)
        >>> one.entities, one.count
        (('juliet',), 1)
    """
    automaton = _automaton_class()
    known = entities or {}
    unknown = [row["question"] for row in questions if row["id"] not in known]
    names = find_names(unknown, _read(corpus, passage_words, "finding names", quiet)) if unknown else frozenset()
    answers = [{words_of(text) for text in row["answers"]} - {""} for row in questions]
    entity_lists = [
        _normalized(known[row["id"]]) if row["id"] in known else _entities(row, names, answer)
        for row, answer in zip(questions, answers, strict=True)
    ]
    asked_by: defaultdict[str, set[int]] = defaultdict(set)
    answered_by: defaultdict[str, set[int]] = defaultdict(set)
    for number, (question_entities, answer) in enumerate(zip(entity_lists, answers, strict=True)):
        if answer:
            for entity in question_entities:
                asked_by[entity].add(number)
            for text in answer:
                answered_by[text].add(number)
    phrases = list({**asked_by, **answered_by})
    matcher = automaton([f" {phrase} " for phrase in phrases])
    pairs: Counter[tuple[int, str]] = Counter()
    num_passages = 0
    for passage in _read(corpus, passage_words, "counting", quiet):
        num_passages += 1
        occurring = {phrases[match[0]] for match in matcher.find_matches_as_indexes(f" {words_of(passage)} ", True)}
        answered = set().union(*(answered_by[phrase] for phrase in occurring & answered_by.keys()))
        if answered:
            for entity in occurring & asked_by.keys():
                pairs.update((number, entity) for number in asked_by[entity] & answered)
    if not num_passages:
        raise UserError("the corpus holds no passage: there is nothing to count in")
    return [
        Cooccurrences(
            row["id"],
            row["question"],
            question_entities,
            max(pairs[number, entity] for entity in question_entities)
            if question_entities and answers[number]
            else None,
        )
        for number, (row, question_entities) in enumerate(zip(questions, entity_lists, strict=True))
    ]


def _normalized(entities: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words for words in map(words_of, entities) if words))


def _entities(row: Row, names: frozenset[str], answer: set[str]) -> tuple[str, ...]:
    """Return the entities of a question; one that is also an answer would occur with itself, and is left out."""
    return tuple(item for item in entities_of(row["question"], names) if item not in answer)


def _read(corpus: Iterable[Any], words: int | None, doing: str, quiet: bool) -> Iterator[str]:
    from selfknow.bars import Bar

    return iter(Bar(passages_of(corpus, words), desc=doing, unit="passage", unit_scale=True, disable=quiet))


def _automaton_class() -> Any:
    try:
        from ahocorasick_rs import AhoCorasick
    except ImportError as error:
        raise MissingExtraError("counting entities in a corpus", "entities") from error
    return AhoCorasick
