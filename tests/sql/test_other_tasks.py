"""Runs of several tasks stand in one connection and in one report, and each task's own queries are run by name."""

from pathlib import Path

import pytest

from selfknow.errors import UserError
from selfknow.evaluate.catalogue import task_reports
from selfknow.evaluate.connection import connect, find_query, queries
from selfknow.evaluate.score import score_run
from selfknow.report.headline import headline
from selfknow.report.write import write_html
from selfknow.runs.importers.inspect_ai import read_inspect
from selfknow.runs.importers.run import write_imported
from selfknow.sql.connection import Connection
from selfknow.sql.queries import query_rows
from tests.self_knowledge.asking import ask_texts
from tests.self_knowledge.scripted import Scripted
from tests.sql.given import ModelAnswers, diary, question, text, write_run

LOGS = Path(__file__).parent / "logs"
QUESTIONS = [question("Ann", 1, 2), question("Ben", 3)]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return a diary run, two self-knowledge runs (counted rightly and wrongly), and an imported run."""
    folder = tmp_path_factory.mktemp("tasks")
    diaries = write_run(
        folder / "diaries", QUESTIONS, ModelAnswers(answers={"Ann": text(*diary("Ann", 1, 2)), "Ben": "no"})
    )
    good, bad = Scripted(name="good"), Scripted(name="bad", writes_wrong=True, says="asked")
    ask_texts(folder / "counts", "total-count", [good, bad], [good, bad], limit=4)
    score_run(folder / "counts")
    write_imported(read_inspect(LOGS / "inspect.json"), folder / "imported")
    return [diaries, folder / "counts", folder / "imported"]


def asked(connection: Connection, name: str, *columns: str) -> list[tuple[object, ...]]:
    return [tuple(row[column] for column in columns) for row in query_rows(connection, name)]


def test_a_tasks_queries_are_about_the_runs_of_that_task(runs: list[Path]) -> None:
    columns = ("generator", "verifier", "n", "written", "read", "consistent")
    with connect(runs) as connection:
        matrix = asked(connection, "self_knowledge/self_knowledge_matrix", *columns)
        assert asked(connection, "self_knowledge_matrix", *columns) == matrix
        assert asked(connection, "accuracy_by_size", "n", "accuracy") == [(2, 0.5)]
    assert matrix == [
        ("bad", "bad", 4, 0.0, 0.0, 1.0),
        ("bad", "good", 4, 0.0, 1.0, 0.0),
        ("good", "bad", 4, 1.0, 1.0, 1.0),
        ("good", "good", 4, 1.0, 1.0, 1.0),
    ]


def test_every_query_about_self_knowledge_has_rows_of_a_real_run(runs: list[Path]) -> None:
    names = [name for name, query in queries().items() if query.task == "self-knowledge"]
    with connect(runs[1]) as connection:
        answered = {name for name in names if query_rows(connection, name)}
    # no attention was scored, every reply could be read, no benchmark was asked, nobody was tuned, no text has a twin
    without = {f"self_knowledge_{name}" for name in ("attention", "unparsed", "benchmark", "tuning", "detection")}
    assert answered == set(names) - without


def test_a_query_is_known_with_and_without_its_folder_but_not_in_another() -> None:
    assert find_query("self_knowledge_styles") == find_query("self_knowledge/self_knowledge_styles")
    with pytest.raises(UserError, match=r"did you mean .self_knowledge_styles"):
        find_query("elsewhere/self_knowledge_styles")


def test_a_report_of_several_tasks_holds_them_all(runs: list[Path], tmp_path: Path) -> None:
    with connect(runs) as connection:
        report = write_html(
            connection, task_reports(), tmp_path / "report.html", title="All", figures=None, progress=False
        )
    assert {row["task"] for row in report.overview} >= {"diary-recall", "self-knowledge"}
    assert "metrics" in [section.query.name for section in report.answered]
    rows = headline(report)
    assert rows.title == "What 3 models know about what they know"
    firsts = {topic.task: topic.measures[0].numbers for topic in rows.topics}
    [own] = [topic.measures for topic in rows.topics if topic.task == "self-knowledge"]
    [agreements] = [measure.numbers for measure in own if measure.name == "Agrees with what it wrote"]
    assert [(row.label, row.value, row.n) for row in firsts["diary-recall"]] == [("OPT 125M", 0.5, 2)]
    matrix = [("bad", 1.0), ("bad · asked good", 0.0), ("good · asked bad", 1.0), ("good", 1.0)]
    assert [(row.label, row.value) for row in agreements] == matrix
    assert set(firsts) == {"diary-recall", "self-knowledge"}
    page = (tmp_path / "report.html").read_text()
    assert all(label in page for label in ("OPT 125M", "mockllm", "self_consistent"))
