"""The authors' own SelfAware: their file as it is, its known flaws flagged, nothing dropped.

Yin et al., Do Large Language Models Know What They Don't Know?, section 2. The file is fetched from the pinned source
in ``datasets_src/self_aware/original/source.json``, or read from a path, and refused when its SHA-256 is another one.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path

import pyarrow as pa

from selfknow import downloads
from selfknow.builders.dataset import Dataset, DatasetConfig
from selfknow.builders.self_aware.question_text import answer_flags, normalized
from selfknow.builders.self_aware.questions import SCHEMA, SPLITS, Question
from selfknow.builders.sources import read_json
from selfknow.errors import UserError, nearest

SOURCES = "self_aware/original"
CONFIG = "original"


@cache
def pinned_source() -> Mapping[str, str]:
    """Where the authors' file lies, with its revision, SHA-256 and licence."""
    source = read_json(f"{SOURCES}/source.json")
    assert isinstance(source, dict), "source.json is an object"
    return source


def fetch(url: str) -> bytes:
    """The bytes at a URL.

    Raises:
        UserError: They cannot be had; the message says what to do instead.
    """
    try:
        return downloads.fetch(url)
    except downloads.DownloadError as error:
        raise UserError(f"{url} cannot be fetched ({error}): get the file elsewhere and give --source FILE") from error


def checked(content: bytes, sha256: str, name: str) -> bytes:
    """The same bytes, when they have this SHA-256.

    Raises:
        UserError: They have another one.
    """
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise UserError(f"{name} is not the authors' file: its SHA-256 is {found}, theirs is {sha256}")
    return content


@cache
def _rows(path: Path | None) -> tuple[Question, ...]:
    source = pinned_source()
    content = fetch(source["url"]) if path is None else path.read_bytes()
    return parse(checked(content, source["sha256"], str(path or source["url"])))


def parse(content: bytes) -> tuple[Question, ...]:
    """The rows of the authors' file, in its order, with the flags of what is wrong with them.

    A row is a ``duplicate`` when another one asks the same, but for case, punctuation and white space.
    """
    examples = json.loads(content)["example"]
    times_asked = Counter(normalized(example["question"]) for example in examples)
    return tuple(
        Question(
            id=f"original-{example['question_id']:04d}",
            question=example["question"],
            answers=example["answer"] or [],
            answerable=example["answerable"],
            category=None,
            source=example["source"],
            pair_id=None,
            flags=[
                *(["duplicate"] if times_asked[normalized(example["question"])] > 1 else []),
                *answer_flags(example["question"], example["answer"] or [], whole_words=False),
            ],
        )
        for example in examples
    )


def _table(split: str, path: Path | None) -> pa.Table:
    rows = [asdict(row) for row in _rows(path) if row.answerable == (split == "answerable")]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def original_config(config: str = CONFIG, seed: int = 0, *, path: Path | None = None) -> DatasetConfig:
    """The one config, ``original``.

    Args:
        config: Its name.
        seed: Decides nothing: the rows keep the authors' order.
        path: The authors' file; without it, it is fetched when the rows are made.

    Raises:
        UserError: There is no such config.
    """
    del seed
    if config != CONFIG:
        raise UserError(f"self-aware-original has no config {config!r}{nearest(config, [CONFIG])}")
    parameters = {"sha256": pinned_source()["sha256"]}
    return DatasetConfig(config, parameters, SCHEMA, {split: [partial(_table, split, path)] for split in SPLITS})


def card_parts(configs: list[DatasetConfig]) -> Mapping[str, str]:
    """The pinned source, and how many rows have which flag."""
    tables = {split: configs[0].shards[split][0]() for split in SPLITS}
    flags = {
        split: Counter(flag for row in table["flags"].to_pylist() for flag in row) for split, table in tables.items()
    }
    names = sorted({name for counts in flags.values() for name in counts})
    lines = ["| flag | " + " | ".join(SPLITS) + " |", "| --- |" + " ---: |" * len(SPLITS)]
    lines += [f"| `{name}` | " + " | ".join(str(flags[split][name]) for split in SPLITS) + " |" for name in names]
    return {"table_of_flags": "\n".join(lines), **pinned_source()}


DATASET = Dataset(
    name="self-aware-original",
    version="1.0.0",
    sources=SOURCES,
    summary="The authors' SelfAware, 3,369 questions, with its known flaws flagged.",
    configs=(CONFIG,),
    config=original_config,
    metadata={
        "pretty_name": "Self-aware, the original questions",
        "license": "cc-by-sa-4.0",
        "language": ["en"],
        "task_categories": ["question-answering", "text-classification"],
        "tags": ["self-knowledge", "unanswerable questions", "abstention", "selfknow"],
        "annotations_creators": ["expert-generated", "found"],
    },
    card_parts=card_parts,
    options=("path",),
)
