"""The comparison of a dataset folder's ``eval.yaml`` with the files there."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from selfknow.builders.folder.evaluation import EVALUATION, FRAMEWORK
from selfknow.builders.folder.manifest import Manifest
from selfknow.validation.folder.fact import Fact

STATEMENTS = {
    "evaluation_is_readable": "eval.yaml lists tasks, for a framework that the Hub knows",
    "evaluation_tasks": "each task of eval.yaml names a config, a split and columns that the folder holds",
}


def facts_of_evaluation(folder: Path, manifest: Manifest, schema: pa.Schema) -> list[Fact]:
    """Return the facts of ``eval.yaml``; none if the manifest does not list the file."""
    if EVALUATION not in {file.path for file in manifest.files}:
        return []
    expected = f"tasks for {FRAMEWORK}"
    try:
        content = yaml.safe_load((folder / EVALUATION).read_text(encoding="utf-8"))
        tasks = [dict(task) for task in content["tasks"]]
        actual = f"tasks for {content.get('evaluation_framework')}"
    except (OSError, ValueError, TypeError, KeyError, AttributeError, yaml.YAMLError) as error:
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        return [Fact("evaluation_is_readable", None, None, EVALUATION, expected, reason)]
    return [
        Fact("evaluation_is_readable", None, None, EVALUATION, expected, actual),
        *(_fact_of_task(task, manifest, schema) for task in tasks),
    ]


def _fact_of_task(task: Mapping[str, Any], manifest: Manifest, schema: pa.Schema) -> Fact:
    config, split = str(task.get("config")), str(task.get("split"))
    expected = "what the folder holds"
    missing = "; ".join(_missing(task, config, split, manifest, schema))
    subject = f"{EVALUATION}, task {task.get('id')}"
    return Fact("evaluation_tasks", config, split, subject, expected, f"no {missing}" if missing else expected)


def _missing(task: Mapping[str, Any], config: str, split: str, manifest: Manifest, schema: pa.Schema) -> Iterator[str]:
    if config not in manifest.configs:
        yield f"config {config}"
    elif split not in manifest.configs[config].splits:
        yield f"split {split}"
    spec = task.get("field_spec")
    spec = spec if isinstance(spec, dict) else {}
    columns = [spec.get("input"), spec.get("target"), *(spec.get("metadata") or [])]
    yield from (f"column {name}" for name in columns if name not in schema.names)
