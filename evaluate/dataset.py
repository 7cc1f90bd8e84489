"""Reading of datasets: this package's own, a folder, or the Hub; a folder needs only pyarrow.

A config of a dataset is named ``NAME:CONFIG``. A dataset of this package's catalogue is built when it is first used,
the same on every machine. ``FOLDER:CONFIG`` is a dataset folder. ``ORG/NAME:CONFIG``, optionally with ``@REVISION``, is
a dataset on the Hub. ``:CONFIG`` may be omitted if the dataset has only one config.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from filelock import FileLock

from selfknow.cache import cache_folder
from selfknow.downloads import DownloadError, dataset_file, dataset_folder
from selfknow.errors import UserError, nearest
from selfknow.files import read_json, read_parquet, user_path
from selfknow.runs.description import DatasetReference

MANIFEST = "manifest.json"
CACHE_VARIABLE = "SELFKNOW_CACHE"
"""The environment variable with the folder for built corpora."""


@dataclass(frozen=True)
class ConfigFiles:
    """One config of a dataset, as files on disk.

    Attributes:
        name: The name that the user gave the dataset.
        config: The config's name, such as ``1k``.
        folder: The dataset folder.
        revision: The commit on the Hub; null for a local folder.
        content_hash: The content hash of the config's rows, from the manifest; null if there is none.
        parameters: The parameters that the config was made from, such as its seed and its shape, from the manifest.
    """

    name: str
    config: str
    folder: Path
    revision: str | None = None
    content_hash: str | None = None
    parameters: Mapping[str, object] | None = None

    def reference(self, split: str) -> DatasetReference:
        """Return the reference of one split, as a run's description has it."""
        return DatasetReference(self.name, self.config, split, self.revision, self.content_hash, self.parameters)

    def read(self, split: str) -> pa.Table:
        """Return all rows of a split.

        Raises:
            UserError: There is no such split, or a file is damaged.
        """
        files = sorted((self.folder / self.config).glob(f"{split}-*.parquet"))
        if not files:
            splits = {path.name.partition("-")[0] for path in (self.folder / self.config).glob("*-*.parquet")}
            raise UserError(f"{self.folder}:{self.config} has no split {split!r}{nearest(split, sorted(splits))}")
        return pa.concat_tables([read_parquet(path) for path in files])


def open_dataset(reference: str) -> ConfigFiles:
    """Find one config of a dataset by ``NAME:CONFIG``.

    Raises:
        UserError: The name has another form, or there is no such dataset or config.
    """
    name, colon, config = (reference if ":" in reference else _with_only_config(reference)).rpartition(":")
    if not (colon and name and config) or "/" in config:
        raise UserError(f"name a dataset as NAME:CONFIG, such as ./my-folder:1k, not {reference!r}")
    folder, revision = user_path(name), None
    if not folder.is_dir():
        if name.count("/") == 0:
            folder = _build(name, config)
        elif name.startswith(("/", ".", "~")) or name.count("/") != 1:
            raise UserError(f"there is no folder {name}")
        else:
            folder, revision = _download(name, [f"{config}/*.parquet", MANIFEST])
    configs = _configs_in(folder)
    if config not in configs:
        raise UserError(f"{name} has no config {config!r}{nearest(config, configs)}")
    entry = _manifest_entry(folder, config)
    content_hash, parameters = entry.get("content_hash"), entry.get("parameters")
    return ConfigFiles(
        name.partition("@")[0],
        config,
        folder,
        revision,
        None if content_hash is None else str(content_hash),
        parameters if isinstance(parameters, dict) else None,
    )


def read_manifest(name: str) -> Mapping[str, object] | None:
    """Return the manifest of a dataset folder or of a dataset on the Hub; only this file is downloaded.

    Args:
        name: The name, as :func:`open_dataset` takes it.

    Returns:
        The manifest; None if the name is neither a folder nor ``ORG/NAME``.

    Raises:
        UserError: The folder or the repo has no manifest, the name is a file, or the repo is not available.
    """
    name = name.rpartition(":")[0] or name
    folder = user_path(name)
    if folder.is_file():
        raise UserError(f"{name} is a file: name a dataset folder and its config, as FOLDER:CONFIG")
    if folder.is_dir():
        if not (folder / MANIFEST).is_file():
            raise UserError(
                f"{name} has no {MANIFEST}, so nothing says what it holds: build a dataset with `selfknow data build`"
            )
        return read_json(folder / MANIFEST)
    if name.startswith(("/", ".", "~")):
        raise UserError(f"there is no folder {name}")
    if name.count("/") != 1:
        return None
    repo, _, revision = name.partition("@")
    try:
        return read_json(dataset_file(repo, MANIFEST, revision or None))
    except DownloadError as error:
        reason = f"its {MANIFEST}, which says what it holds, could not be fetched from the Hub: {error}"
        raise UserError(f"there is no folder {name}, and {reason}") from error


def only_config(name: str) -> str | None:
    """Return the only config of a dataset folder; None if there are several, or no such folder."""
    configs = _configs_in(user_path(name))
    return configs[0] if len(configs) == 1 else None


def _configs_in(folder: Path) -> list[str]:
    return sorted({path.parent.name for path in folder.glob("*/*-of-*.parquet")})


def _with_only_config(name: str) -> str:
    """Return ``self-aware:authored`` for ``self-aware``; the name itself if the dataset has several configs."""
    from selfknow.builders.catalogue import DATASETS

    configs = _configs_in(user_path(name))
    if not configs and name in DATASETS:
        configs = list(DATASETS[name].configs)
    return f"{name}:{configs[0]}" if len(configs) == 1 else name


def _manifest_entry(folder: Path, config: str) -> Mapping[str, object]:
    """Return the manifest's entry of a config; empty if there is no manifest."""
    if not (folder / MANIFEST).is_file():
        return {}
    configs = read_json(folder / MANIFEST).get("configs")
    entry = configs.get(config) if isinstance(configs, dict) else None
    return entry if isinstance(entry, dict) else {}


def _corpora_folder() -> Path:
    """Return the folder for built corpora: ``$SELFKNOW_CACHE``, or else the cache folder."""
    if folder := os.environ.get(CACHE_VARIABLE):
        return user_path(folder)
    return cache_folder()


def _build(name: str, config: str) -> Path:
    """Return the folder of a config of this package; it is built unless this version has already built it."""
    from selfknow.builders.catalogue import find_configs, find_dataset
    from selfknow.builders.folder.write import build_folder
    from selfknow.builders.sources import fingerprint

    dataset = find_dataset(name)
    corpora = find_configs(dataset, [config], seed=0)
    folder = _corpora_folder() / f"{name}-{fingerprint(dataset.sources)[:16]}" / config
    if not (folder / MANIFEST).is_file():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(f".{config}.lock")):  # only one of several jobs builds it
            if not (folder / MANIFEST).is_file():
                build_folder(dataset, corpora, folder, overwrite=True)
    return folder


def _download(name: str, patterns: list[str]) -> tuple[Path, str]:
    repo, _, revision = name.partition("@")
    try:
        return dataset_folder(repo, patterns, revision or None)
    except DownloadError as error:
        raise UserError(f"there is no folder {name}, and it could not be fetched from the Hub: {error}") from error
