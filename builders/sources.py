"""Access to ``datasets_src``, the sources of the datasets: their text, and hashes over them."""

import hashlib
import json
from functools import cache
from pathlib import Path

DATASETS_SRC = Path(__file__).resolve().parent.parent / "datasets_src"


@cache
def read_text(path: str) -> str:
    """Read a source file, named relative to ``datasets_src``.

    Raises:
        FileNotFoundError: There is no such file.
    """
    return (DATASETS_SRC / path).read_text(encoding="utf-8")


@cache
def read_lines(path: str) -> tuple[str, ...]:
    """Read the lines of a source file, without their line ends."""
    return tuple(read_text(path).splitlines())


def read_json(path: str) -> object:
    """Read a JSON source file; the caller checks its type."""
    value: object = json.loads(read_text(path))
    return value


def source_hash(folder: str) -> str:
    """Hash the names and bytes of one dataset's source files with SHA-256, as hex digits.

    They lie in its folder in ``datasets_src``; subfolders belong to other datasets.
    """
    return _hash_of_files(DATASETS_SRC / folder, "*")


@cache
def fingerprint(folder: str) -> str:
    """Hash one dataset's sources and the code of all builders with SHA-256, as hex digits.

    Hugging Face caches a prepared dataset under this key, so rows of older sources or code are never served.
    """
    code = _hash_of_files(Path(__file__).resolve().parent, "**/*.py")
    return hashlib.sha256(f"{source_hash(folder)} {code}".encode()).hexdigest()


def _hash_of_files(folder: Path, pattern: str) -> str:
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.glob(pattern) if path.is_file()):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
