"""The shortening of paths, as a page may be shared and must not show the folders of this machine."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

# An absolute path of Unix or Windows, or a path in a home folder, without its last part; never a part of a URL.
_FOLDERS = re.compile(
    r"(?<![\w:/.~])(?:file://)?(?:~[\w.-]*|[A-Za-z]:)?[/\\](?:[^\s/\\\"'<>|:,;]+[/\\])+(?=[^\s/\\\"'])"
)


def without_folders(value: Any) -> Any:
    """Shorten every absolute path in the texts of a value to its last part.

    Example:
        >>> without_folders("the file /data/ann/runs/opt cannot be read"), without_folders("https://a.org/b/c")
        ('the file opt cannot be read', 'https://a.org/b/c')
        >>> without_folders({"model": "org/name", "text": "/data/Bible.txt"})
        {'model': 'org/name', 'text': 'Bible.txt'}
    """
    if isinstance(value, str):
        return _FOLDERS.sub("", value) if "/" in value or "\\" in value else value
    if isinstance(value, Mapping):
        return {without_folders(name): without_folders(part) for name, part in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [without_folders(part) for part in value]
    return value


def last_part(path: str) -> str:
    """Return the last part of a path; return a text that is not a path unchanged.

    Example:
        >>> last_part("runs/opt/"), last_part("out/texts/Bible.txt"), last_part("Bible")
        ('opt', 'Bible.txt', 'Bible')
    """
    return path.rstrip("/\\").replace("\\", "/").rpartition("/")[2] or path


def short_names(paths: Sequence[str]) -> dict[str, str]:
    """Return a short name for each path: as few of its last parts as distinguish it from the others.

    Example:
        >>> short_names(["/a/here/model", "/b/there/model", "/c/other"])
        {'/a/here/model': 'here/model', '/b/there/model': 'there/model', '/c/other': 'other'}
    """
    parts = {path: path.rstrip("/").split("/") for path in paths}
    names = {path: pieces[-1] for path, pieces in parts.items()}
    for length in range(2, max(map(len, parts.values()), default=1) + 1):
        names_so_far = list(names.values())
        names |= {path: "/".join(parts[path][-length:]) for path, name in names.items() if names_so_far.count(name) > 1}
    return names
