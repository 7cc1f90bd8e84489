"""The content of the cache folder, and that nothing depends on it."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from selfknow.cache import cache_folder, cached
from selfknow.errors import UserError
from selfknow.evaluate.catalogue import task_sql
from selfknow.report import html
from selfknow.sql import connection


class Maker:
    """A function that makes bytes, and counts its calls."""

    def __init__(self, content: bytes = b"content") -> None:
        self.content, self.calls = content, 0

    def __call__(self) -> bytes:
        self.calls += 1
        return self.content


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_bytes_are_made_once_for_each_name() -> None:
    make = Maker()
    assert [cached("one", make), cached("one", make), make.calls] == [b"content", b"content", 1]
    assert (cached("two", Maker(b"other")), cached("one", make)) == (b"other", b"content")
    assert (cache_folder() / "one").read_bytes() == b"content"


def test_threads_that_want_the_same_bytes_wait_for_the_first() -> None:
    make = Maker(b"x" * 1_000_000)
    with ThreadPoolExecutor(8) as pool:
        assert {len(content) for content in pool.map(lambda _: cached("one", make), range(8))} == {1_000_000}
    assert make.calls == 1


def test_a_cache_that_cannot_be_used_costs_time_alone(empty_cache: Path) -> None:
    empty_cache.write_text("a file where the folder should be")
    make = Maker()
    assert [cached("one", make), cached("one", make), make.calls] == [b"content", b"content", 2]


def test_what_cannot_be_made_says_why_and_leaves_no_file() -> None:
    def fail() -> bytes:
        raise UserError("no such thing")

    with pytest.raises(UserError, match="no such thing"):
        cached("one", fail)
    assert not (cache_folder() / "one").exists()


def test_a_second_process_finds_the_charts_script_and_the_views_of_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    def forget() -> None:
        """Clear the memory of this process, as in a new one."""
        html._charts_script.cache_clear()
        connection._empty_database.cache_clear()

    def what_is_made() -> tuple[str, bytes]:
        return html._charts_script(), connection._empty_database(task_sql())

    forget()
    made = what_is_made()
    files = {path.suffix: path for path in cache_folder().iterdir() if not path.name.startswith(".")}
    assert set(files) == {".js", ".duckdb"}
    times = {path: path.stat().st_mtime_ns for path in files.values()}
    forget()
    assert what_is_made() == made
    assert {path: path.stat().st_mtime_ns for path in files.values()} == times
    forget()
    monkeypatch.setattr(connection, "statements", lambda *_, **__: iter(["create table other as select 1 as one"]))
    assert what_is_made() != made
    assert len(list(cache_folder().glob("views-*.duckdb"))) == 2, "other statements, another file"
    forget()
