"""``manifest.json``, which describes a dataset folder. It is written last, so a folder that has one is complete."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from selfknow.errors import UserError
from selfknow.files import parse_json

MANIFEST = "manifest.json"
CARD = "README.md"
FORMAT_VERSION = 1
_LONGEST_PATH_IN_BYTES = 255  # most systems' limit for a file's name; paths in a dataset folder are far shorter
_EXCERPT_IN_CHARACTERS = 60  # the part of such a path that an error shows


@dataclass(frozen=True)
class FileEntry:
    """A file of the folder; Parquet files also have a number of rows."""

    path: str
    num_bytes: int
    sha256: str
    num_rows: int | None = None


@dataclass(frozen=True)
class SplitEntry:
    """A split: its files in the order of its rows, and the size of its rows in memory as Arrow data."""

    num_rows: int
    files: tuple[FileEntry, ...]
    num_arrow_bytes: int = 0


@dataclass(frozen=True)
class ConfigEntry:
    """A config: its parameters, the hash over its rows, and its splits."""

    parameters: Mapping[str, object]
    content_hash: str
    splits: Mapping[str, SplitEntry]


@dataclass(frozen=True)
class Manifest:
    """The content of a dataset folder, and the versions and parameters that it was built with.

    Attributes:
        dataset: The dataset's name.
        version: The dataset's version.
        selfknow_version: The version of selfknow that built the folder.
        seed: The seed of all random choices.
        source_hash: SHA-256 over the dataset's source files in ``datasets_src``, as hex digits.
        library_versions: The versions of the libraries that can affect the files, by name.
        configs: The configs, by name.
        files: The files that belong to no config, such as the card.
        format_version: The version of the manifest's format.
    """

    dataset: str
    version: str
    selfknow_version: str
    seed: int
    source_hash: str
    library_versions: Mapping[str, str]
    configs: Mapping[str, ConfigEntry]
    files: tuple[FileEntry, ...]
    format_version: int = field(default=FORMAT_VERSION, kw_only=True)

    def all_files(self) -> list[FileEntry]:
        """Return every file of the folder except the manifest itself."""
        splits = [split for config in self.configs.values() for split in config.splits.values()]
        return [*(file for split in splits for file in split.files), *self.files]

    def to_json(self) -> str:
        """Return the text of ``manifest.json``."""
        return json.dumps(asdict(self), indent=2) + "\n"


def describe_file(folder: Path, path: str, num_rows: int | None = None) -> FileEntry:
    """Return the manifest's entry for a file in a folder: its path, size in bytes, SHA-256 and number of rows."""
    with (folder / path).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return FileEntry(path, (folder / path).stat().st_size, digest, num_rows)


def read_manifest(folder: Path) -> Manifest:
    """Read ``manifest.json`` from a dataset folder.

    Raises:
        UserError: The folder has no manifest (an unfinished build leaves none), or the manifest is damaged or too new.
    """
    path = folder / MANIFEST
    if not path.is_file():
        raise UserError(f"{folder} holds no {MANIFEST}: it is not a dataset folder, or its build did not finish")
    return parse_manifest(path.read_bytes(), str(path))


def parse_manifest(content: bytes, name: str = MANIFEST) -> Manifest:
    """Read the bytes of a manifest; error messages call it ``name``.

    Raises:
        UserError: The manifest is damaged, or has a newer format than this version reads.
    """
    try:
        value = parse_json(content)
        format_version = int(value["format_version"])
        if format_version > FORMAT_VERSION:
            raise UserError(
                f"{name} has format version {format_version}; this selfknow reads up to {FORMAT_VERSION}: upgrade it"
            )
        configs = {config_name: _parse_config(entry) for config_name, entry in value.pop("configs").items()}
        files = _parse_files(value.pop("files"))
        manifest = Manifest(configs=configs, files=files, **value)
        _check_types(manifest, str, "dataset", "version", "selfknow_version", "source_hash")
        _check_types(manifest, dict, "library_versions")
    except UserError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise UserError(f"{name} is damaged: {type(error).__name__}: {error}") from error
    return manifest


def _check_types(entry: Manifest | ConfigEntry, kind: type, *fields: str) -> None:
    """Refuse a wrong type here: a list in place of a string would fail much later, as a key that cannot be hashed."""
    for name in fields:
        if not isinstance(getattr(entry, name), kind):
            type_name = "an object" if kind is dict else "a string"
            raise TypeError(f"{name} is {json.dumps(getattr(entry, name))}, not {type_name}")


def _parse_config(value: dict[str, Any]) -> ConfigEntry:
    splits = value.pop("splits").items()
    config = ConfigEntry(
        splits={
            name: SplitEntry(int(split["num_rows"]), _parse_files(split["files"]), int(split["num_arrow_bytes"]))
            for name, split in splits
        },
        **value,
    )
    _check_types(config, str, "content_hash")
    _check_types(config, dict, "parameters")
    return config


def _parse_files(values: list[dict[str, Any]]) -> tuple[FileEntry, ...]:
    files = tuple(FileEntry(**value) for value in values)
    for file in files:
        path = PurePosixPath(file.path)
        if path.is_absolute() or ".." in path.parts or "\\" in file.path:
            raise UserError(f"a manifest names a file outside its folder: {file.path!r}")
        if len(file.path.encode()) > _LONGEST_PATH_IN_BYTES:
            raise UserError(f"a manifest names a file whose path is too long: {file.path[:_EXCERPT_IN_CHARACTERS]!r}…")
    return files
