"""The download of a dataset's release, with every byte checked."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from selfknow.bars import Bar
from selfknow.builders.folder.manifest import MANIFEST, FileEntry, Manifest, parse_manifest
from selfknow.errors import UserError
from selfknow.hub.failures import hub_errors_in_one_line
from selfknow.hub.remote import Remote, Snapshot, sha256_of

_DOWNLOADS_AT_A_TIME = 8
_CLIENT_FOLDER = ".cache"


def pull_dataset(repo: str, folder: Path, *, revision: str = "main") -> Manifest:
    """Download a release of a dataset; the folder then equals the published one.

    The manifest is written last, after every file was found to match it. A killed pull resumes.

    Args:
        repo: ``org/name``.
        folder: A new or empty folder, or the folder of an unfinished pull of the same release.
        revision: A tag, a branch or a commit hash.

    Returns:
        The release's manifest.

    Raises:
        UserError: There is no such release, the folder holds something else, or a file arrived damaged.
    """
    with hub_errors_in_one_line(repo):
        remote = Remote(repo)
        snapshot = _snapshot(remote, revision)
        if MANIFEST not in snapshot.files:
            raise UserError(f"{repo} has no {MANIFEST} at {revision}: it is not a dataset that selfknow published")
        manifest_path = remote.fetch(MANIFEST, snapshot)
        manifest = parse_manifest(manifest_path.read_bytes(), f"{repo}/{MANIFEST}")
        missing = _missing_files(folder, manifest, manifest_path)
        folder.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(_DOWNLOADS_AT_A_TIME) as pool:
            jobs = pool.map(lambda entry: _fetch_and_check(remote, snapshot, entry, folder), missing)
            list(Bar(jobs, total=len(missing), desc=f"pulling {repo}", unit="file"))
        shutil.rmtree(folder / _CLIENT_FOLDER, ignore_errors=True)
        shutil.copyfile(manifest_path, folder / MANIFEST)
        return manifest


def _snapshot(remote: Remote, revision: str) -> Snapshot:
    snapshot = remote.snapshot(revision)
    if snapshot is None:
        raise UserError(f"{remote.repo} does not exist, or is private and this token may not see it: check the name")
    return snapshot


def _missing_files(folder: Path, manifest: Manifest, served_manifest: Path) -> list[FileEntry]:
    """List the files that a folder lacks; refuse a folder that holds any other file."""
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file, not a folder")
    entries = {entry.path: entry for entry in manifest.all_files()}
    paths = [path for path in folder.rglob("*") if path.is_file()] if folder.exists() else []
    local = {path.relative_to(folder).as_posix(): path for path in paths}
    local = {name: path for name, path in local.items() if not name.startswith(f"{_CLIENT_FOLDER}/")}
    if MANIFEST in local and local[MANIFEST].read_bytes() == served_manifest.read_bytes():
        del local[MANIFEST]
    for name, path in local.items():
        if name not in entries or sha256_of(path) != entries[name].sha256:
            raise UserError(f"{folder} holds {name}, which is not part of this release: give another folder")
    return [entry for name, entry in entries.items() if name not in local]


def _fetch_and_check(remote: Remote, snapshot: Snapshot, entry: FileEntry, folder: Path) -> None:
    path = remote.fetch(entry.path, snapshot, folder)
    if (path.stat().st_size, sha256_of(path)) != (entry.num_bytes, entry.sha256):
        path.unlink()
        raise UserError(
            f"{remote.repo} serves a {entry.path} other than the one its {MANIFEST} lists: publish it again"
        )
