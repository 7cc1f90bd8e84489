"""The pages of portraits in a real browser: they have no barriers, in light and dark."""

from pathlib import Path

import pytest

from selfknow.portraits import Portrait, overlap_page, quote_view
from selfknow.portraits.overlap import measure_overlap
from tests.report.accessibility import violations
from tests.report.conftest import DESKTOP, PHONE, Open

QUOTED = "the sun was warm, the sea was cold and nobody was there"
TEXT = f"Tom <b>wrote</b> & Ann read: {QUOTED}. Nobody wrote this sentence down before."


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Write a page of quotes and a page of an overlap."""
    folder = tmp_path_factory.mktemp("pages")
    portrait = Portrait.build([f"In the morning {QUOTED}, and in the evening it rained."])
    overlap = measure_overlap(portrait, [TEXT, "Nothing of this was ever told in the corpus of anybody."], min_span=30)
    made = {
        "quotes.html": quote_view.as_html(TEXT, portrait.quotes(TEXT), [("QUIP", "0.5")]),
        "overlap.html": overlap_page.as_html(overlap, [("corpus", "one sentence")]),
    }
    for name, page in made.items():
        assert "<mark>" in page
        (folder / name).write_text(page, encoding="utf-8")
    return [folder / name for name in made]


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")])
def test_nothing_keeps_people_from_reading_quotes_and_overlaps(
    pages: list[Path], open_page: Open, size: tuple[int, int], scheme: str
) -> None:
    assert [violations(open_page(page, size, scheme)) for page in pages] == [[], []]


def test_what_is_in_the_way_is_found(tmp_path: Path, open_page: Open) -> None:
    page = tmp_path / "bad.html"
    page.write_text('<!doctype html><html><title>t</title><p style="color: #ccc; background: #fff">pale</p></html>')
    rules = {violation.partition(":")[0] for violation in violations(open_page(page))}
    assert {"color-contrast", "html-has-lang", "landmark-one-main"} <= rules
