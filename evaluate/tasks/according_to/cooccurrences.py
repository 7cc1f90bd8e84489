"""In how many passages of a corpus the entities of a question and of its answer occur together.

Weller et al., section 4.4, after Kandpal et al.: of all pairs of an entity of the question and the answer, the count of
the most frequent pair. Here an answer occurs where any of its references does; what occurs are whole words, whatever
their case and the punctuation between them, so that 'Rome' is not in 'Romeo'. All of them are looked for at once
(Aho-Corasick), so that a passage is read once, however many questions there are.

They linked entities with DBpedia Spotlight, a server of its own. Here a *name* is what the corpus itself writes as one:
a run of words with a capital in mid-sentence, digits among them, with ``of``, ``the``, ``and`` or an apostrophe inside,
and without articles and prepositions at its ends; a single word only where the corpus writes it with a capital more
often than without. A question's entities are the longest names among its words, from left to right. Case does not
matter in the question, for those of NQ have none.
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
_INSIDE = frozenset({"of", "the", "and", "'", "’", "s"})
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
    """Return the names among the words of questions, as a corpus writes them; each as :func:`words_of` gives it.

    Args:
        questions: Only what stands in one of them is looked for.
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
    """Yield the capitalized runs of a passage, with true, and its words without a capital, with false."""
    run: list[str] = []
    waiting: list[str] = []  # words that belong to the run if it goes on after them
    starts_sentence = True
    for token in _TOKEN.findall(passage):
        if (token[0].isupper() and not starts_sentence) or (run and token.isdigit()):
            run += [*waiting, token]
            waiting = []
        elif run and token in _INSIDE:
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
        question: Its text.
        entities: What was looked for beside the answer, as :func:`~.entities.words_of` gives it.
        count: Passages; null where the question has no entity, or no answer that could occur.
    """

    id: str
    question: str
    entities: tuple[str, ...]
    count: int | None


def passages_of(corpus: Iterable[Any], words: int | None = None) -> Iterator[str]:
    """Yield the passages of a corpus: its texts, or pieces of them.

    Args:
        corpus: Texts, or Arrow arrays of texts, as a :class:`selfknow.portraits.Corpus` gives them.
        words: Cut each text into pieces of so many words, as KILT's passages have 100.
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
        entities: For each id the question's entities, where they are known.
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
        _worded(known[row["id"]]) if row["id"] in known else _entities(row, names, answer)
        for row, answer in zip(questions, answers, strict=True)
    ]
    asked_by: defaultdict[str, set[int]] = defaultdict(set)
    answered_by: defaultdict[str, set[int]] = defaultdict(set)
    for number, (entity_words, answer) in enumerate(zip(entity_lists, answers, strict=True)):
        if answer:
            for entity_of_question in entity_words:
                asked_by[entity_of_question].add(number)
            for entity_of_question in answer:
                answered_by[entity_of_question].add(number)
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
            entity_words,
            max(pairs[number, word] for word in entity_words) if entity_words and answers[number] else None,
        )
        for number, (row, entity_words) in enumerate(zip(questions, entity_lists, strict=True))
    ]


def _worded(entities: Sequence[str]) -> tuple[str, ...]:
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
