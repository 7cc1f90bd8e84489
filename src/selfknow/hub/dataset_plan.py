"""The plan of a dataset folder's release: its manifest compared with the one that the Hub serves."""

import dataclasses
import re
from pathlib import Path, PurePosixPath

from selfknow.builders.folder.manifest import (
    CARD,
    MANIFEST,
    FileEntry,
    Manifest,
    SplitEntry,
    parse_manifest,
    read_manifest,
)
from selfknow.errors import UserError
from selfknow.files import parse_json
from selfknow.hub.dataset_changes import count_row_changes, split_changes
from selfknow.hub.plan import Plan, check_tag
from selfknow.hub.remote import GIT_ATTRIBUTES, LocalFile, Remote, Snapshot, local_file
from selfknow.hub.sql_console import add_sql_console_links


def plan_dataset(
    folder: Path, remote: Remote, *, tag: str | None = None, private: bool = False, replace: bool = False
) -> Plan:
    """Compare a dataset folder with the Hub's release; the arguments are those of `publish.prepare`.

    Only rows of configs whose content hashes differ are compared, by id; their served files are downloaded.

    Raises:
        UserError: The folder does not match its manifest, the repo holds something else or a newer format, or the tag
            names a release with other rows.
    """
    manifest = read_manifest(folder)
    card = add_sql_console_links((folder / CARD).read_text(encoding="utf-8"), remote.repo, manifest.configs)
    local = _replace_card(_local_files(folder, manifest), manifest, card)
    snapshot = remote.snapshot()
    earlier = _served_manifest(remote, snapshot, manifest.dataset, replace=replace) if snapshot else None
    tag = check_tag(tag or f"v{manifest.version}")
    tag_exists = bool(snapshot) and _is_tagged(remote, tag, manifest)
    if earlier and snapshot and _is_served(remote, snapshot, card, manifest, earlier):
        send, delete, served = [], [], [*earlier.all_files(), _served_manifest_entry(remote, snapshot)]
    else:
        remote_files = snapshot.files if snapshot else {}
        send = [file for file in local if file.path not in remote_files or not remote_files[file.path].holds(file)]
        delete = _files_to_delete(manifest, earlier, snapshot)
        served = [file.entry for file in local]
    changes = split_changes(
        manifest.configs,
        earlier.configs if earlier else {},
        lambda new_split, old_split: _row_changes(folder, remote, snapshot, new_split, old_split),
        {file.path: file.num_bytes for file in send},
        set(delete),
    )
    return Plan(
        repo=remote.repo,
        title=f"{manifest.dataset} {manifest.version}",
        parent_commit=snapshot.commit if snapshot else None,
        changes=tuple(changes),
        send=tuple(send),
        delete=tuple(delete),
        served=tuple(served),
        tag=tag,
        tag_exists=tag_exists,
        private=private,
    )


def _local_files(folder: Path, manifest: Manifest) -> list[LocalFile]:
    """List the folder's files, checked against the manifest: first the data, then the manifest, then the card."""
    files = []
    for entry in manifest.all_files():
        if not (folder / entry.path).is_file():
            raise UserError(f"{folder} has no {entry.path}, which its {MANIFEST} lists: build it again")
        file = local_file(entry.path, folder / entry.path)
        if (file.num_bytes, file.sha256) != (entry.num_bytes, entry.sha256):
            raise UserError(f"{folder / entry.path} is not the file that {MANIFEST} describes: build the folder again")
        files.append(file)
    files.append(local_file(MANIFEST, folder / MANIFEST))
    return sorted(files, key=lambda file: (file.path == CARD, file.path == MANIFEST))


def _replace_card(files: list[LocalFile], manifest: Manifest, card: str) -> list[LocalFile]:
    """Return the files with ``card``, which names the repo, as their card, and a manifest that lists this card."""
    new_card = local_file(CARD, card.encode())
    entries = tuple(new_card.entry if entry.path == CARD else entry for entry in manifest.files)
    replacements = {
        CARD: new_card,
        MANIFEST: local_file(MANIFEST, dataclasses.replace(manifest, files=entries).to_json().encode()),
    }
    return [replacements.get(file.path, file) for file in files]


def _served_manifest(remote: Remote, snapshot: Snapshot, dataset: str, *, replace: bool) -> Manifest | None:
    """Read the manifest that the Hub serves; None if the repo is empty, or if its other content is to be replaced."""
    others = [path for path in snapshot.files if path != GIT_ATTRIBUTES]
    if not others:
        return None
    if MANIFEST in snapshot.files:
        content = remote.fetch(MANIFEST, snapshot).read_bytes()
        if _is_dataset_manifest(content):
            manifest = parse_manifest(content, f"{remote.repo}/{MANIFEST}")
            if manifest.dataset == dataset:
                return manifest
            holds = f"the dataset {manifest.dataset}"
        else:
            holds = f"a {MANIFEST} that is not selfknow's"
    else:
        holds = f"other content ({len(others)} files, such as {others[0]})"
    if replace:
        return None
    raise UserError(
        f"{remote.repo} holds {holds}, not {dataset}: publish to another repo, or use --replace to replace it all"
    )


def _is_dataset_manifest(content: bytes) -> bool:
    try:
        value = parse_json(content)
    except ValueError:
        return False
    return isinstance(value, dict) and "format_version" in value and "dataset" in value


def _is_tagged(remote: Remote, tag: str, manifest: Manifest) -> bool:
    """Return True if the tag exists for the same rows, False if it is new; refuse a tag of other rows."""
    commit = remote.tags().get(tag)
    if commit is None:
        return False
    tagged_snapshot = remote.snapshot(commit)
    if tagged_snapshot and MANIFEST in tagged_snapshot.files:
        content = remote.fetch(MANIFEST, tagged_snapshot).read_bytes()
        if _is_dataset_manifest(content):
            tagged_manifest = parse_manifest(content, f"{tag}/{MANIFEST}")
            if _content_hashes(tagged_manifest) == _content_hashes(manifest):
                return True
    raise UserError(f"{remote.repo} has a tag {tag} already, for other rows: raise the dataset's version or give --tag")


def _content_hashes(manifest: Manifest) -> object:
    return manifest.dataset, {name: config.content_hash for name, config in manifest.configs.items()}


def _is_served(remote: Remote, snapshot: Snapshot, card: str, manifest: Manifest, earlier: Manifest) -> bool:
    """Return True if the Hub serves all of this release, though another pyarrow may have written the Parquet files."""
    if _content_hashes(manifest) != _content_hashes(earlier) or manifest.version != earlier.version:
        return False
    if not _is_complete(snapshot, earlier):
        return False
    if _other_files(manifest) != _other_files(earlier):
        return False
    return _remove_sizes(card) == _remove_sizes(remote.fetch(CARD, snapshot).read_text(encoding="utf-8"))


def _other_files(manifest: Manifest) -> set[FileEntry]:
    """Return the files that belong to no config, except the card, since it names sizes that depend on pyarrow."""
    return {file for file in manifest.files if file.path != CARD}


def _is_complete(snapshot: Snapshot, manifest: Manifest) -> bool:
    for entry in manifest.all_files():
        served_file = snapshot.files.get(entry.path)
        if (
            not served_file
            or served_file.num_bytes != entry.num_bytes
            or served_file.sha256 not in (None, entry.sha256)
        ):
            return False
    return True


def _remove_sizes(card: str) -> str:
    return re.sub(r"^ *(num_bytes|download_size|dataset_size): \d+\n", "", card, flags=re.MULTILINE)


def _served_manifest_entry(remote: Remote, snapshot: Snapshot) -> FileEntry:
    return local_file(MANIFEST, remote.fetch(MANIFEST, snapshot)).entry


def _files_to_delete(manifest: Manifest, earlier: Manifest | None, snapshot: Snapshot | None) -> list[str]:
    """List the old files of an earlier release, and Parquet files in a config's folder; all, if the repo is replaced.

    Any other file, such as a picture for the card, stays.
    """
    if snapshot is None:
        return []
    new = {entry.path for entry in manifest.all_files()} | {MANIFEST, GIT_ATTRIBUTES}
    old = set(snapshot.files) - new
    if earlier is None:
        return sorted(old)
    earlier_paths = {entry.path for entry in earlier.all_files()}
    return sorted(path for path in old if path in earlier_paths or _is_data_file(manifest, path))


def _is_data_file(manifest: Manifest, path: str) -> bool:
    return PurePosixPath(path).suffix == ".parquet" and PurePosixPath(path).parts[0] in manifest.configs


def _row_changes(
    folder: Path, remote: Remote, snapshot: Snapshot | None, new_split: SplitEntry | None, old_split: SplitEntry | None
) -> tuple[int, int, int]:
    """Count the rows added, removed and changed, by id."""
    if old_split is None or snapshot is None:
        return (new_split.num_rows if new_split else 0), 0, 0
    if new_split is None:
        return 0, old_split.num_rows, 0
    served = [remote.fetch(file.path, snapshot) for file in old_split.files if file.path in snapshot.files]
    if not served:
        return new_split.num_rows, 0, 0
    return count_row_changes([folder / file.path for file in new_split.files], served)
