"""The runs that are packaged: folders of ``datasets_src/model_replies/runs``, named with their digests in a table."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from selfknow.builders.folder.manifest import describe_file
from selfknow.builders.sources import DATASETS_SRC
from selfknow.builders.tables import Row, read_table

SOURCES = "model_replies"
COLUMNS = ("config", "model", "run", "run_id", "replies", "digest")
"""Of ``runs.tsv``."""
FOLDER = "runs"
"""Where run folders lie, in the sources as in a dataset folder."""
GENERATIONS = "generations/part-00000.parquet"
EXAMPLES = "examples.parquet"
DESCRIPTION = "run.json"


@dataclass(frozen=True)
class ReplyRun:
    """A run of one model.

    Attributes:
        config: The task, which is the config that its replies stand in.
        model: The model's name, without what says how it is quantised.
        run: What it was asked, and how: ``self-knowledge-code-dual``.
        run_id: That of its ``run.json``.
        replies: How many rows of ``generations`` it has.
        digest: Over its files (see :func:`digest_of`).
    """

    config: str
    model: str
    run: str
    run_id: str
    replies: int
    digest: str

    @property
    def name(self) -> str:
        """Model and run: where its folder lies below ``runs``.

        >>> ReplyRun("self-aware", "gemma-3-270m", "self-aware-icl", "4e24ea8838d0", 300, "").name
        'gemma-3-270m/self-aware-icl'
        """
        return f"{self.model}/{self.run}"

    @classmethod
    def of_row(cls, row: Row) -> "ReplyRun":
        """A row of ``runs.tsv``."""
        return cls(**{**row, "replies": int(row["replies"])})  # type: ignore[arg-type]


@cache
def collected_runs() -> tuple[ReplyRun, ...]:
    """The runs of the package, in the order of their table."""
    return tuple(ReplyRun.of_row(row) for row in read_table(f"{SOURCES}/runs.tsv"))


@cache
def models() -> Mapping[str, Row]:
    """What is known of the models that were asked, by name: ``models.tsv``."""
    return {row["model"]: row for row in read_table(f"{SOURCES}/models.tsv")}


def run_folders() -> Path:
    """The folder that holds the packaged runs, each at its name."""
    return DATASETS_SRC / SOURCES / FOLDER


def files_of_run(folder: Path) -> list[str]:
    """The files of a run folder, relative to it, in order."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def digest_of(files: Iterable[tuple[str, str]]) -> str:
    """SHA-256 over the paths of a run's files, relative to its folder, and the SHA-256 of each; 64 hex digits.

    A manifest names the same hashes, so that a run in a dataset folder is compared without reading it.
    """
    lines = "".join(f"{path}\0{sha256}\n" for path, sha256 in sorted(files))
    return hashlib.sha256(lines.encode()).hexdigest()


def digest_of_folder(folder: Path) -> str:
    """The digest of a run folder as it lies on disk."""
    return digest_of((path, describe_file(folder, path).sha256) for path in files_of_run(folder))


def read_description(folder: Path) -> dict[str, Any]:
    """The ``run.json`` of a run folder."""
    value: dict[str, Any] = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
    return value


def question_set_of(description: Mapping[str, Any]) -> str:
    """What a run was asked: a dataset and its config, or a set or a file of no config.

    >>> question_set_of({"dataset": {"name": "self-knowledge", "config": "code"}})
    'self-knowledge:code'
    >>> question_set_of({"dataset": {"name": "texts/King-James-Bible.txt", "config": None}})
    'King-James-Bible.txt'
    """
    dataset = description["dataset"]
    name = str(dataset["name"])
    return f"{name}:{dataset['config']}" if dataset.get("config") else name.rpartition("/")[2]
