"""The pages: they load nothing, name the failures, and replace nothing but earlier pages."""

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from selfknow.errors import UserError
from selfknow.validation.check import check_folder


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value for name, value in attributes if name in ("href", "src") and value]


def _read(page: Path) -> _Links:
    links = _Links()
    links.feed(page.read_text(encoding="utf-8"))
    return links


def test_pages_need_nothing_from_anywhere_else(twins: Any, tmp_path: Path) -> None:
    rows = twins.rows("test")
    rows[0]["prompt"] = "<script>alert(1)</script> <img src=x> $name & {{ 1 }}"
    twins.write(rows, "test")
    docs = tmp_path / "docs"
    assert check_folder(twins.path, data_docs=docs)
    pages = {page.name: _read(page) for page in docs.iterdir()}
    names = [twins.standard, twins.simplified, f"{twins.standard}-and-{twins.simplified}", "folder", "index"]
    assert sorted(pages) == sorted(f"{name}.html" for name in names)
    for links in pages.values():
        assert set(links.links) <= {"data:,", *pages}
        assert not links.tags & {"script", "img", "iframe"}
    text = (docs / f"{twins.standard}.html").read_text(encoding="utf-8")
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &lt;img src=x&gt; $name &amp; {{ 1 }}" in text
    assert "text-danger" in text.partition("<body>")[2].partition("text-success")[0]
    index = (docs / "index.html").read_text(encoding="utf-8")
    assert index.count('text-danger"') == 2


def test_pages_of_an_earlier_check_are_replaced(folder: Any, twins: Any, tmp_path: Path) -> None:
    check_folder(twins.path, data_docs=tmp_path / "docs")
    check_folder(folder.path, data_docs=tmp_path / "docs")
    names = {page.name for page in (tmp_path / "docs").iterdir()}
    assert names == {"index.html", "folder.html", f"{folder.standard}.html"}


def test_pages_are_not_written_over_other_files_or_into_the_dataset(folder: Any, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "index.html").write_text("my page")
    with pytest.raises(UserError, match="holds other files than Data Docs"):
        check_folder(folder.path, data_docs=tmp_path / "mine")
    with pytest.raises(UserError, match="is a file"):
        check_folder(folder.path, data_docs=tmp_path / "mine" / "index.html")
    with pytest.raises(UserError, match="lies in the dataset folder"):
        check_folder(folder.path, data_docs=folder.path / "docs")
    assert (tmp_path / "mine" / "index.html").read_text() == "my page"
