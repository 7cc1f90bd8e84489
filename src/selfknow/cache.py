"""A folder for results that are slow to compute and always the same. You can delete it; it is filled again."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from filelock import FileLock

from selfknow.errors import UserError
from selfknow.files import write_whole


def cache_folder() -> Path:
    """Return ``$XDG_CACHE_HOME/selfknow``, or ``~/.cache/selfknow``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "selfknow"


def cached(name: str, make: Callable[[], bytes]) -> bytes:
    """Return the bytes of a file in the cache folder; make the file if it is missing.

    Of several processes that need the same file, one makes it and the others wait. If the folder cannot be used, the
    bytes are made anew each time.

    Args:
        name: The file's name, which must change whenever the bytes would.
        make: Function that returns the bytes.

    Example:
        >>> cached("squares-10.txt", lambda: " ".join(str(n * n) for n in range(10)).encode())  # doctest: +SKIP
        b'0 1 4 9 16 25 36 49 64 81'
    """
    # RuntimeError: there is no home folder. OSError and UserError: the folder or a file cannot be written or read.
    # NotImplementedError: the file system has no locks. An error of make() is raised by its second call, below.
    with suppress(RuntimeError, OSError, UserError, NotImplementedError):
        path = cache_folder() / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(path.with_name(f".{name}.lock")):
                if not path.exists():
                    write_whole(path, make())
        return path.read_bytes()
    return make()
