"""The run folders of a dataset folder, as views and values for the queries."""

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

_NEEDED_COLUMNS = {
    EXAMPLES: {"id"},
    GENERATIONS: {
        "generation_id",
        "run_id",
        "example_id",
        "stage",
        "variant",
        "sample",
        "attempt",
        "parent_generation_id",
        "model",
        "revision",
        "prompt",
        "messages",
        "generation",
        "finish_reason",
        "prompt_tokens",
        "completion_tokens",
        "logprob",
        "error",
        "created_at",
    },
    "scores": {"generation_id", "metric", "value", "reason"},
}


@dataclass(frozen=True)
class ReadRuns:
    """The runs of a config.

    Attributes:
        files: The Parquet files of each view, ``generations`` and ``scores``, of the readable runs.
        values: The rows of the table ``described`` (see ``setup.sql``), one for each readable run.
        unreadable: The names of the other runs, each with its error.
    """

    files: Mapping[str, list[tuple[str, Path]]]
    values: Sequence[Mapping[str, object]]
    unreadable: Sequence[Mapping[str, str]] = field(default_factory=list)


def read_runs(folder: Path, entries: Sequence[Mapping[str, Any]]) -> ReadRuns:
    """Read the parts of some runs that the queries need.

    Args:
        folder: The dataset folder.
        entries: The manifest's entries of the runs (see ``builders.model_replies.builder.parameters_of``).
    """
    files: dict[str, list[tuple[str, Path]]] = {"generations": [], "scores": []}
    values, unreadable = [], []
    for entry in entries:
        run = folder / FOLDER / str(entry["run"])
        try:
            value = _described_row(run, entry)
            scores = sorted((run / "scores").glob("*.parquet"))
            for path, kind in ((run / GENERATIONS, GENERATIONS), *((path, "scores") for path in scores)):
                _check_columns(path, kind)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, pa.ArrowException) as error:
            error_text = f"{type(error).__name__}: {' '.join(str(error).split())}"
            unreadable.append({"run": str(entry["run"]), "error": error_text.replace(str(folder), folder.name)})
            continue
        values.append(value)
        files["generations"].append(("test", run / GENERATIONS))
        files["scores"] += [("test", path) for path in scores]
    return ReadRuns(files, values, unreadable)


def _described_row(run: Path, entry: Mapping[str, Any]) -> dict[str, object]:
    """Return a run's row of the table ``described``."""
    description = read_description(run)
    decoding = description["decoding"]
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
                "name": str(model["name"]),
                "revision": str(model["revision"]),
                "num_parameters": int(model["num_parameters"]),
                "quantization": model.get("quantization"),
                "from_scratch": bool(model.get("from_scratch")),
            }
            for model in description["models"]
        ],
        "description": (run / DESCRIPTION).read_text(encoding="utf-8"),
    }


def _check_columns(path: Path, kind: str) -> None:
    """Check that a Parquet file can be read to its end and has the needed columns.

    Raises:
        ValueError: It lacks a column.
        OSError, ArrowException: It cannot be read.
    """
    table = pq.read_table(path, partitioning=None)
    if missing := sorted(_NEEDED_COLUMNS[kind] - set(table.column_names)):
        raise ValueError(f"{path} lacks {', '.join(missing)}")
