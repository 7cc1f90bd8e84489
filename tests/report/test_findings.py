"""The first screen of a report: one verdict and one sentence a question, and every share beside its counts."""

import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from pathlib import Path

import pytest

from selfknow.evaluate.catalogue import task_reports
from selfknow.evaluate.connection import connect
from selfknow.evaluate.tasks.self_aware.report import headline as aware_headline
from selfknow.models.facts import ModelFacts
from selfknow.report.gather import Report, gather
from selfknow.report.headline import headline
from selfknow.report.html import render
from selfknow.report.numbers import against_chance, against_half, axis_end
from selfknow.report.paths import short_names, without_folders
from selfknow.report.shape import Number
from selfknow.report.text import percent
from tests.model_replies.linked import RUNS
from tests.report.four_runs import four_runs, quoting_run
from tests.self_aware import given as aware

SMOL = RUNS / "SmolLM2-135M-Instruct"
SHARE = re.compile(
    r'<span class="value">([^<]*)</span>(?:(?!class="value").)*?<span class="detail">([\d,]+) of ([\d,]+)', re.DOTALL
)


@cache
def reported(*runs: Path) -> Report:
    with connect(list(runs)) as connection:
        return gather(connection, task_reports())


@pytest.fixture(scope="module")
def real() -> Report:
    """Return the report of packaged replies of a real model, and of two small ones that were trained on diaries."""
    diaries = [RUNS / "opt-7m-diaries" / f"diary-recall-256-{setup}-seed-0" for setup in ("simplified", "standard")]
    return reported(SMOL / "self-aware-direct", SMOL / "self-knowledge-total-count-separate", *diaries)


def shown_numbers(report: Report) -> Iterator[Number]:
    for topic in headline(report).topics:
        for finding in topic.findings:
            yield from finding.numbers
        for measure in topic.measures:
            yield from measure.numbers


def test_every_shown_share_is_its_counts(real: Report) -> None:
    shares = [number for number in shown_numbers(real) if number.yes is not None and number.value is not None]
    assert len(shares) >= 20
    for number in shares:
        assert number.of
        assert number.value == pytest.approx(number.yes / number.of), number
        assert number.low <= number.value <= number.high, number
    page = unescape(render(real, "Real"))
    beside = SHARE.findall(page)
    assert len(beside) >= len(shares)
    for share, yes, of in beside:
        assert share == percent(int(yes.replace(",", "")) / int(of.replace(",", ""))), (share, yes, of)


def test_a_question_has_one_verdict_and_its_sentence_holds_the_numbers(real: Report) -> None:
    topics = {topic.task: topic for topic in headline(real).topics}
    aware_topic = topics["self-aware"]
    assert aware_topic.verdict is not None
    assert aware_topic.verdict.text == "Not shown"
    [finding] = aware_topic.findings
    assert finding.sentence == (
        "It abstains from 1% of the questions that nobody can answer, and from 1% of the others: the difference is not "
        "significant."
    )
    assert finding.detail == "The difference: +0.1 points; 95%: −2.3 to +3.0."
    assert [(number.label, number.counts) for number in finding.numbers] == [
        ("nobody can answer", "1 of 92"),
        ("have an answer", "2 of 208"),
    ]


def test_f1_is_no_verdict(tmp_path: Path) -> None:
    report = reported(aware.write(tmp_path / "run", aware.GIVEN))
    first = aware_headline(report)
    assert first is not None
    assert not any("F1" in finding.sentence for finding in first.findings)
    assert first.measures[-1].name == "F1 of abstaining (the paper's number)"
    page = render(report, "F1")
    assert not re.search(r"(below|above) always abstaining", page)
    assert "beat chance" not in page


@pytest.mark.parametrize(
    ("ends", "verdict"),
    [((0.6, 0.9), "Yes, mostly"), ((0.1, 0.4), "Mostly not"), ((0.4, 0.6), "About half the time")],
)
def test_a_share_is_compared_with_one_half(ends: tuple[float, float], verdict: str) -> None:
    assert against_half(Number("a", sum(ends) / 2, *ends, 50, 50)).text == verdict


def test_a_share_that_beats_chance_is_no_yes_before_it_is_most() -> None:
    assert against_chance(Number("a", 0.4, 0.35, 0.45, 500, 500, chance=0.33)).text == "In part"
    assert against_chance(Number("a", 0.4, 0.32, 0.45, 500, 500, chance=0.33)).text == "No sign of it"
    assert against_chance(Number("a", 0.9, 0.8, 0.95, 500, 500, chance=0.33)).text == "Yes, mostly"
    assert against_chance(Number("a", 0.04, 0.02, 0.06, 64, 64, chance=0.001)).text == "A little"
    assert against_chance(Number("a", 0.15, 0.12, 0.21, 64, 64, chance=0.001)).text == "In part"


def test_few_replies_have_no_verdict() -> None:
    assert against_half(Number("a", 1.0, None, None, 1, 1)).text == "Too few to say"
    assert against_half(Number("a", 0.5, 0.1, 0.9, 2, 2)).text == "Too few to say"


def test_small_shares_are_drawn_on_a_small_scale_and_others_on_a_whole_one() -> None:
    assert axis_end([Number("a", 0.002, 0.001, 0.004, 60, 60, chance=0.0)]) == 0.005
    assert axis_end([Number("a", 0.002, 0.001, 0.3, 60, 60)]) == 1


def test_the_page_names_no_folder_of_this_machine(tmp_path: Path) -> None:
    runs = four_runs(tmp_path / "secret", "/srv/secret/models/opt")
    page = unescape(render(reported(*runs), "Shared"))
    assert "secret" not in page
    assert "What opt knows about what it knows" in page


def test_folders_are_taken_out_and_nothing_else() -> None:
    for text, shown in (
        ("/data/ann/opt", "opt"),
        ("~/models/opt/", "opt/"),
        (r"C:\Users\ann\opt", "opt"),
        ("file:///data/ann/x.parquet", "x.parquet"),
        ('{"portrait": "/data/portraits/1k", "k": 1}', '{"portrait": "1k", "k": 1}'),
        ("org/name", "org/name"),
        ("hf://datasets/org/name/run", "hf://datasets/org/name/run"),
        ("https://example.org/a/b?c=/d", "https://example.org/a/b?c=/d"),
        ("1/2 and 3/4", "1/2 and 3/4"),
    ):
        assert without_folders(text) == shown, text
    assert short_names(["/a/x/model", "/b/y/model"]) == {"/a/x/model": "x/model", "/b/y/model": "y/model"}


def test_runs_of_a_task_are_told_apart_by_their_settings(tmp_path: Path) -> None:
    runs = [
        aware.write(tmp_path / form, aware.GIVEN, form=form, settings={"form": form, "samples": 1})
        for form in ("direct", "icl")
    ]
    report = reported(*runs)
    assert [row["questions"] for row in report.calls] == ["self-aware: direct", "self-aware: icl"]
    assert [row["questions"] for row in reported(runs[0]).calls] == ["self-aware"]


def test_larger_models_are_not_asked_about_where_there_is_one_size(tmp_path: Path) -> None:
    sizes = [
        aware.write(tmp_path / name, aware.GIVEN, name, facts=ModelFacts(num_parameters=number))
        for name, number in (("small", 135_000_000), ("large", 1_300_000_000))
    ]
    names = [{section.query.name for section in reported(*runs).answered} for runs in (sizes[:1], sizes)]
    assert ["self_aware_by_size" in of_runs for of_runs in names] == [False, True]
    [section] = [section for section in reported(sizes[0]).sections if section.query.name == "self_aware_by_size"]
    assert section.missing == "there is nothing to compare: num_parameters is the same in all rows"


def test_replies_about_what_is_not_known_stand_with_their_verdicts(tmp_path: Path) -> None:
    report = reported(aware.write(tmp_path / "run", aware.GIVEN))
    [exhibit] = report.exhibits["self-aware"]
    [group] = exhibit.groups
    verdicts = {example.verdict.text: example.verdict.is_good for example in group.examples if example.verdict}
    assert verdicts == {
        "abstains rightly": True,
        "answers what nobody can answer": False,
        "answers rightly": True,
        "answers wrongly": False,
        "abstains, though there is an answer": False,
        "the request failed": None,
    }
    assert len(group.examples) == len(aware.GIVEN)
    assert sorted(exhibit.verdicts) == sorted(verdicts)


def test_the_sentence_that_a_reading_rests_on_is_marked(real: Report) -> None:
    examples = [example for group in real.exhibits["self-aware"][0].groups for example in group.examples]
    abstaining = [example for example in examples if example.verdict and example.verdict.text.startswith("abstains")]
    assert len(abstaining) == 3, "all of them: there are fewer than six of each verdict"
    marked = ["".join(piece.text for piece in example.replies[0].pieces if piece.quoted) for example in abstaining]
    assert all(marked)
    assert all(example.prompt and example.heading in example.prompt for example in examples)


def test_a_text_stands_beside_what_its_writer_said_about_it(real: Report) -> None:
    [group] = real.exhibits["self-knowledge"][0].groups
    for example in group.examples:
        assert [reply.heading for reply in example.replies] == ["What it wrote", "What it said about it"]
        assert example.verdict
        assert example.verdict.text in (
            *("agrees", "agrees, but the text is another", "disagrees", "could not be read"),
        )


def test_setups_are_explained_where_they_stand(real: Report) -> None:
    page = unescape(render(real, "Setups"))
    for section in ("numbers-diary-recall", "setup_gap", "wrong_answers"):
        text = page[page.index(f'id="{section}"') :].partition("</section>")[0]
        assert "each diary entry was a document of its own" in text, section
    [topic] = [topic for topic in headline(real).topics if topic.task == "diary-recall"]
    assert [note.text for note in topic.notes] == ["The effect of one document per diarist on diaries recalled whole:"]
    assert [finding.numbers[1].chance for finding in topic.findings] == [pytest.approx(1 / 3)] * 2


def test_a_section_without_charts_shows_its_table_at_once(tmp_path: Path) -> None:
    page = render(reported(quoting_run(tmp_path / "run", "quoter")), "Table")
    section = page[page.index('<section id="metrics"') :].partition("</section>")[0]
    assert '<details class="fold" open>' in section
