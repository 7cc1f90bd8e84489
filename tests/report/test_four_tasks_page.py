"""The page of all four tasks in a real browser: on a desk and on a phone, in light and dark, with quotes marked."""

import re
from pathlib import Path
from typing import Any

import pytest

from selfknow.evaluate.catalogue import task_reports
from selfknow.evaluate.connection import connect
from selfknow.report.four_questions import panels
from selfknow.report.write import write_html
from tests.report.accessibility import violations
from tests.report.conftest import DESKTOP, PHONE, Open
from tests.report.four_runs import SENTENCE, four_runs, quoting_run
from tests.report.test_page import EVIL, contrast, errors

HOSTILE = EVIL.replace("\0", "")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a report of four runs of a model, and of a second model that was prompted to quote."""
    folder = tmp_path_factory.mktemp("page")
    runs = four_runs(folder / "first", evil=HOSTILE)
    runs.append(quoting_run(folder / "second" / "run", "another/" + "very-long-name-of-a-model" * 4, HOSTILE))
    with connect(runs) as connection:
        write_html(
            connection,
            task_reports(),
            folder / "report.html",
            title="Four tasks",
            figures=None,
            progress=False,
            introduction=panels,
        )
    return folder / "report.html"


def shown(browser: Any, selector: str) -> list[str]:
    return [element.text for element in browser.find_elements("css selector", selector)]


def test_each_task_stands_at_the_top_with_its_numbers_and_their_queries(page: Path, open_page: Open) -> None:
    browser = open_page(page)
    assert errors(browser) == []
    tasks = browser.execute_script("return [...document.querySelectorAll('.topic')].map(one => one.id)")
    assert tasks == ["topic-diary-recall", "topic-self-aware", "topic-self-knowledge", "topic-according-to"]
    assert shown(browser, "#topic-diary-recall .pill") == ["No sign of it"]
    assert shown(browser, "#topic-diary-recall .detail")[0].startswith("1 of 2 (")
    assert shown(browser, "#topic-self-aware .detail")[0].startswith("2 of 3 (")
    values = shown(browser, "#numbers-according-to .one:first-of-type .value")
    assert len(values) == 2, "one number a model"
    assert all(value.startswith("+") and value.endswith("points") for value in values)
    assert any("always abstaining: 54.5%" in detail for detail in shown(browser, "#numbers-self-aware .detail"))
    counts = re.compile(r"\d of \d|n = \d|\d (questions|passages)\b")
    assert all(counts.search(detail) for detail in shown(browser, ".topic .detail"))
    fold = browser.find_element("css selector", "#numbers-according-to details")
    summary = fold.find_element("tag name", "summary")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", summary)
    assert summary.text == "SQL selfknow query according_to_kinds RUN…"
    summary.click()
    assert fold.find_element("tag name", "pre").text.startswith("-- Do the grounding prompts, taken together")


def test_every_task_has_sections_and_charts_of_its_own(page: Path, open_page: Open) -> None:
    browser = open_page(page)
    charts = browser.execute_script(
        """return Object.fromEntries([...document.querySelectorAll('section')].map(one =>
             [one.id, [...one.querySelectorAll('.chart')].map(chart => chart.querySelectorAll('svg path').length)]))"""
    )
    for name in (
        *(
            "accuracy_by_size",
            "self_aware_abstention",
            "self_aware_f1",
            "self_aware_by_category",
            "self_knowledge_summary",
        ),
        *("self_knowledge_tables", "self_knowledge_writing_or_reading", "according_to_table", "according_to_changes"),
    ):
        assert charts[name], name
        assert min(charts[name]) > 3, name
    links = browser.execute_script(
        "return [...document.querySelectorAll('nav a')].filter(one => !document.querySelector(one.hash)).length"
    )
    assert links == 0, "every link leads somewhere"


def test_prompts_stand_in_the_order_of_the_papers_table(page: Path, open_page: Open) -> None:
    browser = open_page(page)
    labels = browser.execute_script(
        "return [...document.querySelectorAll('#according_to_table .chart')][0]"
        ".querySelectorAll('.role-axis-label')[1]?.textContent ?? "
        "[...document.querySelectorAll('#according_to_table .chart')][0].textContent"
    )
    places = [labels.index(prompt) for prompt in ("attributed", "without")]
    assert places == sorted(places)


def test_what_stands_in_questions_and_replies_is_text_and_nothing_else(page: Path, open_page: Open) -> None:
    browser = open_page(page)
    assert browser.execute_script("return window.evil === undefined")
    assert any("<script>window.evil = 1</script>" in question for question in shown(browser, "#replies h3"))
    assert any("<script>window.evil = 1</script>" in reply for reply in shown(browser, "#replies pre.answer"))


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        (DESKTOP, "light"),
        (PHONE, "dark"),
        pytest.param(DESKTOP, "dark", marks=pytest.mark.full),
        pytest.param(PHONE, "light", marks=pytest.mark.full),
    ],
)
def test_replies_stand_side_by_side_with_their_quotes_marked(
    page: Path, open_page: Open, size: tuple[int, int], scheme: str
) -> None:
    browser = open_page(page, size, scheme)
    pair = browser.find_element("css selector", "#replies details[open] article.pair")
    assert pair.find_element("tag name", "mark").text == SENTENCE
    left, right = pair.find_elements("class name", "side")
    assert (left.rect["y"] == right.rect["y"]) == (size == DESKTOP)
    assert "QUIP 0%" in left.text
    assert "QUIP 100%" in right.text
    assert "right" in right.text
    colours = browser.execute_script(
        "const style = getComputedStyle(arguments[0]); return [style.color, style.backgroundColor]",
        pair.find_element("tag name", "mark"),
    )
    assert contrast(*colours) >= 4.5
    width, wide = browser.execute_script(
        """return [document.documentElement.scrollWidth,
             [...document.querySelectorAll('h1, h2, h3, p, li, svg, .topic, .side, article')]
             .filter(one => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest('details:not([open])'))
             .map(one => one.outerHTML.slice(0, 120))]"""
    )
    assert width == size[0]
    assert wide == []
    assert errors(browser) == []


@pytest.mark.full
@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "dark"), (PHONE, "light")])
def test_nothing_keeps_people_from_reading_the_page_of_four_tasks(
    page: Path, open_page: Open, size: tuple[int, int], scheme: str
) -> None:
    assert violations(open_page(page, size, scheme, changes=True)) == []
