"""The diaries as numbers: the entries of each diarist, their attributes and values.

Prato et al., Do Large Language Models Know How Much They Know?, sections 3.1 and 4.1 and Appendix A. Diarists are
numbered from 0: first those with a question in ``train``, then in ``validation``, then in ``test``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from selfknow.builders.randomness import WORDS_PER_COUNTER, RandomKey, Stream, counters_for, permute
from selfknow.builders.sources import read_json, read_lines
from selfknow.errors import UserError

SPLITS = ("train", "validation", "test")
HELD_OUT_PERCENT = 5
SMALLEST_NUM_DIARISTS = 10
LARGEST_MAX_ENTRIES = 1_000
_PAPER_MAX_ENTRIES = 8
_DOCUMENTS_PER_BLOCK = 262_144  # largest number of documents that are made and shuffled together

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class PaperSize:
    """A row of Table 2.

    Attributes:
        num_diarists: The number of diarists.
        num_documents: The number of documents.
        num_questions: The number of questions in each split.
        leftover_entry_counts: The entry counts, by split, of the diarists after its last full group of
            ``max_entries``.
    """

    num_diarists: int
    num_documents: int
    num_questions: dict[str, int]
    leftover_entry_counts: dict[str, list[int]]


@cache
def given_names() -> tuple[str, ...]:
    """Read the given names of diarists."""
    return read_lines("diary_recall/given_names.txt")


@cache
def surnames() -> tuple[str, ...]:
    """Read the surnames of diarists."""
    return read_lines("diary_recall/surnames.txt")


@cache
def attributes() -> dict[str, tuple[str, ...]]:
    """Read the attributes and their possible values (Table 3)."""
    table = read_json("diary_recall/attributes.json")
    assert isinstance(table, list), "attributes.json is a list"
    return {row["attribute"]: tuple(row["values"]) for row in table}


@cache
def paper_sizes() -> dict[str, PaperSize]:
    """Read the sizes of Table 2, ``1k`` to ``64k``."""
    table = read_json("diary_recall/sizes.json")
    assert isinstance(table, dict), "sizes.json is an object"
    return {name: PaperSize(**row) for name, row in table.items()}


@dataclass(frozen=True)
class Shape:
    """The parameters of the diaries: two corpora of one shape have the same diaries, in either setup.

    The two setups, standard and simplified, divide the same entries into documents differently.

    Args:
        num_diarists: The number of diarists, from 10 to the number of full names: ``name_pool_size`` squared, by
            default 16 million.
        seed: The random seed, from 0 to 2**64 - 1.
        max_entries: The largest number of entries of a diarist; the smallest is 1.
        max_attributes: The largest number of attributes of an entry; the smallest is 1.
        name_pool_size: The number of given names, and of surnames, to draw from. In a small pool names share words.

    Raises:
        UserError: A parameter is out of range; the message says why.
    """

    num_diarists: int
    seed: int = 0
    max_entries: int = 8
    max_attributes: int = 8
    name_pool_size: int = 4_000

    @property
    def name(self) -> str:
        """The name of the shape, without its seed: ``512-diarists-3-entries-3-attributes``."""
        name = f"{self.num_diarists}-diarists"
        if (self.max_entries, self.max_attributes) != (Shape.max_entries, Shape.max_attributes):
            name += f"-{self.max_entries}-entries-{self.max_attributes}-attributes"
        if self.name_pool_size != Shape.name_pool_size:
            name += f"-{self.name_pool_size}-names"
        return name

    def __post_init__(self) -> None:
        num_words = min(len(given_names()), len(surnames()))
        _check_range("name_pool_size", self.name_pool_size, 1, num_words, "there are no more names to draw from")
        num_names = self.name_pool_size**2
        _check_range("num_diarists", self.num_diarists, SMALLEST_NUM_DIARISTS, num_names, "every name is unique")
        _check_range("max_entries", self.max_entries, 1, LARGEST_MAX_ENTRIES, "an answer must fit a model's context")
        _check_range("max_attributes", self.max_attributes, 1, len(attributes()), "no attribute comes twice")
        _check_range("seed", self.seed, 0, 2**64 - 1, "it is a key of 64 bits")

    @property
    def key(self) -> RandomKey:
        """The key of all random numbers of the shape; the counters come from the number of a diarist or a block."""
        return RandomKey(seed=self.seed, size=self.num_diarists)

    @property
    def diarists_by_split(self) -> dict[str, range]:
        """The diarists whose question is in each split: 90/5/5%, the held-out shares rounded to the nearest number."""
        held_out = (self.num_diarists * HELD_OUT_PERCENT + 50) // 100
        train_end = self.num_diarists - 2 * held_out
        validation_end = self.num_diarists - held_out
        return {
            "train": range(train_end),
            "validation": range(train_end, validation_end),
            "test": range(validation_end, self.num_diarists),
        }

    @property
    def blocks(self) -> list[range]:
        """The blocks of consecutive diarists that are built together; rows are shuffled within a block."""
        step = max(1, _DOCUMENTS_PER_BLOCK // self.max_entries)
        return [range(start, min(start + step, self.num_diarists)) for start in range(0, self.num_diarists, step)]


def shape_of_name(name: str, seed: int = 0) -> Shape | None:
    """Return the shape that has this name (see ``Shape.name``), or None if no shape has.

    Raises:
        UserError: A parameter is out of range.

    Example:
        >>> shape_of_name("512-diarists-3-entries-3-attributes-27-names").name_pool_size
        27
    """
    match = re.fullmatch(r"(\d+)-diarists(?:-(\d+)-entries-(\d+)-attributes)?(?:-(\d+)-names)?", name)
    if match is None:
        return None
    names = ("num_diarists", "max_entries", "max_attributes", "name_pool_size")
    parameters = {key: int(value) for key, value in zip(names, match.groups(), strict=True) if value is not None}
    shape = Shape(seed=seed, **parameters)
    return shape if shape.name == name else None


def _check_range(name: str, value: int, smallest: int, largest: int, reason: str) -> None:
    if not smallest <= value <= largest:
        raise UserError(f"{name} must be between {smallest:,} and {largest:,} ({reason}), not {value:,}")


@dataclass(frozen=True)
class Diaries:
    """The diaries of n consecutive diarists, in order; d entries and s sentences in total."""

    numbers: Integers  # (n,): the diarists' numbers
    given_names: Integers  # (n,): indices into given_names()
    surnames: Integers  # (n,): indices into surnames()
    entry_counts: Integers  # (n,)
    diarist_of_entry: Integers  # (d,): positions in `numbers`
    entry_numbers: Integers  # (d,): from 1
    lengths: Integers  # (d,): sentences per entry
    sentences: NDArray[np.int16]  # (s,): indices into sentence_texts()


def diaries(shape: Shape, diarists: range) -> Diaries:
    """Make the diaries of consecutive diarists; a diary is the same in whatever range it is made."""
    numbers = np.arange(diarists.start, diarists.stop)
    names = permute(numbers.astype(np.uint64), shape.name_pool_size**2, shape.key).astype(np.int64)
    counts = entry_counts(shape, diarists)
    last_entries = np.cumsum(counts)
    diarist_of_entry = np.repeat(np.arange(len(numbers)), counts)
    entry_numbers = np.arange(len(diarist_of_entry)) - (last_entries - counts)[diarist_of_entry] + 1
    stride = counters_for(shape.max_entries)
    words = shape.key.words(Stream.ENTRIES, diarists.start * stride, len(numbers) * stride)
    words = words.reshape(len(numbers), stride * WORDS_PER_COUNTER)
    lengths, sentences = _sentences(words[diarist_of_entry, entry_numbers - 1], shape.max_attributes)
    return Diaries(
        numbers=numbers,
        given_names=_spread(names // shape.name_pool_size, len(given_names()), shape.name_pool_size),
        surnames=_spread(names % shape.name_pool_size, len(surnames()), shape.name_pool_size),
        entry_counts=counts,
        diarist_of_entry=diarist_of_entry,
        entry_numbers=entry_numbers,
        lengths=lengths,
        sentences=sentences,
    )


def _spread(positions: Integers, num_words: int, pool_size: int) -> Integers:
    """Map positions in a pool to positions in a list of words, evenly spread over the whole list."""
    return positions * num_words // pool_size


@cache
def sentence_texts() -> tuple[str, ...]:
    """Return every sentence that a diary can hold, attribute by attribute."""
    templates = read_json("diary_recall/templates.json")
    assert isinstance(templates, dict), "templates.json is an object"
    sentence: str = templates["sentence"]
    return tuple(
        sentence.format(attribute=name, value=value) for name, values in attributes().items() for value in values
    )


def _sentences(words: NDArray[np.uint64], max_attributes: int) -> tuple[Integers, NDArray[np.int16]]:
    """Derive from each entry's random word its length, the order of its attributes and a value for each attribute.

    The words are divided by small numbers, and the remainders are uniform to within 2**-37. No test on a corpus can
    detect so small a bias.
    """
    rest, lengths = np.divmod(words, np.uint64(max_attributes))
    orders = _orders(len(attributes()))
    rest, order = np.divmod(rest, np.uint64(len(orders)))
    first_sentence, sentence_indices = 0, np.empty((len(attributes()), len(words)), dtype=np.int16)
    for attribute, values in enumerate(attributes().values()):
        rest, value = np.divmod(rest, np.uint64(len(values)))
        sentence_indices[attribute] = value.astype(np.int16) + first_sentence
        first_sentence += len(values)
    lengths = lengths.astype(np.int64) + 1
    in_order = sentence_indices.T[np.arange(len(words))[:, None], orders[order]]
    return lengths, in_order[np.arange(len(attributes())) < lengths[:, None]]


@cache
def _orders(num_attributes: int) -> NDArray[np.int8]:
    return np.array(list(permutations(range(num_attributes))), dtype=np.int8)


def entry_counts(shape: Shape, diarists: range) -> Integers:
    """Draw an entry count from 1 to ``max_entries`` for each diarist.

    Each full group of ``max_entries`` consecutive diarists of a split gets every count once.
    """
    parts = [np.empty(0, dtype=np.int64)]
    for members, leftover in zip(shape.diarists_by_split.values(), _leftovers(shape), strict=True):
        start, stop = max(members.start, diarists.start), min(members.stop, diarists.stop)
        if start < stop:
            parts.append(_entry_counts_of_split(shape, members, leftover, start - members.start, stop - members.start))
    return np.concatenate(parts)


def _entry_counts_of_split(shape: Shape, members: range, leftover: list[int], start: int, stop: int) -> Integers:
    size, stride = shape.max_entries, counters_for(shape.max_entries)
    groups = range(start // size, -(-stop // size))
    # A group's first counter is its first diarist's number times the counters that a group needs, so groups of
    # different splits never share words.
    first_counter = (members.start + groups.start * size) * stride
    words = shape.key.words(Stream.ENTRY_COUNTS, first_counter, len(groups) * size * stride)
    words = words.reshape(len(groups), size * stride * WORDS_PER_COUNTER)[:, :size]
    counts = np.argsort(words, axis=1, kind="stable") + 1
    if groups.stop * size > len(members):
        order = np.argsort(words[-1, : len(leftover)], kind="stable")
        counts[-1, : len(leftover)] = np.array(leftover, dtype=np.int64)[order]
    return counts.ravel()[start - groups.start * size : stop - groups.start * size]


def _leftovers(shape: Shape) -> Iterator[list[int]]:
    """Yield, for each split, the entry counts of the diarists after its last full group of ``max_entries``.

    For the paper's sizes, Table 2 determines their sum. For other sizes the counts 1, 2, 3, … are dealt in turn, and
    the next split continues.
    """
    if shape.max_entries == _PAPER_MAX_ENTRIES:
        for size in paper_sizes().values():
            if size.num_diarists == shape.num_diarists:
                yield from (size.leftover_entry_counts[split] for split in SPLITS)
                return
    num_dealt = 0
    for members in shape.diarists_by_split.values():
        num_left = len(members) % shape.max_entries
        yield [(num_dealt + index) % shape.max_entries + 1 for index in range(num_left)]
        num_dealt += num_left


def row_order(shape: Shape, block: int, split: str, num_rows: int) -> Integers:
    """Return the shuffled order of a block's rows in one split: the row at each position, shape (num_rows,)."""
    first_counter = (block * len(SPLITS) + SPLITS.index(split)) << 64
    words = shape.key.words(Stream.ROW_ORDER, first_counter, counters_for(num_rows))
    return np.argsort(words[:num_rows], kind="stable")
