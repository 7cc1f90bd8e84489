"""A headless Chromium; without one its tests are skipped with a reason, but fail in CI."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.report import browser as chromium_browser
from tests.report.browser import DESKTOP, MISSING, PHONE

__all__ = ["DESKTOP", "PHONE", "Open"]


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Start one browser for all tests."""
    started = chromium_browser.start(tmp_path_factory.mktemp("chromium"))
    if started is None:
        missing = f"{MISSING}: the page was not looked at"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    yield started
    started.quit()


Open = Callable[..., Any]


@pytest.fixture(scope="session")
def open_page(chromium: Any) -> Open:
    """Return a function that opens a page on a desktop or a phone, with every chart drawn.

    To draw a page takes seconds: it stays open for the tests that follow and look at the same page in the same way. A
    test that changes the page says so (``changes=True``), and the next one opens it again.
    """
    shown: list[tuple[Path, tuple[int, int], str]] = []

    def open_(path: Path, size: tuple[int, int] = DESKTOP, scheme: str = "light", *, changes: bool = False) -> Any:
        if shown != [(path, size, scheme)]:
            chromium_browser.open_page(chromium, path, size, scheme)
        shown[:] = [] if changes else [(path, size, scheme)]
        return chromium

    return open_
