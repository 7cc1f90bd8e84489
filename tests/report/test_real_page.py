"""The page of real replies in a browser: the answers on the first screen, no cut column, replies by verdict."""

from pathlib import Path

import pytest

from selfknow.evaluate.catalogue import task_reports
from selfknow.evaluate.connection import connect
from selfknow.report.write import write_html
from tests.model_replies.linked import RUNS
from tests.report.accessibility import violations
from tests.report.conftest import DESKTOP, PHONE, Open
from tests.report.test_page import errors

SMOL, DIARIES = RUNS / "SmolLM2-135M-Instruct", RUNS / "opt-7m-diaries"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a report as the demo does: of a real model, and of a small one that was trained on diaries."""
    runs = [
        *(
            SMOL / name
            for name in ("self-aware-direct", "self-aware-instruction", "self-knowledge-total-count-separate")
        ),
        SMOL / "according-to-continuation",
        *(DIARIES / f"diary-recall-256-{setup}-seed-0" for setup in ("simplified", "standard")),
    ]
    path = tmp_path_factory.mktemp("real") / "report.html"
    with connect(runs) as connection:
        write_html(connection, task_reports(), path, title="Real", figures=None, progress=False)
    return path


def test_every_question_is_answered_on_the_first_screen(page: Path, open_page: Open) -> None:
    browser = open_page(page)
    assert errors(browser) == []
    answers = browser.execute_script(
        "return [...document.querySelectorAll('.topic')].map(one => [one.querySelector('h2').innerText,"
        " one.querySelector('.pill').innerText, one.querySelector('.sentence').getBoundingClientRect().bottom])"
    )
    assert [(question, verdict) for question, verdict, _ in answers] == [
        ("Does it know how much it knows?", "It depends"),
        ("Does it know what it does not know?", "Not shown"),
        ("Does it understand what it creates?", "Mostly not"),
        ("Does it quote?", "A little"),
    ]
    assert all(bottom < DESKTOP[1] for _, _, bottom in answers)


def test_no_column_of_what_was_run_is_cut_and_its_rows_differ(page: Path, open_page: Open) -> None:
    browser = open_page(page)
    needed, there, rows = browser.execute_script(
        "const box = document.querySelector('#runs .scroll');"
        "return [box.scrollWidth, box.clientWidth, [...box.querySelectorAll('tbody tr')].map(one => one.innerText)]"
    )
    assert needed <= there
    assert len({row.rpartition("\t")[0] for row in rows}) == len(rows), "without the ids of the runs"


def test_replies_are_chosen_by_their_verdict(page: Path, open_page: Open) -> None:
    browser = open_page(page, changes=True)
    chosen = browser.execute_script(
        """const form = document.querySelector('#self-aware-replies form.filter');
        form.querySelector('select').value = 'abstains rightly';
        form.dispatchEvent(new Event('change'));
        return [...document.querySelectorAll('#self-aware-replies article')]
            .filter(one => one.offsetParent).map(one => one.dataset.verdict)"""
    )
    assert len(chosen) > 4
    assert set(chosen) == {"abstains rightly"}


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        (DESKTOP, "light"),
        pytest.param(PHONE, "dark", marks=pytest.mark.full),
        pytest.param(DESKTOP, "dark", marks=pytest.mark.full),
    ],
)
def test_nothing_keeps_people_from_reading_real_replies(
    page: Path, open_page: Open, size: tuple[int, int], scheme: str
) -> None:
    assert violations(open_page(page, size, scheme, changes=True)) == []


def test_a_phone_needs_no_scrolling_to_the_side(page: Path, open_page: Open) -> None:
    browser = open_page(page, PHONE)
    assert browser.execute_script("return document.documentElement.scrollWidth") == PHONE[0]
