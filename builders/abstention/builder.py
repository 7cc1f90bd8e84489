"""Abstention: KUQ, UMWP and CoCoNot, each fetched from its pinned source, in the columns of self-aware.

Their rows are not part of this package. Each has a licence of its own, so no two of them share a folder.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path

import pyarrow as pa

from selfknow.builders.abstention import coconot, kuq, umwp
from selfknow.builders.abstention.rows import with_flags, with_unique_ids
from selfknow.builders.dataset import Dataset, DatasetConfig
from selfknow.builders.pinned_files import (
    PinnedSource,
    SourceFile,
    open_source,
    parameters_of,
    read_sources,
    table_of_files,
)
from selfknow.builders.self_aware.questions import SCHEMA, SPLITS, Question
from selfknow.errors import UserError, nearest

SOURCES = "abstention"
CONFIGS = ("kuq", "umwp", "coconot")
FLAGS = ("duplicate", "answer_in_question", "alias_too_short", "no_answer", "safety")


@cache
def pinned_sources() -> Mapping[str, PinnedSource]:
    """Read the pinned source of each config."""
    return read_sources(f"{SOURCES}/sources.yaml")


def categories(config: str) -> list[str]:
    """Return the categories of a config: the reasons why its questions are unanswerable."""
    names = pinned_sources()[config].texts["categories"]
    assert isinstance(names, list), "the categories are a list"
    return names


_PARSERS: Mapping[str, Callable[[list[SourceFile]], Iterable[Question]]] = {
    "kuq": kuq.parse,
    "umwp": lambda files: umwp.parse(files, categories("umwp")),
    "coconot": coconot.parse,
}


def abstention_config(config: str, seed: int = 0, *, path: Path | None = None) -> DatasetConfig:
    """Return one of the three configs. Its rows are fetched, or read from a file, by this call.

    Args:
        config: ``kuq``, ``umwp`` or ``coconot``.
        seed: Has no effect: the rows keep the authors' order.
        path: A file with the same columns, or the folder of the files; fetched if omitted.

    Raises:
        UserError: The config does not exist, or its files are missing, cannot be fetched or are not the pinned ones.

    Example:
        >>> abstention_config("kuq").parameters["revision"]  # doctest: +SKIP
        'f99b53aa226dbb0d1b086db3ec352b0da0aa8f41'
    """
    del seed
    if config not in CONFIGS:
        raise UserError(f"abstention has no config {config!r}{nearest(config, CONFIGS)}")
    source = pinned_sources()[config]
    files = open_source(source, path)
    rows = with_flags(with_unique_ids(_PARSERS[config](files)))
    return DatasetConfig(
        config, parameters_of(source, files), SCHEMA, {split: [partial(_table, rows, split)] for split in SPLITS}
    )


def _table(rows: Iterable[Question], split: str) -> pa.Table:
    values = [asdict(row) for row in rows if row.answerable == (split == "answerable")]
    return pa.Table.from_pylist(values, schema=SCHEMA)


def card_parts(configs: list[DatasetConfig]) -> Mapping[str, str]:
    """Return the texts about the source, and the tables of categories and flags."""
    (config,) = configs
    source = pinned_sources()[config.name]
    tables = {split: config.shards[split][0]() for split in SPLITS}
    by_category = Counter(tables["unanswerable"]["category"].to_pylist())
    flags = {
        split: Counter(flag for row in table["flags"].to_pylist() for flag in row) for split, table in tables.items()
    }
    texts = ("title", "about", "columns", "paper", "citation", "licence_text")
    return {
        **{name: str(source.texts[name]) for name in texts},
        "config": config.name,
        "licence": source.licence,
        "files": table_of_files(config.parameters),
        "table_of_categories": _table_of([("category", "questions"), *sorted(by_category.items())]),
        "table_of_flags": _table_of(
            [("flag", *SPLITS), *((f"`{name}`", *(flags[split][name] for split in SPLITS)) for name in FLAGS)]
        ),
    }


def _table_of(rows: list[tuple[object, ...]]) -> str:
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join([lines[0], "| --- |" + " ---: |" * (len(rows[0]) - 1), *lines[1:]])


DATASET = Dataset(
    name="abstention",
    version="1.0.0",
    sources=SOURCES,
    summary="Three public question sets about abstention, KUQ, UMWP and CoCoNot, in the columns of self-aware.",
    configs=CONFIGS,
    config=abstention_config,
    metadata={
        "pretty_name": "Abstention",
        "language": ["en"],
        "task_categories": ["question-answering", "text-classification"],
        "tags": ["self-knowledge", "unanswerable questions", "abstention", "selfknow"],
        "annotations_creators": ["found"],
    },
    card_parts=card_parts,
    licence_of=lambda config: pinned_sources()[config].licence,
    options=("path",),
)
