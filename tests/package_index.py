"""A package index in a folder, which pip itself reads."""

import hashlib
import zipfile
from pathlib import Path

import pytest

from selfknow.packages import PackagedFile


def serve_packages(folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pip look for packages only in a folder, and store files in a cache of the test's own."""
    folder.mkdir(exist_ok=True)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))


def write_wheel(index: Path, project: str, member: str, content: bytes) -> PackagedFile:
    """Put a package with one file into the index; return the file's pin."""
    name, version = project.replace("-", "_"), "1.0"
    wheel = index / f"{name}-{version}-py3-none-any.whl"
    facts = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, content)
        archive.writestr(f"{facts}/METADATA", f"Metadata-Version: 2.1\nName: {project}\nVersion: {version}\n")
        archive.writestr(f"{facts}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{facts}/RECORD", "")
    return PackagedFile(
        project=project,
        version=version,
        member=member,
        sha256=hashlib.sha256(content).hexdigest(),
        download_bytes=wheel.stat().st_size,
        title=project,
        licence="MIT",
        source="made in a test",
    )
