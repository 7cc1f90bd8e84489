"""``run.json`` describes a run: its questions, models and settings. It refuses other settings in the same folder."""

import hashlib
import json
import platform
import reprlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import pyarrow as pa

from selfknow.errors import UserError
from selfknow.files import read_json, remove_unfinished, write_json, write_parquet
from selfknow.models.facts import ModelFacts
from selfknow.models.interface import Decoding
from selfknow.runs.schema import generation_files

_VERSIONED = ("selfknow", "torch", "transformers", "tokenizers", "diffusers", "pillow", "huggingface_hub", "pyarrow")


@dataclass(frozen=True)
class DatasetReference:
    """Which rows a run asks, to the byte.

    Attributes:
        name: The dataset: its name, folder or Hub repo.
        config: Such as ``1k-simplified``.
        split: Such as ``test``.
        revision: Commit of a Hub dataset; null for a local folder.
        content_hash: Hash of the config's rows, from its manifest; null where there is none.
        parameters: What the config was made from, such as its seed and its shape, from its manifest. The content hash
            says already whether two runs ask the same.
    """

    name: str
    config: str | None = None
    split: str | None = None
    revision: str | None = None
    content_hash: str | None = None
    parameters: Mapping[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        """The fields; without parameters where there are none."""
        found = asdict(self)
        if self.parameters is None:
            del found["parameters"]
        return found


@dataclass(frozen=True)
class RunDescription:
    """What makes two runs the same run: only then may their generations stand in one folder.

    Attributes:
        task: Name of the task.
        dataset: The rows that are asked.
        decoding: How answers are drawn.
        settings: What else the task's requests depend on, as JSON.
    """

    task: str
    dataset: DatasetReference
    decoding: Decoding
    settings: Mapping[str, object] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        """The part of ``run.json`` that must agree before a run is gone on with."""
        return {
            "task": self.task,
            "dataset": self.dataset.as_json(),
            "decoding": self.decoding.as_json(),
            "seed": self.decoding.seed,
            "settings": dict(self.settings),
        }


def described_models(description: Mapping[str, Any]) -> dict[tuple[str, str | None], ModelFacts]:
    """What a ``run.json`` says of its models, by name and revision; nothing where it is of an earlier version.

    Raises:
        UserError: Something of it is of another kind than it should be.
    """
    models = description.get("models")
    if isinstance(models, list):
        for one in models:
            if isinstance(one, dict) and not isinstance(one.get("revision"), str | None):
                raise UserError(f"run.json is damaged: a model has the revision {reprlib.repr(one['revision'])}")
        entries = [one for one in models if isinstance(one, dict) and "name" in one]
        return {(str(one["name"]), one.get("revision")): ModelFacts.from_json(one) for one in entries}
    return {}


def describe_run(folder: Path, description: RunDescription, examples: pa.Table, annotations: Sequence[str]) -> str:
    """Write ``run.json`` and the examples, or check that they say the same.

    Args:
        folder: The run folder; there is one.
        description: What is asked.
        examples: The rows that are asked.
        annotations: Columns that make no other run of it.

    Returns:
        The run's id.

    Raises:
        UserError: The folder holds another run.
    """
    remove_unfinished(folder)
    path = folder / "run.json"
    asked = {"examples": len(examples), "examples_hash": _hash(examples.drop_columns(list(annotations)))}
    wanted = json.loads(json.dumps({**description.as_json(), **asked}))
    now = versions()
    if not path.exists():
        if generation_files(folder):
            raise UserError(f"{folder} holds generations but no run.json: name a new folder")
        run_id = uuid.uuid4().hex[:12]
        write_parquet(folder / "examples.parquet", examples)
        created_at = datetime.now(UTC).isoformat(timespec="seconds")
        write_json(path, {"run_id": run_id, **wanted, "versions": [now], "created_at": created_at})
        return run_id
    found = read_json(path)
    for name, value in wanted.items():
        if _compared(found.get(name)) != _compared(value):
            differs = difference(name, _compared(found.get(name)), _compared(value))
            raise UserError(f"{folder} is another run ({differs}): name a new folder, or ask what it was asked")
    seen = found.get("versions")
    if isinstance(seen, list) and now not in seen:
        write_json(path, {**found, "versions": [*seen, now]})
    if any(examples[name].null_count < len(examples) for name in annotations):
        write_parquet(folder / "examples.parquet", examples)
    return str(found["run_id"])


def _compared(value: object) -> object:
    """A part of ``run.json`` without what its content hash says already."""
    return {key: each for key, each in value.items() if key != "parameters"} if isinstance(value, dict) else value


def _hash(examples: pa.Table) -> str:
    digest = hashlib.sha256()
    for row in examples.to_pylist():
        digest.update(json.dumps(row, sort_keys=True, default=str).encode())
    return digest.hexdigest()


def difference(name: str, found: object, wanted: object) -> str:
    """Return in words what differs between a setting as it was described and as it is wanted.

    Example:
        >>> difference("recipe", {"seed": 0, "lora_rank": 0}, {"seed": 0, "lora_rank": 16})
        'its recipe.lora_rank is 0, not 16'
    """
    if isinstance(found, dict) and isinstance(wanted, dict):
        for key in {**found, **wanted}:
            if found.get(key) != wanted.get(key):
                return difference(f"{name}.{key}", found.get(key), wanted.get(key))
    return f"its {name} is {json.dumps(found)}, not {json.dumps(wanted)}"


def versions() -> dict[str, str]:
    """The versions of Python and of the libraries that decide what comes out."""
    found = {"python": platform.python_version()}
    for name in _VERSIONED:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
