"""The files of a dataset's split, in a local folder or on the Hub, and the facts that identify their content."""

import re
from pathlib import Path
from typing import Any

from selfknow.downloads import DownloadError, dataset_builder, dataset_file
from selfknow.errors import UserError, nearest
from selfknow.files import parse_json

_REVISION = re.compile(r"^hf://datasets/[^@]+@([0-9a-f]{40})/")


def find_dataset_files(
    repo: str, config: str | None, split: str, revision: str | None
) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return a split's files and the facts for ``portrait.json``: repo, config, split, revision, content hash.

    Raises:
        UserError: There is no such dataset, config or split, or the Hub cannot be reached.
    """
    try:
        builder = dataset_builder(repo, config, revision)
    except DownloadError as error:
        raise UserError(f"cannot find the dataset {repo}{f' {config}' if config else ''}: {error}") from error
    splits = {str(name): list(map(str, files)) for name, files in (builder.config.data_files or {}).items()}
    if split not in splits:
        raise UserError(f"{repo} {builder.config.name} has no split {split!r}{nearest(split, splits)}")
    files = tuple(splits[split])
    is_folder = Path(repo).is_dir()
    facts: dict[str, Any] = {
        "repo": Path(repo).resolve().name if is_folder else repo,
        "config": builder.config.name,
        "split": split,
    }
    if commit := _REVISION.match(files[0]):
        facts["revision"] = commit[1]
    manifest = Path(repo) / "manifest.json" if is_folder else _download_manifest(repo, facts.get("revision", revision))
    if content_hash := _content_hash(manifest, builder.config.name):
        facts["content_hash"] = content_hash
    return files, facts


def _download_manifest(repo: str, revision: str | None) -> Path | None:
    try:
        return dataset_file(repo, "manifest.json", revision)
    except DownloadError:
        return None  # most datasets have none


def _content_hash(manifest: Path | None, config: str) -> str | None:
    if manifest is None or not manifest.is_file():
        return None
    try:
        return str(parse_json(manifest.read_bytes())["configs"][config]["content_hash"])
    except (ValueError, KeyError, TypeError):
        raise UserError(f"{manifest} is damaged, or does not list the config {config}") from None
