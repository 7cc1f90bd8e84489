"""Portraits in a local folder or a dataset repo on the Hub: one portrait, or many in folders with their names."""

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfknow.downloads import DownloadError, dataset_folder
from selfknow.errors import UserError, nearest
from selfknow.portraits.description import DESCRIPTION, DamagedDescriptionError, read_description
from selfknow.portraits.storage import read_folder, verify

if TYPE_CHECKING:
    from selfknow.portraits.portrait import Portrait


def find_address(address: str) -> Path:
    """Return the folder of a portrait named in one string: a local folder, ``org/name``, or ``org/name/portrait``.

    Raises:
        UserError: There is no such portrait.
    """
    parts = address.split("/")
    if not Path(address).is_dir() and len(parts) == 3 and all(parts):
        return find("/".join(parts[:2]), parts[2])
    return find(address)


def find(repo: str | Path, name: str | None = None, *, revision: str | None = None) -> Path:
    """Return the local folder of a portrait; download it first if it is on the Hub.

    Args:
        repo: A folder (a portrait's own, or one that holds several), or ``org/name`` on the Hub.
        name: Name of the portrait; not needed if there is only one.
        revision: Branch, tag or commit of the repo.

    Raises:
        UserError: There is no such portrait, or the download fails; the message lists the portraits that exist.

    Example:
        >>> find("org/diary-portraits", "32k")  # doctest: +SKIP
        PosixPath('…/32k')
    """
    folder = Path(repo)
    if not folder.is_dir():
        if str(repo).count("/") != 1:
            raise UserError(f"{repo} is neither a folder here nor a repo's name, org/name")
        folder = _download(str(repo), f"{name}/*" if name is not None else None, revision)
        if name is not None and not (folder / name / DESCRIPTION).is_file():
            folder = _download(str(repo), f"*/{DESCRIPTION}", revision)  # the message lists the portraits
    if name is not None and Path(name).name != name:
        raise UserError(f"{name!r} is not the name of a portrait")
    if name is not None and (folder / name / DESCRIPTION).is_file():
        return folder / name
    if name is None and (folder / DESCRIPTION).is_file():
        return folder
    names = sorted(path.parent.name for path in folder.glob(f"*/{DESCRIPTION}"))
    if name is None and len(names) == 1:
        return folder / names[0]
    if not names:
        raise UserError(f"{repo} holds no portrait, since it has no {DESCRIPTION}: name a folder that has one")
    if name is not None:
        raise UserError(f"{repo} has no portrait {name!r}{nearest(name, names)}")
    raise UserError(f"{repo} holds several portraits, so name one of them: {', '.join(names)}")


def _download(repo: str, pattern: str | None, revision: str | None) -> Path:
    started = time.time() - 1  # since the file system's clock can run a little behind
    try:
        folder, _ = dataset_folder(repo, None if pattern is None else [pattern], revision)
    except DownloadError as error:
        raise UserError(f"{repo} is not a folder here and could not be fetched from the Hub: {error}") from error
    _verify_downloads(folder, started)
    return folder


def _verify_downloads(folder: Path, started: float) -> None:
    """Check every bit of the portraits that were downloaded just now, since the client compares only sizes."""
    for path in [*folder.glob(DESCRIPTION), *folder.glob(f"*/{DESCRIPTION}")]:
        try:
            bits = path.parent / read_description(path).bits_file
        except DamagedDescriptionError as error:
            path.resolve().unlink()
            path.unlink(missing_ok=True)
            raise UserError(f"{path.parent.name} arrived damaged and was removed; load it again ({error})") from error
        if not bits.is_file() or bits.stat().st_mtime < started:
            continue
        try:
            verify(*read_folder(path.parent))
        except UserError as error:
            for damaged in (bits, path):
                damaged.resolve().unlink()
                damaged.unlink(missing_ok=True)
            raise UserError(f"{path.parent.name} arrived damaged and was removed; load it again ({error})") from error


def publish(portrait: "Portrait", repo: str, name: str, *, tag: str | None = None) -> Any:
    """Publish one portrait under its name; the repo's other content stays.

    Returns:
        The plan that was carried out.
    """
    from selfknow.hub.publish import push
    from selfknow.portraits.publishing import prepare

    with tempfile.TemporaryDirectory(prefix="selfknow-") as folder:
        portrait.save(Path(folder) / name)
        plan = prepare(Path(folder) / name, repo, tag=tag)
        push(plan)
    return plan
