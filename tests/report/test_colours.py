"""The colours of charts for people who do not see red, green or blue: no two look alike."""

import itertools
import math
import re
from importlib.resources import files

import numpy as np
import pytest

from selfknow.report.pictures import _THEME

CSS = (files("selfknow.report") / "page" / "report.css").read_text(encoding="utf-8")
LIGHT, DARK = (
    [re.search(rf"--hue-{number}: (#[0-9a-f]{{6}})", part)[1] for number in range(1, 9)]  # type: ignore[index]
    for part in CSS.split("prefers-color-scheme: dark", 1)
)
# Machado, Oliveira and Fernandes 2009, Table 1, severity 1.0, over linear RGB.
SEEN = {
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    "all": np.eye(3),
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.089])


def lab(colour: str, seen: object) -> np.ndarray:
    """Return a colour in CIELAB as people see it who lack one kind of cone."""
    red_green_blue = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(red_green_blue <= 0.04045, red_green_blue / 12.92, ((red_green_blue + 0.055) / 1.055) ** 2.4)
    parts = XYZ @ np.clip(np.array(seen) @ linear, 0, 1) / WHITE
    x, y, z = np.where(parts > 0.008856, np.cbrt(parts), 7.787 * parts + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def closest(colours: list[str], kind: str) -> float:
    """Return the distance between the two most similar colours (CIE76; 2.3 is just visible)."""
    return min(
        math.dist(lab(first, SEEN[kind]), lab(second, SEEN[kind]))
        for first, second in itertools.combinations(colours, 2)
    )


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("kind", SEEN)
def test_no_two_colours_look_alike_to_anybody(colours: list[str], kind: str) -> None:
    assert closest(colours[:6], kind) > 20
    assert closest(colours, kind) > 11


def test_red_and_green_of_one_lightness_would_be_found() -> None:
    assert closest(["#a8487f", "#1a6f68"], "no green") < 8 < 40 < closest(["#a8487f", "#1a6f68"], "all")


def test_pictures_have_the_colours_of_the_page() -> None:
    assert _THEME["range"]["category"] == LIGHT  # type: ignore[index]
