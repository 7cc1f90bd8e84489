"""The rows of diary recall: Arrow tables made from the diaries as numbers."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from selfknow.builders.diary_recall.diaries import (
    Diaries,
    Integers,
    Shape,
    diaries,
    entry_counts,
    given_names,
    row_order,
    sentence_texts,
    surnames,
)
from selfknow.builders.sources import read_json
from selfknow.builders.text_columns import PiecePool, concatenated_ranges

SCHEMA = pa.schema(
    {
        "id": pa.string(),
        "kind": pa.string(),
        "diarist": pa.string(),
        "prompt": pa.string(),
        "completion": pa.string(),
        "entry": pa.int32(),
        "num_documents": pa.int32(),
        "document_lengths": pa.list_(pa.int32()),
    }
)
Pieces = NDArray[np.int32]
_PROMPT_PIECES = 2  # in a question: the text before the name, and the name with the rest; in a title: as below
_TITLE_PIECES = 2  # the text before the entry's number, and the number


def diary_table(shape: Shape, block: int, split: str, *, simplified: bool) -> pa.Table:
    """Return the rows of one block of diarists in one split, in their shuffled order.

    Args:
        shape: The shape of the corpus.
        block: The index of the block in ``shape.blocks``.
        split: ``train`` holds the documents of all diarists of the block, but questions only about the diarists of
            ``train``; the other splits hold questions alone.
        simplified: If true, all entries of a diarist are one document, instead of a document each.
    """
    diarists = shape.blocks[block]
    if split != "train":
        members = shape.diarists_by_split[split]
        diarists = range(max(diarists.start, members.start), min(diarists.stop, members.stop))
    if not len(diarists):
        return SCHEMA.empty_table()
    diary_block = _block(shape, diarists)
    num_questions = len(range(diarists.start, min(diarists.stop, shape.diarists_by_split[split].stop)))
    num_documents = diary_block.num_documents(simplified=simplified) if split == "train" else 0
    order = row_order(shape, block, split, num_documents + num_questions)
    return _table(diary_block, _Rows(order, num_documents, simplified=simplified))


def example_rows(shape: Shape, *, simplified: bool) -> dict[str, dict[str, object]]:
    """Return the first document and the first question of ``train``, by kind, without making its other rows."""
    counts = entry_counts(shape, shape.blocks[0])
    ends = np.cumsum(np.ones_like(counts) if simplified else counts)
    num_questions = len(range(min(len(counts), shape.diarists_by_split["train"].stop)))
    order = row_order(shape, 0, "train", int(ends[-1]) + num_questions)
    document, question = order[order < ends[-1]][0], order[order >= ends[-1]][0] - ends[-1]
    diarist = int(np.searchsorted(ends, document, side="right"))
    document -= ends[diarist - 1] if diarist else 0
    rows: dict[str, dict[str, object]] = {}
    for kind, number, position in (("document", diarist, document), ("question", int(question), None)):
        diary_block = _Block.make(shape, range(number, number + 1))
        num_documents = diary_block.num_documents(simplified=simplified)
        order = np.array([num_documents if position is None else position])
        [rows[kind]] = _table(diary_block, _Rows(order, num_documents, simplified=simplified)).to_pylist()
    return rows


@dataclass(frozen=True)
class _Block:
    """The diaries of consecutive diarists, and the pieces of their texts; the same in both setups."""

    diaries: Diaries
    names: pa.Array
    pool: PiecePool
    pieces: Pieces  # piece numbers of all entries' texts; the title of an entry comes before its sentences
    entry_starts: Integers  # (d + 1,): positions in `pieces`

    @classmethod
    def make(cls, shape: Shape, diarists: range) -> "_Block":
        block = diaries(shape, diarists)
        names = _names(block)
        pool = _pool(names, int(block.entry_numbers.max()))
        entry_starts = np.concatenate([[0], np.cumsum(block.lengths + _TITLE_PIECES)])
        return cls(block, names, pool, _entry_pieces(pool, block, entry_starts), entry_starts)

    def num_documents(self, *, simplified: bool) -> int:
        """Return the number of documents: one for each diarist if simplified, otherwise one for each entry."""
        return len(self.diaries.numbers if simplified else self.diaries.entry_numbers)


@lru_cache(maxsize=1)
def _block(shape: Shape, diarists: range) -> _Block:
    """Return a block, cached so that the standard and the simplified setup share it."""
    return _Block.make(shape, diarists)


class _Rows:
    """The document or question of each row, in the rows' shuffled order."""

    def __init__(self, order: Integers, num_documents: int, *, simplified: bool) -> None:
        self.simplified = simplified
        self.is_question = order >= num_documents
        self.questions = order[self.is_question] - num_documents  # diarist of each question
        self.documents = order[~self.is_question]  # diarist (simplified) or entry (standard) of each document

    def diarist_of_document(self, block: Diaries) -> Integers:
        """Return the diarist of each document."""
        return self.documents if self.simplified else block.diarist_of_entry[self.documents]

    def entry_of_document(self, block: Diaries) -> Integers:
        """Return the entry number in each document's (first) title."""
        return np.ones_like(self.documents) if self.simplified else block.entry_numbers[self.documents]

    def fill(self, question_numbers: Integers | int, document_numbers: Integers) -> Integers:
        """Merge the questions' and the documents' numbers into one array, in the order of the rows."""
        merged = np.empty(len(self.is_question), dtype=np.int64)
        merged[self.is_question], merged[~self.is_question] = question_numbers, document_numbers
        return merged


def _table(diary_block: _Block, rows: _Rows) -> pa.Table:
    block = diary_block.diaries
    prompts, completions = _texts(diary_block, rows)
    diarist = rows.fill(rows.questions, rows.diarist_of_document(block))
    entry = rows.fill(0, rows.entry_of_document(block))
    entry = pa.array(entry.astype(np.int32), mask=rows.is_question | rows.simplified)
    last_entries = np.concatenate([[0], np.cumsum(block.entry_counts)])
    lengths = pa.ListArray.from_arrays(last_entries.astype(np.int32), block.lengths.astype(np.int32))
    columns = {
        "id": _ids(block.numbers[diarist], rows.is_question, entry),
        "kind": pa.array(["document", "question"]).take(pa.array(rows.is_question.astype(np.int8))),
        "diarist": diary_block.names.take(pa.array(diarist)),
        "prompt": prompts,
        "completion": completions,
        "entry": entry,
        "num_documents": pa.array(block.entry_counts[diarist].astype(np.int32)),
        "document_lengths": lengths.take(pa.array(diarist)),
    }
    return pa.table(columns, schema=SCHEMA)


def _ids(numbers: Integers, is_question: np.ndarray, entry: pa.Array) -> pa.Array:
    """Return ids such as ``question-00000012``, ``document-00000012-3`` or, simplified, ``document-00000012``."""
    kind = pa.array(["document-", "question-"]).take(pa.array(is_question.astype(np.int8)))
    number = pc.utf8_lpad(pa.array(numbers).cast(pa.string()), 8, "0")
    ending = pc.binary_join_element_wise("-", entry.cast(pa.string()), "").fill_null("")
    return pc.binary_join_element_wise(kind, number, ending, "")


def _names(block: Diaries) -> pa.Array:
    first_names = pa.array(given_names()).take(pa.array(block.given_names))
    return pc.binary_join_element_wise(first_names, pa.array(surnames()).take(pa.array(block.surnames)), " ")


def _pool(names: pa.Array, max_entries: int) -> PiecePool:
    """Make the pool of the texts' pieces by cutting the templates at their fields, so the code holds no wording."""
    templates = read_json("diary_recall/templates.json")
    assert isinstance(templates, dict), "templates.json is an object"
    after_name, after_number = templates["title"].removeprefix("{name}").split("{entry}")
    before_question, after_question = templates["question"].split("{name}")
    return PiecePool(
        titles=pc.binary_join_element_wise(names, after_name, ""),
        further_titles=pc.binary_join_element_wise("\n", names, after_name, ""),
        entry_numbers=pa.array([f"{number}{after_number}\n" for number in range(1, max_entries + 1)]),
        sentences=pa.array(sentence_texts()),
        further_sentences=pa.array([f"\n{text}" for text in sentence_texts()]),
        before_question=pa.array([before_question]),
        after_question=pc.binary_join_element_wise(names, f"{after_question}\n", ""),
    )


def _texts(diary_block: _Block, rows: _Rows) -> tuple[pa.Array, pa.Array]:
    """Return the prompt and the completion of every row, in the rows' order."""
    block, pool = diary_block.diaries, diary_block.pool
    pieces, entry_starts = diary_block.pieces, diary_block.entry_starts
    first_entries = np.cumsum(block.entry_counts) - block.entry_counts
    answer_starts = np.append(entry_starts[first_entries], entry_starts[-1])
    document_starts = answer_starts if rows.simplified else entry_starts
    starts = rows.fill(answer_starts[rows.questions], document_starts[rows.documents] + _TITLE_PIECES)
    ends = rows.fill(answer_starts[rows.questions + 1], document_starts[rows.documents + 1])
    completions = pool.texts(pieces[concatenated_ranges(starts, ends - starts)], np.append(0, np.cumsum(ends - starts)))
    prompts = np.empty((len(starts), _PROMPT_PIECES), dtype=np.int32)
    prompts[:, 0] = rows.fill(pool.start("before_question"), pool.start("titles") + rows.diarist_of_document(block))
    prompts[:, 1] = rows.fill(
        pool.start("after_question") + rows.questions,
        pool.start("entry_numbers") + rows.entry_of_document(block) - 1,
    )
    return pool.texts(prompts.ravel(), np.arange(len(prompts) + 1) * _PROMPT_PIECES), completions


def _entry_pieces(pool: PiecePool, block: Diaries, entry_starts: Integers) -> Pieces:
    """Return the pieces of all entries, each with its title before its sentences."""
    pieces = np.empty(entry_starts[-1], dtype=np.int32)
    titles = entry_starts[:-1]
    is_first = block.entry_numbers == 1
    pieces[titles] = np.where(is_first, pool.start("titles"), pool.start("further_titles")) + block.diarist_of_entry
    pieces[titles + 1] = pool.start("entry_numbers") + block.entry_numbers - 1
    sentences = concatenated_ranges(titles + _TITLE_PIECES, block.lengths)
    pieces[sentences] = block.sentences
    pieces[sentences] += pool.start("further_sentences")
    pieces[titles + _TITLE_PIECES] += pool.start("sentences") - pool.start("further_sentences")
    return pieces
