"""A headless Chromium; where there is none its tests are not run and say so, in CI that is a failure."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
)
PHONE = (390, 844)
DESKTOP = (1280, 800)


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One browser for all tests."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (browser and driver):
        missing = "no Chromium here (Debian: apt-get install chromium chromium-driver): the page was not looked at"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    made = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    made.set_page_load_timeout(300)
    yield made
    made.quit()


Open = Callable[..., Any]


@pytest.fixture
def open_page(chromium: Any) -> Open:
    """Open a page as a desktop or a phone shows it, and wait until every chart that it has is drawn."""

    def open_(path: Path, size: tuple[int, int] = DESKTOP, scheme: str = "light") -> Any:
        from selenium.webdriver.support.ui import WebDriverWait

        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE}
        chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        chromium.get_log("browser")
        chromium.get_log("performance")
        chromium.get(path.as_uri())
        drawn = "return document.documentElement.dataset.drawn === 'yes' || !document.querySelector('.chart')"
        WebDriverWait(chromium, 300).until(lambda browser: browser.execute_script(drawn))
        return chromium

    return open_
