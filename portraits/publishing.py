"""The publication of portraits to a repo that may hold many: each in its own folder, listed on the repo's card.

plan = prepare(Path("portraits"), "org/diary-portraits")  # prints and sends nothing
selfknow.hub.publish.push(plan)
"""

from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path, PurePosixPath

from selfknow.errors import UserError, argument
from selfknow.hub.failures import hub_errors_in_one_line
from selfknow.hub.plan import Plan, PortraitChange, check_tag
from selfknow.hub.remote import GIT_ATTRIBUTES, LocalFile, Remote, Snapshot, local_file
from selfknow.portraits.description import DESCRIPTION, Description, read_description
from selfknow.portraits.repo_card import portraits_card
from selfknow.portraits.storage import CARD, read_verified

_DATASET_MANIFEST = "manifest.json"


def prepare(
    folder: Path,
    repo: str,
    *,
    tag: str | None = None,
    private: bool = False,
    replace: bool = False,
    prune: bool = False,
) -> Plan:
    """Check portraits against their descriptions and plan their release; nothing on the Hub changes.

    Args:
        folder: A portrait folder, or a folder of portrait folders; each is published under its folder's name.
        repo: ``org/name``; a repo holds any number of portraits.
        tag: The release's tag; by default the next of v1, v2, …
        private: Make a new repo private.
        replace: Replace the repo's content if it holds something else.
        prune: Remove served portraits that the folder lacks; by default they stay.

    Raises:
        UserError: A portrait does not match its description, there is no token that may write, the repo holds
            something else or a newer format, the tag is taken, or the Hub cannot be reached.
    """
    with hub_errors_in_one_line(repo):
        remote = Remote(repo)
        remote.check_token()
        return _plan(folder, remote, tag=tag, private=private, replace=replace, prune=prune)


def read_portrait_folders(folder: Path) -> dict[Path, Description]:
    """Read and check a portrait folder, or each of the portrait folders in a folder.

    Returns:
        The descriptions by portrait folder; a folder's name is the portrait's name.

    Raises:
        UserError: There is no portrait, or one does not match its description.
    """
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder")
    if (folder / DESCRIPTION).is_file():
        return {folder.resolve(): read_verified(folder.resolve())}
    portrait_folders = sorted(path.parent for path in folder.glob(f"*/{DESCRIPTION}"))
    if not portrait_folders:
        raise UserError(f"{folder} holds no {DESCRIPTION}: it is neither a portrait folder nor a folder of portraits")
    return {path: read_verified(path) for path in portrait_folders}


def _plan(folder: Path, remote: Remote, *, tag: str | None, private: bool, replace: bool, prune: bool) -> Plan:
    """Compare the portraits of a folder with those that the Hub serves."""
    portraits = read_portrait_folders(folder)
    new_portraits = {path.name: description for path, description in portraits.items()}
    snapshot = remote.snapshot()
    served_files = dict(snapshot.files) if snapshot else {}
    served_portraits = _served_descriptions(remote, snapshot, replace=replace) if snapshot else {}
    remaining_portraits = {
        name: facts for name, facts in (served_portraits or {}).items() if name not in new_portraits and not prune
    }
    card = portraits_card(remote.repo, new_portraits | remaining_portraits)
    files = [
        local_file(f"{path.name}/{file}", path / file)
        for path, description in portraits.items()
        for file in (description.bits_file, DESCRIPTION, CARD)
    ]
    files.append(local_file(CARD, card.encode()))
    send = [file for file in files if file.path not in served_files or not served_files[file.path].holds(file)]
    unlisted = set(served_files) - {file.path for file in files} - {GIT_ATTRIBUTES}
    # Outside the portraits' folders, files of other tools may lie in the repo: they stay.
    changing = {*new_portraits, *(served_portraits or {})} - {*remaining_portraits}
    delete = sorted(path for path in unlisted if served_portraits is None or _portrait_name(path) in changing)
    tag, tag_exists = _choose_tag(remote, snapshot, tag, changes=bool(send or delete))
    return Plan(
        repo=remote.repo,
        title=f"Portraits {', '.join(sorted(new_portraits))}",
        parent_commit=snapshot.commit if snapshot else None,
        changes=tuple(_changes(set(new_portraits), served_portraits or {}, remaining_portraits, send, delete)),
        send=tuple(send),
        delete=tuple(delete),
        served=tuple(file.entry for file in files),
        tag=tag,
        tag_exists=tag_exists,
        private=private,
    )


def _served_descriptions(remote: Remote, snapshot: Snapshot, *, replace: bool) -> dict[str, Description] | None:
    """Read the description of each portrait that the Hub serves, by name; null if other content is to be replaced."""
    paths = [path for path in snapshot.files if path.count("/") == 1 and PurePosixPath(path).name == DESCRIPTION]
    others = [path for path in snapshot.files if path != GIT_ATTRIBUTES]
    if others and (not paths or _DATASET_MANIFEST in snapshot.files):
        if replace:
            return None
        raise UserError(
            f"{remote.repo} holds other content ({len(others)} files, such as {others[0]}) and no portraits: "
            f"publish to another repo, or use {argument('replace', True)} to replace it all"
        )
    names = [PurePosixPath(path).parts[0] for path in paths]
    return {name: _served_description(remote, snapshot, name) for name in names}


def _served_description(remote: Remote, snapshot: Snapshot, name: str) -> Description:
    path = remote.fetch(f"{name}/{DESCRIPTION}", snapshot)
    try:
        return read_description(path)
    except UserError as error:
        raise UserError(str(error).replace(str(path), f"{remote.repo}/{name}/{DESCRIPTION}")) from error


def _portrait_name(path: str) -> str | None:
    """Return the name of the portrait in whose folder a file lies."""
    parts = PurePosixPath(path).parts
    return parts[0] if len(parts) > 1 else None


def _choose_tag(remote: Remote, snapshot: Snapshot | None, wanted: str | None, *, changes: bool) -> tuple[str, bool]:
    """Return the tag of the release, and true if the repo's head has it already."""
    tags = remote.tags() if snapshot else {}
    head_tags = [] if changes else [name for name, commit in tags.items() if snapshot and commit == snapshot.commit]
    if wanted is None:
        unused = next(name for number in count(1) if (name := f"v{number}") not in tags)
        return (head_tags[0], True) if head_tags else (unused, False)
    if wanted in tags and wanted not in head_tags:
        raise UserError(f"{remote.repo} has a tag {wanted} already, for another state: give another {argument('tag')}")
    return check_tag(wanted), wanted in head_tags


def _changes(
    new_names: set[str],
    served_names: Mapping[str, object],
    remaining_names: Mapping[str, object],
    send: Sequence[LocalFile],
    delete: Sequence[str],
) -> list[PortraitChange]:
    def change(name: str | None) -> PortraitChange:
        sizes_in_bytes = [file.num_bytes for file in send if _portrait_name(file.path) == name]
        deletions = [path for path in delete if _portrait_name(path) == name]
        transfer = (len(sizes_in_bytes), len(deletions), sum(sizes_in_bytes))
        if name is None:
            return PortraitChange(None, "changed" if sizes_in_bytes else "unchanged", *transfer)
        if name not in served_names:
            return PortraitChange(name, "added", *transfer)
        if name in remaining_names:
            return PortraitChange(name, "kept", *transfer)
        if name not in new_names:
            return PortraitChange(name, "removed", *transfer)
        return PortraitChange(name, "changed" if sizes_in_bytes or deletions else "unchanged", *transfer)

    return [change(name) for name in [*sorted({*new_names, *served_names}), None]]
