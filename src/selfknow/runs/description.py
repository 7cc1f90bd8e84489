"""The file ``run.json``, which describes a run: its questions, models and settings."""

import hashlib
import json
import platform
import reprlib
import uuid
from collections.abc import Iterable, Mapping, Sequence
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
from selfknow.runs.growth import LIMIT, grown_examples, read_limit, rows_as_json
from selfknow.runs.schema import generation_files

_ROW_KEYS = ("examples", "examples_hash")
_VERSIONED_PACKAGES = (
    "selfknow",
    "torch",
    "transformers",
    "tokenizers",
    "diffusers",
    "pillow",
    "huggingface_hub",
    "pyarrow",
)


@dataclass(frozen=True)
class DatasetReference:
    """A reference to the rows of a run.

    Attributes:
        name: The dataset's name, folder or Hub repo.
        config: Name of the config, such as ``1k-simplified``.
        split: Name of the split, such as ``test``.
        revision: Commit of a Hub dataset; null for a local folder.
        content_hash: Hash of the config's rows, from its manifest; null if there is none.
        parameters: The config's parameters, such as its seed and shape, from its manifest. They do not decide whether
            two runs agree; the content hash does.
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
    """The identity of a run: a folder can be resumed only with an equal description.

    Attributes:
        task: Name of the task.
        dataset: The rows of the run.
        decoding: The decoding of replies.
        settings: The task's other settings that its requests depend on; the values fit into JSON.
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
    """Return the facts about a run's models, by name and revision; empty for a ``run.json`` of an earlier version.

    Raises:
        UserError: A value has the wrong type.
    """
    models = description.get("models")
    if not isinstance(models, list):
        return {}
    entries = [entry for entry in models if isinstance(entry, dict)]
    for entry in entries:
        if not isinstance(entry.get("revision"), str | None):
            raise UserError(f"run.json is damaged: a model has the revision {reprlib.repr(entry['revision'])}")
    return {
        (str(entry["name"]), entry.get("revision")): ModelFacts.from_json(entry) for entry in entries if "name" in entry
    }


def describe_run(folder: Path, description: RunDescription, examples: pa.Table, annotations: Sequence[str]) -> str:
    """Write the ``run.json`` and examples of a new run, or check that those in the folder agree.

    A run may grow: if only the limit is larger, the new examples are added.

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
    rows = {"examples": len(examples), "examples_hash": _hash(rows_as_json(examples, annotations))}
    requested = json.loads(json.dumps({**description.as_json(), **rows}))
    if path.exists():
        return _resume(folder, read_json(path), requested, examples, annotations)
    if generation_files(folder):
        raise UserError(f"{folder} holds generations but no run.json: name a new folder")
    run_id = uuid.uuid4().hex[:12]
    write_parquet(folder / "examples.parquet", examples)
    created_at = datetime.now(UTC).isoformat(timespec="seconds")
    write_json(path, {"run_id": run_id, **requested, "versions": [versions()], "created_at": created_at})
    return run_id


def _resume(
    folder: Path,
    recorded: Mapping[str, Any],
    requested: Mapping[str, Any],
    examples: pa.Table,
    annotations: Sequence[str],
) -> str:
    """Check that the recorded run is the requested one, add examples and annotations to it, and return its id."""
    for name in requested:
        if name in _ROW_KEYS:
            continue
        before, after = _identity(recorded.get(name)), _identity(requested[name])
        if before != after:
            raise _another_run(folder, difference(name, before, after))
    updated = dict(recorded)
    grows = recorded.get("examples_hash") != requested["examples_hash"]
    if grows:
        if read_limit(recorded) == read_limit(requested):
            name = next(name for name in _ROW_KEYS if recorded.get(name) != requested[name])
            raise _another_run(folder, difference(name, recorded.get(name), requested[name]))
        examples = grown_examples(folder, recorded, requested, examples, annotations)
    if grows or read_limit(requested) is None:
        updated |= {name: requested[name] for name in (*_ROW_KEYS, "settings")}
    earlier_versions = recorded.get("versions")
    if isinstance(earlier_versions, list) and versions() not in earlier_versions:
        updated["versions"] = [*earlier_versions, versions()]
    if grows or any(examples[name].null_count < len(examples) for name in annotations):
        # Before run.json: if the process is killed in between, no reply may lack its example.
        write_parquet(folder / "examples.parquet", examples)
    if updated != recorded:
        write_json(folder / "run.json", updated)
    return str(recorded["run_id"])


def _hash(rows: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for row in rows:
        digest.update(row.encode())
    return digest.hexdigest()


def _another_run(folder: Path, explanation: str) -> UserError:
    return UserError(f"{folder} is another run ({explanation}): name a new folder, or use the run's own settings")


def _identity(value: object) -> object:
    """Return a part of ``run.json`` without ``parameters`` and ``limit``: the content hash and the rows cover them."""
    if not isinstance(value, dict):
        return value
    return {key: part for key, part in value.items() if key not in ("parameters", LIMIT)}


def difference(name: str, recorded: object, requested: object) -> str:
    """Describe the first difference between the recorded and the requested value of a setting.

    Example:
        >>> difference("recipe", {"seed": 0, "lora_rank": 0}, {"seed": 0, "lora_rank": 16})
        'its recipe.lora_rank is 0, not 16'
    """
    if isinstance(recorded, dict) and isinstance(requested, dict):
        for key in {**recorded, **requested}:
            if recorded.get(key) != requested.get(key):
                return difference(f"{name}.{key}", recorded.get(key), requested.get(key))
    return f"its {name} is {json.dumps(recorded)}, not {json.dumps(requested)}"


def versions() -> dict[str, str]:
    """Return the versions of Python and of the installed libraries that replies depend on."""
    installed = {"python": platform.python_version()}
    for name in _VERSIONED_PACKAGES:
        try:
            installed[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return installed
