"""Folders that are replaced whole or not at all, even if the process is killed."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock

from selfknow.errors import UserError

_WORKSPACE = ".building"


@contextmanager
def replaced_whole(folder: Path, last: str) -> Iterator[Path]:
    """Provide an empty folder, which replaces ``folder`` if the block ends without an error.

    The new folder is filled beside the old one, in the hidden ``.NAME.building/new``; two renames then exchange them.
    If the program is killed between the two renames, the old folder is in ``.NAME.building/old``, and the next call
    restores it. A second writer of the same folder waits for the first.

    A mount point, the working directory and a folder in a read-only parent cannot be renamed. If such a folder is
    empty, the new one is filled inside it, in ``.building``. Its files then move up one by one, ``last`` at the end.

    Args:
        folder: Folder to replace; created if missing. If it is a symbolic link, the link stays and its target changes.
        last: The file that marks a complete folder, such as ``manifest.json``.

    Raises:
        UserError: ``folder`` is a file, or can neither be renamed nor filled.
        OSError: The disk is full or may not be written.

    Example:
        >>> with replaced_whole(Path("out"), "manifest.json") as new:  # doctest: +SKIP
        ...     (new / "manifest.json").write_text("{}")
    """
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file, not a folder")
    place = folder.resolve()
    inner_workspace = place / _WORKSPACE
    outer_workspace = place.with_name(f".{place.name}{_WORKSPACE}") if place.name else place
    is_inside = not _is_renamable(place)
    if inner_workspace.is_dir() and not is_inside:
        with _lock_workspace(inner_workspace, folder):
            _finish_killed(place, inner_workspace, last)
    workspace = inner_workspace if is_inside else outer_workspace
    with _lock_workspace(workspace, folder):
        new, old = workspace / "new", workspace / "old"
        _finish_killed(place, workspace, last)
        if is_inside and content(place):
            raise UserError(
                f"{folder} holds files and cannot be exchanged in one step (it is a mount point, the folder you are "
                "in, or its parent may not be written): name another folder, or empty it first"
            )
        new.mkdir()
        try:
            yield new
            if is_inside:
                _move_in(new, place, last)
            else:
                _exchange(new, place, old)
        finally:
            shutil.rmtree(new, ignore_errors=True)
        _discard(old, last)


def content(folder: Path) -> list[Path]:
    """List a folder without the remains of an unfinished :func:`replaced_whole`; a missing folder is empty."""
    return [path for path in folder.iterdir() if not path.name.startswith(_WORKSPACE)] if folder.exists() else []


def _is_renamable(place: Path) -> bool:
    if not place.exists():
        return True
    here = Path.cwd()
    return not place.is_mount() and place != here and place not in here.parents and os.access(place.parent, os.W_OK)


@contextmanager
def _lock_workspace(workspace: Path, folder: Path) -> Iterator[None]:
    """Hold the workspace's lock. The lock is deleted with the workspace, so a waiting process may create both anew."""
    lock = FileLock(workspace / "lock")
    while not lock.is_locked:
        try:
            workspace.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(folder)) from error
        with suppress(FileNotFoundError):
            lock.acquire()
    try:
        yield
    finally:
        with suppress(OSError):
            if [path.name for path in workspace.iterdir()] == ["lock"]:
                (workspace / "lock").unlink()
                workspace.rmdir()
        lock.release()


def _finish_killed(place: Path, workspace: Path, last: str) -> None:
    """Finish a killed call: restore the old folder, or move the new files in."""
    new, old = workspace / "new", workspace / "old"
    if workspace.parent == place and (new / last).is_file():
        _move_in(new, place, last)
    if (old / last).is_file():
        if not content(place):
            old.rename(place)
        elif not (place / last).is_file():
            raise UserError(f"{place} was filled while its earlier content was in {old}: move one of them away")
    _discard(old, last)
    if new.exists():
        shutil.rmtree(new)


def _exchange(new: Path, place: Path, old: Path) -> None:
    if place.exists():
        shutil.copymode(place, new)
    if not place.exists() or not any(place.iterdir()):
        new.rename(place)
        return
    place.rename(old)
    try:
        new.rename(place)
    except BaseException:
        old.rename(place)
        raise


def _move_in(new: Path, place: Path, last: str) -> None:
    for path in sorted(new.iterdir(), key=lambda path: path.name == last):
        path.rename(place / path.name)


def _discard(old: Path, last: str) -> None:
    """Remove the old folder, its last file first, so that the remains of a killed removal never look complete."""
    with suppress(OSError):
        (old / last).unlink()
    shutil.rmtree(old, ignore_errors=True)
