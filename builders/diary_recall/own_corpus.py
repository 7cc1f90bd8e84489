r"""Diary recall of your own corpus: documents about names, and questions that ask for all documents about a name.

This asks the paper's question about any topic (Prato et al., section 5.3). The rows have the columns of the diaries'
rows, but other titles. A document and a question:

    {"id": "document-00000003-2", "kind": "document", "diarist": "Gravity", "prompt": "Gravity: Document 2\n", …}
    {"id": "question-00000003", "kind": "question", "diarist": "Gravity",
     "prompt": "Recall all documents about Gravity, in order.\n", "completion": "Gravity: Document 1\n…", …}
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa

from selfknow.builders.dataset import Dataset, DatasetConfig
from selfknow.builders.diary_recall.builder import DATASET, SIMPLIFIED
from selfknow.builders.diary_recall.diaries import HELD_OUT_PERCENT, SPLITS, Shape, paper_sizes
from selfknow.builders.diary_recall.own_table import FEWEST_NAMES, OwnTable
from selfknow.builders.diary_recall.rows import SCHEMA
from selfknow.builders.diary_recall.titles import OWN_CORPUS, templates
from selfknow.builders.folder.card import lines_of_row
from selfknow.builders.randomness import RandomKey, Stream, counters_for
from selfknow.errors import UserError


@dataclass(frozen=True)
class OwnCorpus:
    """A corpus of documents about names. The names are numbered: those of ``train``, of ``validation``, of ``test``.

    Attributes:
        name: The name of the corpus, and of its standard config.
        table: The table of the documents.
        seed: The seed of the splits and of the rows' order.
        held_out_percent: The share of the names in each of ``validation`` and ``test``.
        names: The names in the order of their numbers.
    """

    name: str
    table: OwnTable
    seed: int
    held_out_percent: int
    names: tuple[str, ...]

    @property
    def numbers_by_split(self) -> dict[str, range]:
        """The numbers of the names that each split asks about."""
        return numbers_by_split(len(self.names), self.held_out_percent)

    def documents(self, number: int) -> tuple[str, ...]:
        """Return the documents about the name of this number."""
        return self.table.documents[self.names[number]]

    @property
    def parameters(self) -> dict[str, object]:
        """The parameters of both setups, for the manifest."""
        groups = self.table.documents.values()
        return {
            "corpus": self.name,
            "num_diarists": len(self.names),
            "seed": self.seed,
            "held_out_percent": self.held_out_percent,
            "num_documents": sum(map(len, groups)),
            "max_entries": max(map(len, groups)),
            "max_lines": max(document.count("\n") + 1 for documents in groups for document in documents),
            "table": self.table.file_name,
            "table_sha256": self.table.sha256,
        }


def is_own(parameters: Mapping[str, object]) -> bool:
    """Return True if a config with these parameters holds your own corpus, not diaries."""
    return "corpus" in parameters


def numbers_by_split(num_names: int, held_out_percent: int = HELD_OUT_PERCENT) -> dict[str, range]:
    """Return the numbers of the names that each split asks about; a held-out share is rounded, and at least one name.

    Example:
        >>> numbers_by_split(200)
        {'train': range(0, 180), 'validation': range(180, 190), 'test': range(190, 200)}
    """
    held_out = max(1, (num_names * held_out_percent + 50) // 100)
    train_end, validation_end = num_names - 2 * held_out, num_names - held_out
    return {
        "train": range(train_end),
        "validation": range(train_end, validation_end),
        "test": range(validation_end, num_names),
    }


def own_corpus(table: OwnTable, name: str, seed: int = 0, held_out_percent: int = HELD_OUT_PERCENT) -> OwnCorpus:
    """Assign the names of a table to the splits, and number them.

    Names are shuffled with the seed, sorted by their number of documents, and held out at equal distances. So every
    split has names with few documents and names with many.

    Raises:
        UserError: The seed is out of range, or the name is not allowed or is one of the paper's sizes.
    """
    if name in paper_sizes() or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) or name.endswith(SIMPLIFIED):
        raise UserError(
            f"a corpus cannot be called {name!r}: give the file a name of lower-case letters and digits, with single "
            "hyphens between them, that is not one of the paper's sizes"
        )
    names = list(table.documents)
    Shape(FEWEST_NAMES, seed)  # checks the seed
    held_out = len(numbers_by_split(len(names), held_out_percent)["test"])
    words = RandomKey(seed, len(names)).words(Stream.NAMES, 0, counters_for(len(names)))[: len(names)]
    shuffled = [names[position] for position in np.argsort(words, kind="stable")]
    by_count = sorted(shuffled, key=lambda name: len(table.documents[name]))
    positions = [(2 * position + 1) * len(names) // (4 * held_out) for position in range(2 * held_out)]
    held_out_names = [by_count[position] for position in positions]
    train = [name for name in shuffled if name not in set(held_out_names)]
    return OwnCorpus(name, table, seed, held_out_percent, (*train, *held_out_names[::2], *held_out_names[1::2]))


def own_configs(corpus: OwnCorpus) -> list[DatasetConfig]:
    """Return both setups of a corpus."""
    return [
        DatasetConfig(
            corpus.name + (SIMPLIFIED if simplified else ""),
            {**corpus.parameters, "simplified": simplified},
            SCHEMA,
            {split: [partial(own_rows, corpus, split, simplified=simplified)] for split in SPLITS},
        )
        for simplified in (False, True)
    ]


def own_rows(corpus: OwnCorpus, split: str, *, simplified: bool) -> pa.Table:
    """Return the rows of a split in their shuffled order; ``train`` also holds the documents about every name."""
    rows = [_question(corpus, number) for number in corpus.numbers_by_split[split]]
    if split == "train":
        numbers = range(len(corpus.names))
        groups = (_one_document(corpus, number) if simplified else _documents(corpus, number) for number in numbers)
        rows = [row for documents in groups for row in documents] + rows
    key = RandomKey(corpus.seed, len(corpus.names))
    words = key.words(Stream.ROW_ORDER, SPLITS.index(split) << 64, counters_for(len(rows)))
    order = np.argsort(words[: len(rows)], kind="stable")
    return pa.Table.from_pylist([rows[position] for position in order], schema=SCHEMA)


def _question(corpus: OwnCorpus, number: int) -> dict[str, object]:
    prompt = templates(OWN_CORPUS)["question"].replace("{name}", corpus.names[number])
    return _row(corpus, number, "question", f"{prompt}\n", _answer(corpus, number))


def _documents(corpus: OwnCorpus, number: int) -> list[dict[str, object]]:
    return [
        _row(corpus, number, "document", f"{_title(corpus, number, entry)}\n", text, entry)
        for entry, text in enumerate(corpus.documents(number), start=1)
    ]


def _one_document(corpus: OwnCorpus, number: int) -> list[dict[str, object]]:
    first, newline, rest = _answer(corpus, number).partition("\n")
    return [_row(corpus, number, "document", first + newline, rest)]


def _answer(corpus: OwnCorpus, number: int) -> str:
    return "\n".join(
        f"{_title(corpus, number, entry)}\n{text}" for entry, text in enumerate(corpus.documents(number), start=1)
    )


def _title(corpus: OwnCorpus, number: int, entry: int) -> str:
    return templates(OWN_CORPUS)["title"].replace("{name}", corpus.names[number]).replace("{entry}", str(entry))


def _row(
    corpus: OwnCorpus, number: int, kind: str, prompt: str, completion: str, entry: int | None = None
) -> dict[str, object]:
    documents = corpus.documents(number)
    return {
        "id": f"{kind}-{number:08d}" + (f"-{entry}" if entry is not None else ""),
        "kind": kind,
        "diarist": corpus.names[number],
        "prompt": prompt,
        "completion": completion,
        "entry": entry,
        "num_documents": len(documents),
        "document_lengths": [document.count("\n") + 1 for document in documents],
    }


def own_dataset(corpus: OwnCorpus) -> Dataset:
    """Return the dataset of your own corpus; its card names the table that it was made from."""

    def card_parts(configs: Sequence[DatasetConfig]) -> Mapping[str, str]:
        rows = configs[0].shards["train"][0]().to_pylist()
        examples = {kind: next(row for row in rows if row["kind"] == kind) for kind in ("document", "question")}
        parts = {f"example_{kind}": lines_of_row(row) for kind, row in examples.items()}
        numbers = ("num_diarists", "num_documents", "max_entries", "table", "table_sha256")
        return {
            **parts,
            **{name: str(corpus.parameters[name]) for name in numbers},
            "name": corpus.name,
            "asked": ", ".join(f"{len(numbers):,} in `{split}`" for split, numbers in corpus.numbers_by_split.items()),
            "held_out_percent": str(corpus.held_out_percent),
        }

    return replace(
        DATASET,
        sources=OWN_CORPUS,
        summary=f"Does a model know how much it knows? Recall all documents about a name, of {corpus.table.file_name}.",
        configs=(corpus.name, corpus.name + SIMPLIFIED),
        metadata={
            "pretty_name": f"Document recall: {corpus.name}",
            "license": "unknown",
            "task_categories": ["question-answering", "text-generation"],
            "tags": ["self-knowledge", "memorization", "selfknow"],
        },
        card_parts=card_parts,
    )
