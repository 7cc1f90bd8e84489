"""The run folders of a dataset folder, as far as they can be read: the views and values that the queries see."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from selfknow.builders.model_replies.runs import (
    DESCRIPTION,
    EXAMPLES,
    FOLDER,
    GENERATIONS,
    question_set_of,
    read_description,
)

_NEEDED = {
    EXAMPLES: {"id"},
    GENERATIONS: {
        *("generation_id", "run_id", "example_id", "stage", "variant", "sample", "attempt", "parent_generation_id"),
        *("model", "revision", "prompt", "messages", "generation", "finish_reason", "prompt_tokens"),
        *("completion_tokens", "logprob", "error", "created_at"),
    },
    "scores": {"generation_id", "metric", "value", "reason"},
}


@dataclass(frozen=True)
class ReadRuns:
    """The runs of a config.

    Attributes:
        files: The Parquet files of each view, ``generations`` and ``scores``, of the runs that can be read.
        values: For each of these runs a row of the table ``described`` (see ``setup.sql``).
        unreadable: For each of the others its name, and why.
    """

    files: Mapping[str, list[tuple[str, Path]]]
    values: Sequence[Mapping[str, object]]
    unreadable: Sequence[Mapping[str, str]] = field(default_factory=list)


def read_runs(folder: Path, entries: Sequence[Mapping[str, Any]]) -> ReadRuns:
    """Read what the queries need of some runs.

    Args:
        folder: The dataset folder.
        entries: What its manifest says of the runs (see ``builders.model_replies.builder.parameters_of``).
    """
    files: dict[str, list[tuple[str, Path]]] = {"generations": [], "scores": []}
    values, unreadable = [], []
    for entry in entries:
        run = folder / FOLDER / str(entry["run"])
        try:
            value = _value(run, entry)
            scores = sorted((run / "scores").glob("*.parquet"))
            for path, kind in ((run / GENERATIONS, GENERATIONS), *((path, "scores") for path in scores)):
                _check_columns(path, kind)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, pa.ArrowException) as error:
            why = f"{type(error).__name__}: {' '.join(str(error).split())}"
            unreadable.append({"run": str(entry["run"]), "why": why.replace(str(folder), folder.name)})
            continue
        values.append(value)
        files["generations"].append(("test", run / GENERATIONS))
        files["scores"] += [("test", path) for path in scores]
    return ReadRuns(files, values, unreadable)


def _value(run: Path, entry: Mapping[str, Any]) -> dict[str, object]:
    """A row of the table ``described``."""
    description, decoding = read_description(run), read_description(run)["decoding"]
    _check_columns(run / EXAMPLES, EXAMPLES)
    return {
        "run": str(entry["run"]),
        "run_id": str(description["run_id"]),
        "listed_run_id": str(entry["run_id"]),
        "listed_replies": int(entry["replies"]),
        "task": str(description["task"]),
        "question_set": question_set_of(description),
        "content_hash": description["dataset"].get("content_hash"),
        "described_examples": int(description["examples"]),
        "examples": [str(id_) for id_ in pq.read_table(run / EXAMPLES, columns=["id"])["id"].to_pylist()],
        "max_new_tokens": int(decoding["max_new_tokens"]),
        "temperature": float(decoding["temperature"]),
        "models": [
            {
                "name": str(one["name"]),
                "revision": str(one["revision"]),
                "num_parameters": int(one["num_parameters"]),
                "quantization": one.get("quantization"),
                "from_scratch": bool(one.get("from_scratch")),
            }
            for one in description["models"]
        ],
        "description": (run / DESCRIPTION).read_text(encoding="utf-8"),
    }


def _check_columns(path: Path, kind: str) -> None:
    """Read a Parquet file to its end.

    Raises:
        ValueError: It lacks a column.
        OSError, ArrowException: It cannot be read.
    """
    table = pq.read_table(path, partitioning=None)
    if missing := sorted(_NEEDED[kind] - set(table.column_names)):
        raise ValueError(f"{path} lacks {', '.join(missing)}")
