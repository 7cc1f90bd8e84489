"""The page in a real browser: it is drawn, makes no requests, and can be read on a phone and in the dark."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from selfknow.evaluate.catalogue import task_reports
from selfknow.evaluate.connection import connect
from selfknow.report.write import write_html
from selfknow.runs.description import DatasetReference
from tests.report.accessibility import violations
from tests.report.conftest import DESKTOP, PHONE, Open
from tests.sql.given import ModelAnswers, diary, question, text, write_run
from tests.sql.synthetic_runs import SyntheticModel
from tests.sql.synthetic_runs import write_run as write_synthetic_run

SHARES = {"fewer": 0.2, "beyond": 0.1, "invented": 0.1, "another diarist": 0.1, "failed": 0.04}
EVIL = "<script>window.evil = 1</script><img src=x onerror='window.evil = 2'></pre></script>\0 & \"quoted\""


@pytest.fixture(scope="module")
def page(small_corpora: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a report of two runs, standard and simplified, with everything that a report can hold."""
    folder = tmp_path_factory.mktemp("report")
    runs = []
    for seed, (config, shares) in enumerate({"1k": SHARES, "1k-simplified": {"fewer": 0.1}}.items()):
        rows = pq.read_table(small_corpora / config, filters=[("kind", "=", "question")], partitioning=None)
        reference = DatasetReference(str(small_corpora), config, "test")
        run = folder / "runs" / config
        model = SyntheticModel("out/opt-7m-scratch/model", shares)
        write_synthetic_run(run, rows.slice(0, 100), [model], reference, probes=30, stop=30, seed=seed)
        runs.append(run)
    with connect(runs) as connection:
        write_html(connection, task_reports(), folder / "report.html", title="Two setups", figures=None, progress=False)
    return folder / "report.html"


def errors(browser: Any) -> list[str]:
    return [entry["message"] for entry in browser.get_log("browser")]


def test_the_page_is_drawn_without_a_word_on_the_console(page: Path, open_page: Open) -> None:
    browser = open_page(page)
    assert errors(browser) == []
    charts = browser.execute_script(
        "return [...document.querySelectorAll('.chart')].map(chart => chart.querySelectorAll('svg path').length)"
    )
    assert len(charts) >= 15
    assert min(charts) > 5
    sections = browser.execute_script("return [...document.querySelectorAll('section')].map(one => one.id)")
    assert {"runs", "accuracy_by_size", "setup_gap", "recalled_documents", "stop_curve", "probes", "answers"} <= set(
        sections
    )


def test_the_page_asks_nobody(page: Path, open_page: Open) -> None:
    browser = open_page(page)
    messages = (json.loads(entry["message"])["message"] for entry in browser.get_log("performance"))
    sent = [message for message in messages if message["method"] == "Network.requestWillBeSent"]
    urls = [message["params"]["request"]["url"] for message in sent]
    assert [url for url in urls if not url.startswith(("file:", "data:"))] == []
    assert [url for url in urls if url.startswith("file:")] == [page.as_uri()]
    links = browser.execute_script(
        "return document.querySelectorAll('[src], link[href]:not([href^=\"data:\"])').length"
    )
    assert links == 0


def test_a_chart_answers_a_hover(page: Path, open_page: Open) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.support.ui import WebDriverWait

    browser = open_page(page)
    point = browser.find_element("css selector", "#accuracy_by_size .chart svg .mark-symbol path")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", point)
    ActionChains(browser).move_to_element(point).perform()
    shown = "return document.querySelector('#vg-tooltip-element.visible')?.innerText"
    tooltip = WebDriverWait(browser, 300).until(lambda driver: driver.execute_script(shown))
    assert "accuracy" in tooltip
    assert "47.9%" in tooltip
    assert "12.5%" in tooltip  # chance
    assert errors(browser) == []


def test_a_fold_opens_and_shows_the_table_and_the_sql(page: Path, open_page: Open) -> None:
    browser = open_page(page)
    table, sql = browser.find_elements("css selector", "#setup_gap details.fold")
    assert not table.find_element("tag name", "table").is_displayed()
    for fold in (table, sql):
        summary = fold.find_element("tag name", "summary")
        browser.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", summary)
        summary.click()
    assert table.find_element("tag name", "table").is_displayed()
    assert "opt-7m-scratch" in table.text
    assert sql.find_element("tag name", "pre").text.startswith("-- How much easier is it")


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_the_headline_number_is_on_the_first_screen(page: Path, open_page: Open, size: tuple[int, int]) -> None:
    browser = open_page(page, size)
    layout = browser.execute_script(
        "return [...document.querySelectorAll('.topic .bars li:first-child .detail')].map("
        "one => [one.textContent.split(' (')[0], one.getBoundingClientRect().bottom])"
    )
    # 46 of the 96 standard answers that did not fail, 90 of the 100 simplified ones
    assert [counts for counts, _ in layout] == ["46 of 96", "90 of 100"]
    assert all(bottom < size[1] for _, bottom in layout)
    sentences = [element.text for element in browser.find_elements("css selector", ".topic .sentence")]
    assert sentences[0].startswith(
        "In part When each diary entry was a document of its own (“standard”), it recalls 48%"
    )
    assert sentences[1].startswith(
        "Yes, mostly When all entries of a diarist were one document (“simplified”), it recalls 90%"
    )
    assert "recalled whole: +42.1 points (95%: " in sentences[2]


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.full)])
def test_the_page_fits_a_phone(page: Path, open_page: Open, scheme: str) -> None:
    browser = open_page(page, PHONE, scheme)
    width, overflowing = browser.execute_script(
        """const wide = [...document.querySelectorAll('h1, h2, p, figure, svg, summary, .numbers li, article')]
             .filter(one => one.offsetParent !== null || one.tagName === 'svg')
             .filter(one => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest('details:not([open])'));
           return [document.documentElement.scrollWidth, wide.map(one => one.outerHTML.slice(0, 120))]"""
    )
    assert width == PHONE[0]
    assert overflowing == []
    smallest = browser.execute_script(
        "return Math.min(...[...document.querySelectorAll('p, li, td, summary, dd, svg text')]"
        ".map(one => parseFloat(getComputedStyle(one).fontSize)))"
    )
    assert smallest >= 10
    assert errors(browser) == []


def luminance(colour: str) -> float:
    red, green, blue = (int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3])
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (red, green, blue)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of WCAG 2.2."""
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_text_and_charts_can_be_read_in_both_schemes(page: Path, open_page: Open, scheme: str) -> None:
    browser = open_page(page, scheme=scheme)
    style = "getComputedStyle(document.querySelector(arguments[0]))"
    background = browser.execute_script(f"return {style}.backgroundColor", "section")
    assert (luminance(background) < 0.1) == (scheme == "dark")
    for selector in ("h2", ".reading", ".source", "summary", ".piece.right", ".piece.wrong", ".piece.beyond", "h3"):
        assert contrast(browser.execute_script(f"return {style}.color", selector), background) >= 4.5, selector
    for selector in (".chart .role-axis-label text", ".chart .role-axis-title text", ".chart .role-legend-label text"):
        assert contrast(browser.execute_script(f"return {style}.fill", selector), background) >= 4.5, selector
    point = browser.execute_script(f"return {style}.fill", "#accuracy_by_size .mark-symbol path")
    assert contrast(point, background) >= 3


@pytest.mark.full
@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")])
def test_nothing_keeps_people_from_reading_the_page(
    page: Path, open_page: Open, size: tuple[int, int], scheme: str
) -> None:
    assert violations(open_page(page, size, scheme, changes=True)) == []


def test_the_charts_follow_when_the_scheme_changes(page: Path, open_page: Open) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    browser = open_page(page, changes=True)
    fill = "return getComputedStyle(document.querySelector('.chart .role-axis-label text')).fill"
    before = browser.execute_script(fill)
    media = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    WebDriverWait(browser, 300).until(lambda driver: driver.execute_script(fill) != before)
    assert luminance(browser.execute_script(fill)) > luminance(before)


@pytest.fixture(scope="module")
def evil_page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("evil")
    questions = [question("Ann", 1), question("Ben", 1), question("Cat", 1, 1), question("Dan", 1)]
    answers = {
        "Ann": EVIL,
        "Ben": f"{'line ' * 19}line\n" * 50_000,
        "Cat": f"{text(*diary('Cat', 1))}\n{EVIL}",
        "Dan": text(*diary("Dan", 1)),
    }
    run = write_run(folder / "run", questions, ModelAnswers(model=f"m{EVIL[:32]}", answers=answers))
    with connect(run) as connection:
        write_html(
            connection,
            task_reports(),
            folder / "report.html",
            title=EVIL.replace("\0", ""),
            figures=None,
            progress=False,
        )
    yield folder / "report.html"


def test_what_a_model_wrote_is_text_and_nothing_else(evil_page: Path, open_page: Open) -> None:
    browser = open_page(evil_page)
    assert browser.execute_script("return window.evil === undefined")
    assert errors(browser) == []
    answers = "\n".join(element.text for element in browser.find_elements("css selector", "pre.answer"))
    assert "<script>window.evil = 1</script>" in answers
    assert "␀" in answers
    assert "… and 4,997,000 more characters" in answers
    assert evil_page.stat().st_size < 2_500_000
