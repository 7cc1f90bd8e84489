"""The build of a dataset folder: Parquet files, the card, further files and, last, the manifest."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from selfknow.builders.dataset import Dataset, DatasetConfig
from selfknow.builders.folder.card import card_text
from selfknow.builders.folder.evaluation import EVALUATION, evaluation_text
from selfknow.builders.folder.manifest import CARD, MANIFEST, Manifest, describe_file
from selfknow.builders.folder.parquet_files import write_configs
from selfknow.builders.sources import source_hash
from selfknow.errors import UserError
from selfknow.folders import content, replaced_whole
from selfknow.version import __version__


def build_folder(
    dataset: Dataset,
    configs: Sequence[DatasetConfig],
    folder: Path,
    *,
    seed: int = 0,
    jobs: int = 1,
    overwrite: bool = False,
    progress: bool = False,
) -> Manifest:
    """Build configs of a dataset into a folder that ``load_dataset`` reads.

    The files are made in a hidden folder beside it, which replaces it when all are complete. Until then an earlier
    dataset there stays intact, whatever happens.

    Args:
        dataset: The dataset.
        configs: The configs to build; the first becomes the default one.
        folder: The folder to build; created if missing.
        seed: The seed that the configs were made with, for the manifest.
        jobs: The number of files to write at the same time. The content does not depend on it.
        overwrite: Replace an earlier dataset folder.
        progress: Show a progress bar on stderr.

    Returns:
        The manifest that was written.

    Raises:
        UserError: The folder is not empty and ``overwrite`` is false, or it holds files that no build made.
        OSError: The disk is full or read-only.
    """
    if jobs < 1:
        raise UserError(f"jobs must be at least 1, not {jobs}")
    with replaced_whole(folder, MANIFEST) as new:
        _check_replaceable(folder, overwrite=overwrite)
        return _write(dataset, list(configs), new, seed=seed, jobs=jobs, progress=progress)


def _check_replaceable(folder: Path, *, overwrite: bool) -> None:
    files = content(folder)
    if files and not overwrite:
        raise UserError(f"{folder} is not empty: give another folder, or use --overwrite to replace the dataset there")
    if files and not (folder / MANIFEST).is_file():
        raise UserError(f"{folder} holds files but no {MANIFEST}: it is not a dataset folder, so it is not overwritten")


def _write(
    dataset: Dataset, configs: list[DatasetConfig], staging: Path, *, seed: int, jobs: int, progress: bool
) -> Manifest:
    manifest = Manifest(
        dataset=dataset.name,
        version=dataset.version,
        selfknow_version=__version__,
        seed=seed,
        source_hash=source_hash(dataset.sources),
        library_versions={name: version(name) for name in ("datasets", "numpy", "pyarrow")},
        configs=write_configs(configs, staging, jobs=jobs, progress=progress),
        files=(),
    )
    (staging / CARD).write_text(card_text(dataset, configs, manifest), encoding="utf-8")
    if dataset.evaluation is not None:
        title = str(dataset.metadata.get("pretty_name", dataset.name))
        text = evaluation_text(dataset.evaluation, title, dataset.summary, manifest)
        (staging / EVALUATION).write_text(text, encoding="utf-8")
    names = [name for name in (CARD, EVALUATION) if (staging / name).is_file()]
    names += _copy_files(configs, staging)
    manifest = replace(manifest, files=tuple(describe_file(staging, name) for name in names))
    (staging / MANIFEST).write_text(manifest.to_json(), encoding="utf-8")
    return manifest


def _copy_files(configs: list[DatasetConfig], staging: Path) -> list[str]:
    """Copy the configs' further files and return their paths in the folder, in order."""
    files = {path: source for config in configs for path, source in config.files.items()}
    for path, source in files.items():
        (staging / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, staging / path)
    return list(files)
