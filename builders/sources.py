"""Reads and hashes ``datasets_src``, the sources of the datasets."""

import hashlib
import json
from functools import cache
from pathlib import Path

DATASETS_SRC = Path(__file__).resolve().parent.parent / "datasets_src"


@cache
def read_text(path: str) -> str:
    """The text of a source file, named relative to ``datasets_src``.

    Raises:
        FileNotFoundError: There is no such file.
    """
    return (DATASETS_SRC / path).read_text(encoding="utf-8")


@cache
def read_lines(path: str) -> tuple[str, ...]:
    """The lines of a source file, without their ends."""
    return tuple(read_text(path).splitlines())


def read_json(path: str) -> object:
    """The value of a JSON source file; the caller says what it should be."""
    value: object = json.loads(read_text(path))
    return value


def source_hash(folder: str) -> str:
    """SHA-256 over the names and bytes of the files that one dataset is made from, as hex digits.

    They lie in its folder in ``datasets_src``; a folder below that belongs to something else.
    """
    return _hash_of_files(DATASETS_SRC / folder, "*")


@cache
def fingerprint(folder: str) -> str:
    """SHA-256 over one dataset's sources and over the code of all builders.

    Hugging Face caches a prepared dataset under this key, so that rows of older sources or code are never served.
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
