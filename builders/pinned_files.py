"""Files of other people's datasets: fetched at a pinned commit or read from disk, and checked by their SHA-256."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from selfknow import downloads
from selfknow.builders.sources import read_text
from selfknow.errors import UserError
from selfknow.files import read_rows

_GITHUB = "https://raw.githubusercontent.com"


@dataclass(frozen=True)
class PinnedSource:
    """The files of a dataset at one commit.

    Args:
        host: ``hub`` or ``github``.
        repository: ``org/name`` there.
        revision: The commit.
        files: The SHA-256 of each file by its path; null if it is not known.
        licence: The licence, as a card on the Hub names it.
        copies: The SHA-256 of other forms of the same files, by name.
        texts: The other fields of the source's YAML.
    """

    host: str
    repository: str
    revision: str
    files: Mapping[str, str | None]
    licence: str
    copies: Mapping[str, str]
    texts: Mapping[str, object]

    @property
    def address(self) -> str:
        """The repository's page."""
        site = "huggingface.co/datasets" if self.host == "hub" else "github.com"
        return f"https://{site}/{self.repository}"

    def expects(self, name: str, sha256: str) -> bool:
        """Return True if this SHA-256 is pinned, or if the file of this name is pinned without a SHA-256."""
        digests = {*self.files.values(), *self.copies.values()}
        return sha256 in digests or (name in self.files and self.files[name] is None)


@dataclass(frozen=True)
class SourceFile:
    """A file that was read.

    Args:
        name: The path in the repository, or the name of a file of the user's.
        content: The file's bytes, or the path to them.
        sha256: The SHA-256 of the bytes, as hex digits.
        revision: The commit that it was fetched at; null for a file of the user's.
    """

    name: str
    content: Path | bytes
    sha256: str
    revision: str | None

    def rows(self) -> list[Mapping[str, Any]]:
        """Read the file's rows, in any common format; see :func:`selfknow.files.read_rows`.

        Raises:
            UserError: The file holds no rows.
        """
        if isinstance(self.content, Path):
            return read_rows(self.content)
        with TemporaryDirectory() as folder:
            path = Path(folder) / Path(self.name).name
            path.write_bytes(self.content)
            return read_rows(path)


def read_sources(path: str) -> dict[str, PinnedSource]:
    """Read the pinned sources of a YAML file in ``datasets_src``, by config."""
    sources: dict[str, PinnedSource] = {}
    for name, value in yaml.safe_load(read_text(path)).items():
        fields = {key: value.pop(key) for key in ("repository", "revision", "files", "licence")}
        sources[name] = PinnedSource(
            host=value.pop("host", "hub"), copies=value.pop("copies", {}), texts=value, **fields
        )
    return sources


def open_source(source: PinnedSource, path: Path | None = None, *, alone: bool = False) -> list[SourceFile]:
    """Open the files of a source: fetch them at its commit, or take the user's own.

    Args:
        source: The pinned source.
        path: A folder with the source's files under their own paths, or one file. They are compared with the pinned
            files only when the built folder is checked.
        alone: If true, a single file may replace the several files of a source.

    Raises:
        UserError: A file is missing or cannot be fetched, or its SHA-256 is not the pinned one.
    """
    if path is None:
        return [_fetch(source, name) for name in source.files]
    if path.is_dir():
        return [_own_file(name, path / name) for name in source.files]
    if len(source.files) > 1 and not alone:
        names = " and ".join(source.files)
        raise UserError(f"{source.repository} has {len(source.files)} files: give the folder that holds {names}")
    return [_own_file(path.name if alone else next(iter(source.files)), path)]


def _own_file(name: str, path: Path) -> SourceFile:
    if not path.is_file():
        raise UserError(f"there is no file {path}")
    return SourceFile(name, path, _sha256(path), None)


def _fetch(source: PinnedSource, name: str) -> SourceFile:
    where = f"{name} of {source.address} at {source.revision}"
    try:
        if source.host == "hub":
            content: Path | bytes = downloads.dataset_file(source.repository, name, source.revision)
        else:
            content = downloads.fetch(f"{_GITHUB}/{source.repository}/{source.revision}/{name}")
    except downloads.DownloadError as error:
        raise UserError(f"{where} could not be fetched ({error}): get it elsewhere and give --source FILE") from error
    return check_sha256(SourceFile(name, content, _sha256(content), source.revision), source.files[name], where)


def check_sha256(file: SourceFile, sha256: str | None, where: str) -> SourceFile:
    """Return the file if it has this SHA-256, or if none is pinned.

    Raises:
        UserError: The file has another SHA-256.
    """
    if sha256 not in (None, file.sha256):
        raise UserError(f"{where} is not the pinned file: its SHA-256 is {file.sha256}, not {sha256}")
    return file


def _sha256(content: Path | bytes) -> str:
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    with content.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def parameters_of(source: PinnedSource, files: Sequence[SourceFile]) -> dict[str, object]:
    """Return a config's parameters for the manifest; the commit is null if a file may be from another."""
    is_known = all(file.revision or file.sha256 == source.files.get(file.name) for file in files)
    return {
        "repository": source.address,
        "revision": source.revision if is_known else None,
        "sha256": {file.name: file.sha256 for file in files},
    }


def table_of_files(parameters: Mapping[str, object]) -> str:
    """Return the list of a config's files for its card."""
    sha256 = parameters["sha256"]
    assert isinstance(sha256, Mapping), "a config of pinned files has their SHA-256"
    lines = [f"From {parameters['repository']} at revision `{parameters['revision'] or 'unknown'}`:"]
    return "\n".join([*lines, "", *(f"- `{name}`, SHA-256 `{digest}`" for name, digest in sha256.items())])
