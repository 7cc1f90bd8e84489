"""Counts of the passages in which an entity of a question and the question's answer occur together.

Weller et al., section 4.4, after Kandpal et al.: a pair is one of the question's entities and the answer. A question's
count is the count of its most frequent pair. The answer occurs in a passage if any of its references does. Only whole
words match: 'Rome' is not in 'Romeo'. Case and punctuation are ignored. Aho-Corasick searches for all phrases at once,
so that one pass over the corpus serves all questions.

Kandpal et al. linked entities with DBpedia Spotlight, which needs a server. Here a *name* is a run of words that the
corpus capitalizes in mid-sentence. It may contain numbers, ``of``, ``the``, ``and`` or an apostrophe, but does not
begin or end with an article or a preposition. A single word is a name only if the corpus capitalizes it more
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
    """Return the names in a corpus that a question mentions, normalized by :func:`words_of`.

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
                counter = names if is_name else uncapitalized
                counter[name] += 1
    return frozenset(name for name, count in names.items() if " " in name or count > uncapitalized[name])


def entities_of(question: str, names: frozenset[str]) -> list[str]:
    """Return the longest names in a question, from left to right, without overlaps.

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
    """Yield each capitalized run of words with True, and each word in lower case with False."""
    run: list[str] = []
    waiting: list[str] = []  # words such as "of", which belong to the run only if another capital follows
    starts_sentence = True
    for token in _TOKEN.findall(passage):
        if (token[0].isupper() and not starts_sentence) or (run and token.isdigit()):
            run += [*waiting, token]
            waiting = []
        elif run and token in _ALLOWED_INSIDE:
            waiting.append(token)
        elif run:
            yield _name_in_run(run), True
            run, waiting = [], []
        if token[0].islower():
            yield token.casefold(), False
        starts_sentence = token in _SENTENCE_ENDS
    if run:
        yield _name_in_run(run), True


def _name_in_run(run: Sequence[str]) -> str:
    words = words_of(" ".join(run)).split()
    while words and words[-1] in _NEVER_AT_AN_END:
        words.pop()
    while words and words[0] in _NEVER_AT_AN_END:
        words.pop(0)
    return " ".join(words)


@dataclass(frozen=True)
class Cooccurrences:
    """A question's entities and its count of passages.

    Attributes:
        id: The id of the question.
        question: The text of the question.
        entities: The question's entities, normalized by :func:`words_of`.
        count: The number of passages that contain an answer and the entity that occurs with it most often; null if the
            question has no entity, or no answer with a word in it.
    """

    id: str
    question: str
    entities: tuple[str, ...]
    count: int | None


def passages_of(corpus: Iterable[Any], words: int | None = None) -> Iterator[str]:
    """Yield the passages of a corpus: whole texts, or pieces of a fixed number of words.

    Args:
        corpus: Texts, or Arrow arrays of texts, such as a :class:`selfknow.portraits.Corpus`.
        words: The number of words of a passage (100 in KILT); null for whole texts.
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
    """Count, for every question, the passages in which one of its entities and its answer occur together.

    Args:
        questions: Rows with id, question and answers.
        corpus: Texts or arrays of texts. It is read twice if any question's entities are unknown, else once.
        entities: The known entities of questions, by the question's id.
        passage_words: See :func:`passages_of`.
        quiet: Show no progress bars.

    Raises:
        MissingExtraError: The package ahocorasick-rs is not installed.
        UserError: The corpus has no passage.

    Example:
        >>> rows = [{"id": "1", "question": "who loves Juliet", "answers": ["Romeo"]}]
        >>> texts = ["Now Romeo loves Juliet.", "In Rome lives Juliet.", "Here is Romeo."]
        >>> [result] = count_cooccurrences(rows, texts, quiet=True)
        >>> result.entities, result.count
        (('juliet',), 1)
    """
    automaton_class = _automaton_class()
    known = entities or {}
    unknown = [row["question"] for row in questions if row["id"] not in known]
    names = find_names(unknown, _read(corpus, passage_words, "finding names", quiet)) if unknown else frozenset()
    answers = [{words_of(text) for text in row["answers"]} - {""} for row in questions]
    entity_lists = [
        _normalized(known[row["id"]]) if row["id"] in known else _entities(row, names, answer)
        for row, answer in zip(questions, answers, strict=True)
    ]
    questions_by_entity: defaultdict[str, set[int]] = defaultdict(set)
    questions_by_answer: defaultdict[str, set[int]] = defaultdict(set)
    for number, (question_entities, answer) in enumerate(zip(entity_lists, answers, strict=True)):
        if answer:
            for entity in question_entities:
                questions_by_entity[entity].add(number)
            for text in answer:
                questions_by_answer[text].add(number)
    phrases = list({**questions_by_entity, **questions_by_answer})
    matcher = automaton_class([f" {phrase} " for phrase in phrases])
    pairs: Counter[tuple[int, str]] = Counter()
    num_passages = 0
    for passage in _read(corpus, passage_words, "counting", quiet):
        num_passages += 1
        occurring = {phrases[match[0]] for match in matcher.find_matches_as_indexes(f" {words_of(passage)} ", True)}
        questions_with_answer = set().union(
            *(questions_by_answer[phrase] for phrase in occurring & questions_by_answer.keys())
        )
        if questions_with_answer:
            for entity in occurring & questions_by_entity.keys():
                pairs.update((number, entity) for number in questions_by_entity[entity] & questions_with_answer)
    if not num_passages:
        raise UserError("the corpus holds no passage: choose another corpus")
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
    """Return a question's entities without those that are also an answer, which would co-occur with themselves."""
    return tuple(item for item in entities_of(row["question"], names) if item not in answer)


def _read(corpus: Iterable[Any], words: int | None, description: str, quiet: bool) -> Iterator[str]:
    from selfknow.bars import Bar

    return iter(Bar(passages_of(corpus, words), desc=description, unit="passage", unit_scale=True, disable=quiet))


def _automaton_class() -> Any:
    try:
        from ahocorasick_rs import AhoCorasick
    except ImportError as error:
        raise MissingExtraError("counting entities in a corpus", "entities") from error
    return AhoCorasick
