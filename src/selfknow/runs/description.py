"""The file ``run.json``, which describes a run: its questions, models and settings, which one folder may not mix."""

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
    """A reference to the rows of a run.

    Attributes:
        name: The dataset: its name, folder or Hub repo.
        config: The config, such as ``1k-simplified``.
        split: The split, such as ``test``.
        revision: Commit of a Hub dataset; null for a local folder.
        content_hash: Hash of the config's rows, from its manifest; null if there is none.
        parameters: The config's parameters, such as its seed and its shape, from its manifest. Runs are compared by
            the content hash, not by these.
    """

    name: str
    config: str | None = None
    split: str | None = None
    revision: str | None = None
    content_hash: str | None = None
    parameters: Mapping[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the fields, without parameters if they are null."""
        fields = asdict(self)
        if self.parameters is None:
            del fields["parameters"]
        return fields


@dataclass(frozen=True)
class RunDescription:
    """The identity of a run: only generations of the same run may share a folder.

    Attributes:
        task: Name of the task.
        dataset: The rows of the run.
        decoding: The decoding of replies.
        settings: The task's other settings that its requests depend on, as JSON.
    """

    task: str
    dataset: DatasetReference
    decoding: Decoding
    settings: Mapping[str, object] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        """Return the part of ``run.json`` that must agree when a run is resumed."""
        return {
            "task": self.task,
            "dataset": self.dataset.as_json(),
            "decoding": self.decoding.as_json(),
            "seed": self.decoding.seed,
            "settings": dict(self.settings),
        }


def described_models(description: Mapping[str, Any]) -> dict[tuple[str, str | None], ModelFacts]:
    """Return the facts about a run's models, by name and revision; none for a ``run.json`` of an earlier version.

    Raises:
        UserError: A value has the wrong type.
    """
    models = description.get("models")
    if isinstance(models, list):
        entries = [entry for entry in models if isinstance(entry, dict)]
        for entry in entries:
            if not isinstance(entry.get("revision"), str | None):
                raise UserError(f"run.json is damaged: a model has the revision {reprlib.repr(entry['revision'])}")
        return {
            (str(entry["name"]), entry.get("revision")): ModelFacts.from_json(entry)
            for entry in entries
            if "name" in entry
        }
    return {}


def describe_run(folder: Path, description: RunDescription, examples: pa.Table, annotations: Sequence[str]) -> str:
    """Write ``run.json`` and the examples, or check that those in the folder agree.

    Args:
        folder: The run folder, which exists.
        description: The identity of the run.
        examples: The rows of the run.
        annotations: Columns that are not part of the run's identity.

    Returns:
        The run's id.

    Raises:
        UserError: The folder holds another run.
    """
    remove_unfinished(folder)
    path = folder / "run.json"
    rows = {"examples": len(examples), "examples_hash": _hash(examples.drop_columns(list(annotations)))}
    wanted = json.loads(json.dumps({**description.as_json(), **rows}))
    now = versions()
    if not path.exists():
        if generation_files(folder):
            raise UserError(f"{folder} holds generations but no run.json: name a new folder")
        run_id = uuid.uuid4().hex[:12]
        write_parquet(folder / "examples.parquet", examples)
        created_at = datetime.now(UTC).isoformat(timespec="seconds")
        write_json(path, {"run_id": run_id, **wanted, "versions": [now], "created_at": created_at})
        return run_id
    recorded = read_json(path)
    for name, value in wanted.items():
        if _without_parameters(recorded.get(name)) != _without_parameters(value):
            differs = difference(name, _without_parameters(recorded.get(name)), _without_parameters(value))
            raise UserError(f"{folder} is another run ({differs}): name a new folder, or use the run's own settings")
    seen = recorded.get("versions")
    if isinstance(seen, list) and now not in seen:
        write_json(path, {**recorded, "versions": [*seen, now]})
    if any(examples[name].null_count < len(examples) for name in annotations):
        write_parquet(folder / "examples.parquet", examples)
    return str(recorded["run_id"])


def _without_parameters(value: object) -> object:
    """Return a part of ``run.json`` without the dataset's parameters, as its content hash covers them."""
    return {key: each for key, each in value.items() if key != "parameters"} if isinstance(value, dict) else value


def _hash(examples: pa.Table) -> str:
    digest = hashlib.sha256()
    for row in examples.to_pylist():
        digest.update(json.dumps(row, sort_keys=True, default=str).encode())
    return digest.hexdigest()


def difference(name: str, recorded: object, wanted: object) -> str:
    """Describe the first difference between the recorded and the wanted value of a setting.

    Example:
        >>> difference("recipe", {"seed": 0, "lora_rank": 0}, {"seed": 0, "lora_rank": 16})
        'its recipe.lora_rank is 0, not 16'
    """
    if isinstance(recorded, dict) and isinstance(wanted, dict):
        for key in {**recorded, **wanted}:
            if recorded.get(key) != wanted.get(key):
                return difference(f"{name}.{key}", recorded.get(key), wanted.get(key))
    return f"its {name} is {json.dumps(recorded)}, not {json.dumps(wanted)}"


def versions() -> dict[str, str]:
    """Return the versions of Python and of the installed libraries that replies depend on."""
    installed = {"python": platform.python_version()}
    for name in _VERSIONED:
        try:
            installed[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return installed
