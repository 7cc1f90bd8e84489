"""The page of all four tasks: its numbers, for any combination of tasks and models."""

import json
import re
import shutil
from collections.abc import Sequence
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest
from altair.utils.schemapi import SchemaValidationError

from selfknow.evaluate.catalogue import task_reports
from selfknow.evaluate.connection import connect, find_query
from selfknow.evaluate.dataset import open_dataset
from selfknow.evaluate.run import ask
from selfknow.evaluate.tasks.according_to.prompts import PROMPTS
from selfknow.evaluate.tasks.according_to.report import FIGURES as QUOTING
from selfknow.evaluate.tasks.diary_recall.figures import FIGURES
from selfknow.evaluate.tasks.self_aware.questions import read_questions
from selfknow.portraits import Portrait
from selfknow.report.gather import Report, gather
from selfknow.report.headline import headline
from selfknow.report.html import render
from selfknow.report.labels import read_labels
from selfknow.report.markdown import render as render_markdown
from selfknow.report.pictures import specification
from selfknow.report.shape import ExampleGroup, Number, Panel, Verdict
from selfknow.report.write import write_html, write_markdown
from selfknow.sql.queries import query_rows
from tests.conftest import Run
from tests.report.four_runs import OWN_WORDS, SENTENCE, four_runs, odd_run, quoting_run, self_knowledge_run
from tests.self_knowledge.scripted import Scripted
from tests.sql.according_to_runs import write_run as write_quip_run

TASKS = {
    "diary-recall": "Does it know how much it knows?",
    "self-aware": "Does it know what it does not know?",
    "self-knowledge": "Does it understand what it creates?",
    "according-to": "Does it quote?",
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return four_runs(tmp_path_factory.mktemp("four"))


@cache
def reported(*runs: Path, **portraits: Portrait) -> Report:
    with connect(list(runs), portraits=portraits) as connection:
        return gather(connection, task_reports())


def panels(report: Report) -> dict[str, Sequence[Panel]]:
    return {section.query.name: section.panels for section in report.answered}


def numbers(report: Report) -> dict[tuple[str, str], list[Number]]:
    measures = [(topic.task, measure) for topic in headline(report).topics for measure in topic.measures]
    return {(task, measure.name): list(measure.numbers) for task, measure in measures}


def test_every_task_has_its_numbers_with_interval_chance_and_query(runs: list[Path]) -> None:
    report = reported(*runs)
    numbers_of = numbers(report)
    assert [topic.task for topic in headline(report).topics] == list(TASKS)
    expected: dict[tuple[str, str], tuple[float, int, int, float | None]] = {
        ("diary-recall", "Whole diaries exactly right (the paper's number)"): (0.5, 2, 2, 0.5),
        ("self-aware", "The difference"): (2 / 3 - 1 / 5, 8, 9, 0.0),
        ("self-aware", "F1 of abstaining (the paper's number)"): (2 / 3, 8, 9, 6 / 11),
        ("self-aware", "Abstains from questions that have an answer"): (1 / 5, 5, 5, None),
        ("self-knowledge", "Agrees with what it wrote"): (1.0, 4, 4, None),
        ("according-to", "QUIP under the null prompt"): (0.0, 4, 4, None),
    }
    for key, (value, n_graded, n, chance) in expected.items():
        [number] = numbers_of[key]
        assert (number.value, number.n_graded, number.n) == (pytest.approx(value), n_graded, n), key
        assert number.chance == (None if chance is None else pytest.approx(chance)), key
        assert number.low is not None
        assert number.high is not None
        assert number.low <= value <= number.high
    [change] = numbers_of["according-to", "Quotes more under grounding prompts"]
    [grounded] = numbers_of["according-to", "QUIP under the grounding prompts"]
    assert change.value == grounded.value, "nothing is quoted under the null prompt"
    for topic in headline(report).topics:
        for measure in topic.measures:
            assert measure.query == find_query(measure.query.name)


def test_each_question_has_a_verdict_and_a_sentence(runs: list[Path], tmp_path: Path) -> None:
    first = headline(reported(*runs))
    assert first.title == "What quoter knows about what it knows"
    assert [(topic.verdict and topic.verdict.text, topic.findings[0].sentence) for topic in first.topics] == [
        (
            "No sign of it",
            ("It recalls 50% of diaries whole, and the right number of entries for 50%."),
        ),
        (
            "Not shown",
            (
                "It abstains from 67% of the questions that nobody can answer, and from 20% of the others: the "
                "difference is not significant."
            ),
        ),
        (
            "Yes, mostly",
            (
                "It writes 100% of its texts as asked, reads 100% of its texts rightly and agrees with itself about "
                "100%. All three at once: 100%."
            ),
        ),
        (
            "Not shown",
            (
                "Asked to quote, it writes 30% in the words of Wikipedia. Not asked, it writes 0% in them: the "
                "difference is not significant."
            ),
        ),
    ], "an interval that holds 0 shows nothing"
    [change] = numbers(reported(*runs))["according-to", "Quotes more under grounding prompts"]
    assert change.low == 0
    other = quoting_run(tmp_path / "other", "another", "")
    report = reported(*runs, other)
    assert headline(report).title == "What 2 models know about what they know"
    labels = [number.label for number in numbers(report)["according-to", "QUIP under the null prompt"]]
    assert labels == ["another", "quoter"]


@pytest.mark.parametrize(
    "chosen", [(0,), (3,), (1, 2, 3), *(pytest.param(tasks, marks=pytest.mark.full) for tasks in ((1,), (2,), (0, 3)))]
)
def test_any_of_the_tasks_make_a_report_of_their_own(runs: list[Path], chosen: tuple[int, ...]) -> None:
    tasks = [list(TASKS)[place] for place in chosen]
    report = reported(*(runs[place] for place in chosen))
    assert {section.query.task for section in report.sections} == {*tasks, None}
    topics = [topic.task for topic in headline(report).topics]
    assert topics == tasks
    assert headline(report).title == "What quoter knows about what it knows"


def test_no_row_of_another_task_comes_into_a_chart_about_diaries(runs: list[Path]) -> None:
    alone = {section.query.name: section.rows for section in reported(runs[0]).sections}
    together = {section.query.name: section.rows for section in reported(*runs).sections}
    assert len(FIGURES) > 10
    for name in FIGURES:
        first, second = ([{**row, "cohort": 0} for row in rows] for rows in (alone[name], together[name]))
        assert first == second, name


def test_a_task_that_is_not_scored_leaves_the_others_alone(runs: list[Path], tmp_path: Path) -> None:
    unscored = tmp_path / "unscored"
    shutil.copytree(runs[1], unscored, ignore=shutil.ignore_patterns("scores", "parsed"))
    report = reported(runs[0], unscored)
    assert [topic.task for topic in headline(report).topics] == ["diary-recall"]
    lacking = [section for section in report.sections if section.missing and "selfknow score" in section.missing]
    assert {section.query.task for section in lacking} == {"self-aware", None}


def test_tasks_that_no_report_knows_stand_in_it_with_their_metrics(runs: list[Path], tmp_path: Path) -> None:
    image = odd_run(tmp_path / "image", "image-making", "images/0a1b.png")
    others = [image, odd_run(tmp_path / "gsm8k", "gsm8k", "#### 17")]
    for chosen in ([runs[1], *others], others):
        with connect(chosen) as connection:
            report = write_html(
                connection, task_reports(), tmp_path / "report.html", title="All", figures=None, progress=False
            )
        assert "image-making" in (tmp_path / "report.html").read_text()
        assert {row["task"] for row in report.overview} >= {"image-making"}
    assert headline(reported(image)).title == "quoter: exact match 100%"


def test_two_models_that_read_each_other_stand_side_by_side(tmp_path: Path) -> None:
    models = [Scripted(name="good"), Scripted(name="bad", writes_wrong=True, says="asked")]
    numbers_of = numbers(reported(self_knowledge_run(tmp_path / "run", models)))
    read = {number.label: number.value for number in numbers_of["self-knowledge", "Reads what it wrote correctly"]}
    assert read == {"good": 1.0, "good · asked bad": 1.0, "bad": 0.0, "bad · asked good": 1.0}


@pytest.mark.parametrize(
    ("revisions", "labels"),
    [
        (("0a" * 20, "0a" * 20), {"tiny"}),
        (("0a" * 20, "0b" * 20), {"here/tiny/model", "/far/away/tiny/model"}),
        (("main", "main"), {"here/tiny/model", "/far/away/tiny/model"}),
    ],
)
def test_the_same_weights_under_two_paths_are_one_model(
    tmp_path: Path, revisions: tuple[str, str], labels: set[str]
) -> None:
    runs = [
        quoting_run(tmp_path / str(number) / "run", model, revision=revision)
        for number, (model, revision) in enumerate(
            zip(("here/tiny/model", "/far/away/tiny/model"), revisions, strict=True)
        )
    ]
    with connect(runs) as connection:
        assert set(read_labels(connection).models.values()) == labels


def test_sizes_tuning_and_popularity_have_charts(tmp_path: Path) -> None:
    runs = []
    for name, size, base in (("small", 10**8, None), ("large", 10**9, None), ("tuned", 10**9, "large")):
        facts = {"label": name, "num_parameters": size} | ({"instruction_tuned_from": base} if base else {})
        quip = {"null": [0.1, 0.2, 0.3], "attributed": [0.4, 0.4, size / 2e9]}
        runs.append(write_quip_run(tmp_path / name, {"quip": quip}, model=name, facts=facts, counts=[0, 5, 50]))
    report = reported(*runs)
    drawn = panels(report)
    sizes = json.dumps([panel.chart.to_dict() for panel in drawn["according_to_by_size"]])
    assert sizes.index('"small"') < sizes.index('"large"')
    assert len(drawn["according_to_by_tuning"]) == 1
    assert [panel.title for panel in drawn["according_to_popularity"]] == ["large", "small", "tuned"]
    titles = [panel.title for panel in drawn["according_to_changes"]]
    assert len(titles) == 3
    assert all(title.endswith("QUIP") for title in titles)


def test_all_twelve_prompts_have_a_chart_of_popularity_and_each_kind_its_colour(tmp_path: Path) -> None:
    quip = {prompt: [0.1 * place / 12, 0.2, 0.3] for place, prompt in enumerate(PROMPTS)}
    run = write_quip_run(tmp_path / "run", {"quip": quip}, facts={"num_parameters": 7}, counts=[0, 5, 5000])
    drawn = panels(reported(run))
    [popularity] = drawn["according_to_popularity"]
    [points] = [layer for layer in popularity.chart.to_dict()["layer"] if layer["mark"]["type"] == "point"]
    assert (points["encoding"]["color"]["field"], points["encoding"]["detail"]["field"]) == ("kind", "label")
    with connect(run) as connection:
        sizes = query_rows(connection, "according_to_by_size")
    by_size = QUOTING["according_to_by_size"].named["figure-2"](sizes)
    assert len(by_size) == 11, "a chart for each prompt but the null prompt"
    for name in ("according_to_table", "according_to_changes"):
        [panel] = drawn[name]
        layers = panel.chart.to_dict()["layer"]
        domains = [layer["encoding"]["color"]["scale"]["domain"] for layer in layers if "color" in layer["encoding"]]
        assert domains == [["null", "grounding", "anti-grounding"]] * 2, name


def test_every_chart_is_as_the_schema_of_vega_lite_has_it(runs: list[Path]) -> None:
    drawn = [panel for of_query in panels(reported(*runs)).values() for panel in of_query]
    assert len(drawn) > 15
    for panel in drawn:
        checked = panel.chart.to_dict()
        checked.pop("config", None)
        assert specification(panel) == checked
    drawn[0].chart["mark"] = "scribble"
    with pytest.raises(SchemaValidationError):
        drawn[0].chart.to_dict()


def test_every_link_of_a_page_leads_somewhere_and_names_keep_their_capitals(runs: list[Path]) -> None:
    for number, chosen in enumerate((runs[3:], runs)):
        page = render(reported(*chosen), "T")
        links = set(re.findall(r'href="#([^"]+)"', page))
        assert len(links) > 4 + number
        assert links - set(re.findall(r' id="([^"]+)"', page)) == set()
        assert "Wilson's for exact_match" in unescape(page)


def replies(report: Report) -> Sequence[ExampleGroup]:
    [exhibit] = report.exhibits["according-to"]
    return exhibit.groups


def pieces(group: ExampleGroup, question: str) -> list[list[tuple[str, bool]]]:
    example = next(example for example in group.examples if question in example.heading)
    return [[(piece.text, piece.quoted) for piece in reply.pieces] for reply in example.replies]


def test_quotes_are_marked_in_the_explanation_alone(runs: list[Path]) -> None:
    attributed, without = replies(reported(*runs))
    assert (attributed.label, attributed.notes, attributed.lacking) == (
        "attributed",
        ["grounding", "quoter", "quotes from portrait"],
        None,
    )
    assert pieces(attributed, "salt") == [[(f"salt; {OWN_WORDS}", False)], [("salt; ", False), (SENTENCE, True)]]
    sea = pieces(attributed, "sea")[1]
    assert sea == [("sea; ", False), (SENTENCE[:40], True), (f" {OWN_WORDS}", False)]
    assert without.notes[0] == "anti-grounding"
    assert ["salt" in attributed.examples[0].heading, "sea" in attributed.examples[1].heading] == [True, True]
    sun = next(example for example in attributed.examples if "sun" in example.heading)
    assert [reply.verdict for reply in sun.replies] == [Verdict("wrong", False), Verdict("right", True)]


def test_a_portrait_that_was_moved_is_found_by_its_bits_and_another_one_is_not_taken(tmp_path: Path) -> None:
    *_, run = four_runs(tmp_path, marked=False)
    other = Portrait.build([OWN_WORDS])
    [group, _] = replies(reported(run, other=other))
    assert pieces(group, "salt")[1] == [(f"salt; {SENTENCE}", False)]
    assert not any("quotes from" in note for note in group.notes)
    assert "with --portrait NAME=FOLDER" in str(group.lacking)
    moved = Portrait.load(tmp_path / "elsewhere")
    [group, _] = replies(reported(run, other=other, moved=moved))
    assert (group.notes[-1], group.lacking) == ("quotes from moved", None)
    assert pieces(group, "salt")[1] == [("salt; ", False), (SENTENCE, True)]


def test_the_report_as_markdown_holds_all_of_it(runs: list[Path], tmp_path: Path) -> None:
    evil = "<script>x</script> **b** [a](b) | `c`"
    run = quoting_run(tmp_path / "evil", "quoter", evil)
    page = render_markdown(reported(*runs[:3], run), "All", {}, tmp_path)
    for title in TASKS.values():
        assert f"## {title}\n" in page
    assert f"salt; <mark>{SENTENCE}</mark><br><i>QUIP 100%, right</i>" in page
    assert "<script>x" not in page
    assert "**b**" not in page
    assert "[a](b)" not in page


def test_the_report_as_markdown_has_the_pictures_of_its_task(runs: list[Path], tmp_path: Path) -> None:
    with connect(runs[1]) as connection:
        write_markdown(
            connection, task_reports(), tmp_path / "r.md", title="One", figures=tmp_path / "pictures", progress=False
        )
    page = (tmp_path / "r.md").read_text()
    for name in ("self_aware_abstention", "self_aware_f1"):
        for ending in (".svg", ".png"):
            assert (tmp_path / "pictures" / name).with_suffix(ending).stat().st_size > 1000
        assert f"pictures/{name}.svg" in page


def test_four_runs_are_one_page_from_the_command_line(selfknow: Run, runs: list[Path], tmp_path: Path) -> None:
    result: Any = selfknow("report", *runs, "--quiet")
    assert (result.returncode, result.stderr) == (0, "")
    page = (tmp_path / "report.html").read_text()
    for task, title in TASKS.items():
        assert f'id="task-{task}"' in page
        assert title in page
    for name in ("accuracy_by_size", "self_aware_f1", "self_knowledge_summary", "according_to_kinds"):
        assert f"selfknow query {name} RUN…" in page


def test_a_difference_below_zero_stays_on_its_track(tmp_path: Path) -> None:
    answerable = read_questions(open_dataset("self-aware"), limit=8).filter(pc.field("answerable"))["question"]

    def abstains_where_there_is_an_answer(prompt: str) -> str:
        return "I do not know." if any(question in prompt for question in answerable.to_pylist()) else "It is Paris."

    run = ask("self-aware", abstains_where_there_is_an_answer, out=tmp_path / "run", limit=8, quiet=True)
    run.score()
    with connect(run.folder) as connection:
        report = write_html(
            connection, task_reports(), tmp_path / "page.html", title="Below zero", figures=None, progress=False
        )
    [difference] = numbers(report)["self-aware", "The difference"]
    assert difference.value == -1
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    marks = r'class="(dot|interval|notch)" style="left:([-\d.]+)%'
    places = [(mark, float(left)) for mark, left in re.findall(marks, page)]
    assert ("dot", 0.0) in places
    assert all(0 <= left <= 100 for _, left in places)
