"""Reports as files: from the command line, as Markdown, with pictures, of other tasks, and without rows."""

import re
import struct
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from selfknow.evaluate.catalogue import task_reports
from selfknow.evaluate.connection import connect, find_query, queries
from selfknow.evaluate.tasks.diary_recall.figures import FIGURES
from selfknow.portraits import Portrait
from selfknow.report.gather import gather
from selfknow.report.headline import headline
from selfknow.report.text import cell, percent
from selfknow.runs.importers.inspect_ai import read_inspect
from selfknow.runs.importers.run import write_imported
from tests.conftest import Run
from tests.sql.given import ModelAnswers, diary, entry, question, text, write_run

LOGS = Path(__file__).parent.parent / "sql" / "logs"
QUESTIONS = [question("Ann", 1, 2), question("Ben", 3), question("Cat", 1)]
ANSWERS = {
    "Ann": text(*diary("Ann", 1, 2)),
    "Ben": f"Hm\n{text(entry('Ben', 1, 2), entry('Ben', 2, 1), entry('Ben', 1, 2), entry('Zed', 1, 1))}",
    "Cat": "",
}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", QUESTIONS, ModelAnswers(answers=ANSWERS))


def test_every_question_but_those_about_rows_is_in_the_report() -> None:
    about_diaries = {name for name, query in queries().items() if query.task == "diary-recall"}
    assert about_diaries - set(FIGURES) == {"sample_answers", "count_content_and_documents"}


def test_a_report_from_the_command_line(selfknow: Run, run: Path, tmp_path: Path) -> None:
    result = selfknow("report", run, "--figures", "figures")
    assert (result.returncode, result.stdout) == (0, "report.html\n")
    assert result.stderr == "", "a log gets no bar of a few seconds"
    page = (tmp_path / "report.html").read_text()
    assert "It recalls 33% of diaries whole, and the right number of entries for 33%" in page
    pictures = sorted(path.name for path in (tmp_path / "figures").iterdir())
    assert {"accuracy_by_size.png", "accuracy_by_size.svg", "recalled_documents.png"} <= set(pictures)
    for path in (tmp_path / "figures").glob("*.png"):
        assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
        width, height = struct.unpack(">II", path.read_bytes()[16:24])
        assert width > 1_000
        assert height > 150
    for path in (tmp_path / "figures").glob("*.svg"):
        assert ElementTree.parse(path).getroot().tag.endswith("svg")


def test_a_report_as_markdown_names_its_pictures(selfknow: Run, run: Path, tmp_path: Path) -> None:
    result = selfknow("report", run, "--out", "docs/results.md", "--title", "Results <1>", "--quiet")
    assert (result.returncode, result.stderr) == (0, "")
    page = (tmp_path / "docs" / "results.md").read_text()
    assert page.startswith(
        "# Results &lt;1&gt;\n\n**What OPT 125M knows about what it knows**\n\n## Does it know how much it knows?\n\n"
        "- **No sign of it** (OPT 125M). It recalls 33% of diaries whole"
    )
    assert "![Does it recall too many documents or too few?](results_figures/over_and_under_recall.svg)" in page
    assert "| right | 3 | 3 | 3 | 1 | 33.3% |" in page
    assert (tmp_path / "docs" / "results_figures" / "over_and_under_recall.svg").is_file()
    assert "<summary>OPT 125M</summary>" in page
    assert (
        "Ben&#x27;s Diary Entry 1<br>Location: City<br>Time: Evening<br><ins>Ben&#x27;s Diary Entry 2<br></ins>" in page
    )
    assert find_query("accuracy_by_size").sql.rstrip() in page


def test_mistakes_are_one_line(selfknow: Run, run: Path, tmp_path: Path) -> None:
    for arguments, message in (
        ([], "name at least one run folder"),
        (["nowhere"], "there is no run.json in it"),
        (["run", "--out", "."], "is a folder: name a file"),
        (["run", "--corpus", "run"], "holds none of the corpora"),
    ):
        result = selfknow("report", *arguments)
        assert result.returncode == 2
        assert message in result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_an_unscored_run_says_so_and_is_a_report_still(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", QUESTIONS, ModelAnswers(answers=ANSWERS), score=False)
    with connect(run) as connection:
        report = gather(connection, task_reports())
    assert report.answered == []
    assert headline(report).title == "Nothing has been scored yet."
    assert all(section.missing and "selfknow score" in section.missing for section in report.sections)
    assert report.calls[0]["replies"] == 3


def test_a_report_of_another_task_has_its_metric_for_a_headline(tmp_path: Path) -> None:
    write_imported(read_inspect(LOGS / "inspect.json"), tmp_path / "run")
    with connect(tmp_path / "run") as connection:
        report = gather(connection, task_reports())
    assert [section.query.name for section in report.answered] == ["metrics"]
    assert headline(report).title == "mockllm: exact 25%"


def test_runs_that_are_not_finished_are_named(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", QUESTIONS, ModelAnswers(answers={"Ann": ANSWERS["Ann"]}))
    with connect(run) as connection:
        assert gather(connection, task_reports()).incomplete[0].startswith("OPT 125M answered 1 of 3 examples of run")


def test_answers_are_marked_line_by_line_and_quote_by_quote(run: Path) -> None:
    portrait = Portrait.build(["Location: City\nTime"], width=19)
    with connect(run, portraits={"diaries": portrait}) as connection:
        [exhibit] = gather(connection, task_reports()).exhibits["diary-recall"]
    [group] = exhibit.groups
    [answer] = [example for example in group.examples if example.heading == "Ben"]
    pieces = [(piece.text, piece.kind, piece.quoted) for piece in answer.replies[0].pieces]
    assert pieces == [
        ("Hm\n", "wrong", False),
        ("Ben's Diary Entry 1\n", "right", False),
        ("Location: City\n", "right", True),
        ("Time", "right", True),
        (": Evening\n", "right", False),
        ("Ben's Diary Entry 2\n", "beyond", False),
        ("Location: City\n", "beyond", False),
        ("Ben's Diary Entry 1\n", "repeated", False),
        ("Location: City\n", "repeated", True),
        ("Time", "repeated", True),
        (": Evening\n", "repeated", False),
        ("Zed's Diary Entry 1\n", "foreign", False),
        ("Location: City", "foreign", False),
    ]
    assert "".join(text for text, _, _ in pieces) == ANSWERS["Ben"]


def test_quotes_of_a_portrait_are_marked_in_the_page(selfknow: Run, run: Path, tmp_path: Path) -> None:
    Portrait.build([text(*diary("Ann", 1, 2))], width=10).save(tmp_path / "portrait")
    assert selfknow("report", run, "--portrait", "diaries=portrait", "--quiet").returncode == 0
    page = (tmp_path / "report.html").read_text()
    assert "<mark>quoted from diaries</mark>" in page
    assert re.search(r"<mark[^>]*>.{0,40}Ann&#39;s Diary Entry 1", page, flags=re.DOTALL)
    assert not re.search(r"<mark[^>]*>[^<]*Zed&#39;s", page)
    assert selfknow("report", run, "--quiet").returncode == 0
    assert "<mark" not in (tmp_path / "report.html").read_text()


def test_numbers_are_written_for_people() -> None:
    assert [percent(value) for value in (None, 0.0, 1.0, 0.125, 0.00001, -0.5)] == [
        "\N{EN DASH}",
        "0%",
        "100%",
        "12.5%",
        "<0.1%",
        "−50.0%",
    ]
    assert [
        cell(1234, "n"),
        cell(0.5, "mean_off"),
        cell(0.5, "accuracy_low", ["accuracy"]),
        cell(True),
        cell("a\n\0 b"),
        cell(7, "cohort"),
    ] == [
        "1,234",
        "0.5",
        "50.0%",
        "yes",
        "a ␀ b",
        "7",
    ]
    assert len(cell("x" * 1_000)) == 200
