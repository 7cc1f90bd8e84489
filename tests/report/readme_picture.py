"""A script that takes the README's picture: ``python -m tests.report.readme_picture`` after ``selfknow demo``.

It shows the top of the demo's page, light and dark, and cuts no number in half.
"""

import base64
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.conftest import REPOSITORY
from tests.report import browser

WIDTH, HEIGHT = 1280, 1080  # at most
PICTURES = REPOSITORY / "docs" / "images"
# The end of the cards, or the lowest line above HEIGHT that crosses none of their texts.
LOWEST_LINE = """
const texts = [...document.querySelectorAll('.topic :is(h2, p, li)')].map(one => one.getBoundingClientRect());
const end = Math.ceil(document.querySelector('.topics').getBoundingClientRect().bottom) + 12;
for (let y = Math.min(end, arguments[0]); y > 0; y--) if (texts.every(box => box.bottom < y || box.top > y)) return y;
"""


def take(page: Path, folder: Path) -> list[Path]:
    """Write ``four-questions-light.png`` and ``four-questions-dark.png``.

    Args:
        page: The demo's report.
        folder: The folder for the pictures.
    """
    pictures = []
    with TemporaryDirectory() as profile:
        chromium = browser.start(Path(profile))
        if chromium is None:
            raise SystemExit(browser.MISSING)
        try:
            for scheme in ("light", "dark"):
                browser.open_page(chromium, page.resolve(), (WIDTH, HEIGHT), scheme)
                bottom = chromium.execute_script(LOWEST_LINE, HEIGHT)
                clip = {"x": 0, "y": 0, "width": WIDTH, "height": bottom, "scale": 1}
                shot = chromium.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip})
                pictures.append(folder / f"four-questions-{scheme}.png")
                pictures[-1].write_bytes(base64.b64decode(shot["data"]))
        finally:
            chromium.quit()
    return pictures


if __name__ == "__main__":
    for picture in take(Path(sys.argv[1] if len(sys.argv) > 1 else "out/demo/report.html"), PICTURES):
        sys.stdout.write(f"{picture}\n")
