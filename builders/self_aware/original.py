"""The authors' own SelfAware: their unchanged file, with flags for its known flaws and no row dropped.

Yin et al., Do Large Language Models Know What They Don't Know?, section 2. The file is fetched from the pinned source
in ``datasets_src/self_aware/original/source.json``, or read from a path, and refused if its SHA-256 differs.
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
    """Read the address of the authors' file, with its revision, SHA-256 and licence."""
    source = read_json(f"{SOURCES}/source.json")
    assert isinstance(source, dict), "source.json is an object"
    return source


def fetch(url: str) -> bytes:
    """Fetch the bytes at a URL.

    Raises:
        UserError: They cannot be fetched; the message names ``--source`` as the alternative.
    """
    try:
        return downloads.fetch(url)
    except downloads.DownloadError as error:
        raise UserError(f"{url} cannot be fetched ({error}): get the file elsewhere and give --source FILE") from error


def check_sha256(content: bytes, sha256: str, name: str) -> bytes:
    """Return the bytes if they have this SHA-256.

    Raises:
        UserError: They have another SHA-256.
    """
    digest = hashlib.sha256(content).hexdigest()
    if digest != sha256:
        raise UserError(f"{name} is not the authors' file: its SHA-256 is {digest}, theirs is {sha256}")
    return content


@cache
def _rows(path: Path | None) -> tuple[Question, ...]:
    source = pinned_source()
    content = fetch(source["url"]) if path is None else path.read_bytes()
    return parse(check_sha256(content, source["sha256"], str(path or source["url"])))


def parse(content: bytes) -> tuple[Question, ...]:
    """Parse the rows of the authors' file, in its order, and add flags for their flaws.

    A row is a ``duplicate`` if another asks the same question, ignoring case, punctuation and white space.
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
    """Return the one config, ``original``.

    Args:
        config: The config's name.
        seed: Has no effect: the rows keep the authors' order.
        path: The authors' file; if omitted, it is fetched when the rows are made.

    Raises:
        UserError: The config does not exist.
    """
    del seed
    if config != CONFIG:
        raise UserError(f"self-aware-original has no config {config!r}{nearest(config, [CONFIG])}")
    parameters = {"sha256": pinned_source()["sha256"]}
    return DatasetConfig(config, parameters, SCHEMA, {split: [partial(_table, split, path)] for split in SPLITS})


def card_parts(configs: list[DatasetConfig]) -> Mapping[str, str]:
    """Return the pinned source and the table of flags."""
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
