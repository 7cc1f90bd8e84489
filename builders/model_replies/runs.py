"""The packaged runs: folders of ``datasets_src/model_replies/runs``, listed with their digests in a table."""

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
"""The columns of ``runs.tsv``."""
FOLDER = "runs"
"""The name of the folder that holds the run folders, in ``datasets_src`` and in a dataset folder."""
GENERATIONS = "generations/part-00000.parquet"
EXAMPLES = "examples.parquet"
DESCRIPTION = "run.json"


@dataclass(frozen=True)
class ReplyRun:
    """A run of one model.

    Attributes:
        config: The task, which is also the config that holds its replies.
        model: The model's name, without its quantisation.
        run: The question set and the prompt, such as ``self-knowledge-code-dual``.
        run_id: The id in its ``run.json``.
        replies: The number of its rows in ``generations``.
        digest: The hash over its files (see :func:`digest_of`).
    """

    config: str
    model: str
    run: str
    run_id: str
    replies: int
    digest: str

    @property
    def name(self) -> str:
        """The model and the run, as a path: the run's folder below ``runs``.

        >>> ReplyRun("self-aware", "gemma-3-270m", "self-aware-icl", "4e24ea8838d0", 300, "").name
        'gemma-3-270m/self-aware-icl'
        """
        return f"{self.model}/{self.run}"

    @classmethod
    def from_row(cls, row: Row) -> "ReplyRun":
        """Make a run from a row of ``runs.tsv``."""
        return cls(**{**row, "replies": int(row["replies"])})  # type: ignore[arg-type]


@cache
def collected_runs() -> tuple[ReplyRun, ...]:
    """Read the packaged runs, in the order of their table."""
    return tuple(ReplyRun.from_row(row) for row in read_table(f"{SOURCES}/runs.tsv"))


@cache
def models() -> Mapping[str, Row]:
    """Read the pages and licences of the models, by name, from ``models.tsv``."""
    return {row["model"]: row for row in read_table(f"{SOURCES}/models.tsv")}


def run_folders() -> Path:
    """Return the folder that holds the packaged runs, each in a subfolder of its name."""
    return DATASETS_SRC / SOURCES / FOLDER


def files_of_run(folder: Path) -> list[str]:
    """Return the paths of a run folder's files, relative to it and sorted."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def digest_of(files: Iterable[tuple[str, str]]) -> str:
    """Hash the paths of a run's files, relative to its folder, and the SHA-256 of each, to 64 hex digits.

    A manifest lists the same SHA-256, so a run in a dataset folder can be compared without reading its files.
    """
    lines = "".join(f"{path}\0{sha256}\n" for path, sha256 in sorted(files))
    return hashlib.sha256(lines.encode()).hexdigest()


def digest_of_folder(folder: Path) -> str:
    """Return the digest of a run folder on disk."""
    return digest_of((path, describe_file(folder, path).sha256) for path in files_of_run(folder))


def read_description(folder: Path) -> dict[str, Any]:
    """Read the ``run.json`` of a run folder."""
    value: dict[str, Any] = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
    return value


def question_set_of(description: Mapping[str, Any]) -> str:
    """Return the name of a run's question set: a dataset and its config, or a question set or file without configs.

    >>> question_set_of({"dataset": {"name": "self-knowledge", "config": "code"}})
    'self-knowledge:code'
    >>> question_set_of({"dataset": {"name": "texts/King-James-Bible.txt", "config": None}})
    'King-James-Bible.txt'
    """
    dataset = description["dataset"]
    name = str(dataset["name"])
    return f"{name}:{dataset['config']}" if dataset.get("config") else name.rpartition("/")[2]
