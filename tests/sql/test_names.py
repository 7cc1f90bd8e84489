"""Names that hold anything: control characters, marks of direction, line ends, quotes; and numbers that are none."""

import json
from pathlib import Path

import duckdb
import pytest

from selfknow.cli.query import sql
from selfknow.evaluate.catalogue import task_reports
from selfknow.evaluate.connection import connect, find_query, queries
from selfknow.evaluate.tasks.diary_recall.figures import FIGURES
from selfknow.models.facts import ModelFacts
from selfknow.report import html, markdown
from selfknow.report.gather import Report, load_task_reports, read_section
from selfknow.report.labels import read_labels
from selfknow.report.pictures import png, svg
from selfknow.report.write import write_pictures
from selfknow.sql.literals import literal
from selfknow.untrusted import for_display, for_label, for_terminal
from tests.sql.given import ModelAnswers, diary, question, text, write_run

NAMES = (
    "plain",
    "\x1b[31mred\x1b[0m",
    "bell\x07",
    "null\x00",
    "two\nlines",
    "tab\there",
    "car\rriage",
    "turned\u202egnp.elif",
    "hidden\u2066x\u2069",
    'it\'s "quoted" `so`',
    "c1\x9b31m",
    "delete\x7f",
    "no\ufffecharacter\uffff",
    "select; -- drop",
    "<script>alert(1)</script>",
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    answers = {"Ann": text(*diary("Ann", 1)), "Ben": "wrong"}
    models = [
        ModelAnswers(model=f"org/{name}", revision=f"r{name}", answers=answers, facts=ModelFacts(label=f"{name} label"))
        for name in NAMES
    ]
    questions = [question("Ann", 1), question("Ben", 2)]
    return write_run(tmp_path_factory.mktemp("names") / "run", questions, *models)


def test_every_call_is_there_whatever_the_model_is_called(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with connect(run) as connection:
        assert connection.rows("select count(*) as n, count(distinct model) as models from calls") == [
            {"n": 2 * len(NAMES), "models": len(NAMES)}
        ]
        labels = [row["model_label"] for row in connection.rows("select model_label from models")]
    assert set(labels) == {for_label(f"{name} label") for name in NAMES}
    sql(str(run), [], init=True)
    script = capsys.readouterr().out
    assert script == for_terminal(script), "a terminal or an editor changes nothing of it"
    with duckdb.connect() as plain:
        plain.execute(script)
        assert plain.execute("select count(*), count(distinct model) from calls").fetchall() == [
            (2 * len(NAMES), len(NAMES))
        ]


def test_a_report_holds_no_character_that_a_terminal_obeys(run: Path, tmp_path: Path) -> None:
    with connect(run) as connection:
        labels, query = read_labels(connection), find_query("accuracy_by_size")
        section = read_section(connection, query, FIGURES[query.name], labels)
        overview = connection.rows(find_query("overview").sql)
        runs = connection.rows("from runs")
        tasks = load_task_reports(runs, task_reports())
        report = Report(runs, overview, labels, [section], {}, tasks, queries())
    pictures = write_pictures(report, tmp_path / "figures")
    shown = markdown.render(report, "\x1b[2Jtitle", pictures, tmp_path)
    drawn = [path.read_text(encoding="utf-8") for path in (tmp_path / "figures").glob("*.svg")]
    assert drawn
    for content in (shown, *drawn):
        assert content == for_terminal(content)
    assert "␛" in shown
    assert "31mred" in drawn[0]
    page = html.render(report, "\x1b[2Jtitle")
    assert not {"\x1b", "\u202e", "\x07", "\x9b"} & set(page)


def test_a_chart_with_any_character_is_drawn() -> None:
    values = [{"name": f"a{chr(code)}", "n": 1} for code in (*range(32), 0x7F, 0x9B, 0x202E, 0xD800, 0xFFFE, 0xFFFF)]
    chart = {
        "title": {"text": "a\x1bb", "subtitle": ["c\x00d"]},
        "data": {"values": values},
        "mark": "bar",
        "encoding": {"y": {"field": "name", "type": "nominal", "title": "e\x07f"}, "x": {"field": "n"}},
    }
    assert "a␛" in svg(chart).decode()
    assert png(chart).startswith(b"\x89PNG")


def test_numbers_that_are_none_in_a_run_are_null(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    for path in run.rglob("*"):
        if path.is_file():
            (folder / path.relative_to(run)).parent.mkdir(exist_ok=True)
            (folder / path.relative_to(run)).write_bytes(path.read_bytes())
    description = json.loads((folder / "run.json").read_text())
    wrong = {"seed": float("nan"), "examples": float("inf"), "decoding": {"temperature": float("-inf")}}
    description["models"][0] |= {"num_parameters": float("nan"), "epochs": float("inf")}
    (folder / "run.json").write_text(json.dumps(description | wrong))
    assert "NaN" in (folder / "run.json").read_text()
    with connect(folder) as connection:
        assert connection.rows("select seed, num_examples, temperature from runs") == [
            {"seed": None, "num_examples": None, "temperature": None}
        ]
        assert connection.rows("select count(*) as n from models where num_parameters is null and epochs is null") == [
            {"n": len(NAMES)}
        ]
        assert connection.rows("select count(*) as n from calls") == [{"n": 2 * len(NAMES)}]


@pytest.mark.parametrize(
    "value", [*NAMES, "", "'", "''", "\x00", "\n\n", "a\x1b'\x07", float("nan"), float("inf"), 1.5, True, None]
)
def test_a_literal_is_its_value_and_holds_nothing_that_a_terminal_obeys(value: object) -> None:
    written = literal(value)
    assert written == for_label(written)
    with duckdb.connect() as connection:
        read = connection.execute(f"select {written}").fetchall()[0][0]
    assert repr(float(read) if isinstance(value, float) else read) == repr(value)


def test_what_is_shown_is_plain_all_the_way_down() -> None:
    value = {"a\x1b": [{"b": "\u202ec", "d": (float("nan"), 1)}], "e": None}
    assert for_display(value) == {"a␛": [{"b": "�c", "d": [None, 1]}], "e": None}
