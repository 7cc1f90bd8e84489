"""Chromium without a window, and a page in it with every chart drawn."""

import shutil
from pathlib import Path
from typing import Any

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
)
PHONE = (390, 844)
DESKTOP = (1280, 800)
MISSING = "no Chromium here (Debian: apt-get install chromium chromium-driver)"


def start(profile: Path) -> Any:
    """Start a browser; return null if none is installed.

    Args:
        profile: An empty folder for its settings.
    """
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (browser and driver):
        return None
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    started.set_page_load_timeout(300)
    return started


def open_page(browser: Any, path: Path, size: tuple[int, int] = DESKTOP, scheme: str = "light") -> None:
    """Open a page on a desktop or a phone, and wait until all its charts are drawn."""
    from selenium.webdriver.support.ui import WebDriverWait

    metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    browser.get_log("browser")
    browser.get_log("performance")
    browser.get(path.as_uri())
    drawn = "return document.documentElement.dataset.drawn === 'yes' || !document.querySelector('.chart')"
    WebDriverWait(browser, 300).until(lambda driver: driver.execute_script(drawn))
