"""The headline numbers of all tasks about a model: published numbers beside them, the plot, and the model card."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from selfknow.errors import UserError
from selfknow.evaluate.catalogue import task_reports
from selfknow.evaluate.connection import connect
from selfknow.models.facts import ModelFacts, write_facts
from selfknow.report.four_questions import Printed, card, panels, printed_numbers
from selfknow.report.gather import Report, gather
from selfknow.reproduce.four_questions import applicable_tasks, applicable_tasks_from_options, write_plan
from selfknow.reproduce.plan import read_plan
from tests.report.four_runs import four_runs


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Report]:
    with connect(four_runs(tmp_path_factory.mktemp("four"))) as connection:
        assert printed_numbers(connection) == [], "no paper asked this model, nor these questions"
        yield gather(connection, task_reports())


def test_the_plot_has_a_panel_a_question_and_changes_stand_apart(report: Report) -> None:
    drawn = panels(report, [Printed("self-aware", "f1, figure-2", 0.4234, 3369)])
    assert [panel.title for panel in drawn] == [
        "Does it know how much it knows?",
        "Does it know what it does not know?",
        "",
        "Does it understand what it creates?",
        "Does it quote?",
        "",
    ]
    aware, change = (drawn[place].chart.to_dict() for place in (1, 5))
    rows = next(iter(aware["datasets"].values()))
    assert rows[-1] == {
        "label": "f1, figure-2 (printed)",
        "share": 0.4234,
        "counts": "n = 3,369",
        "whose": "the paper's number",
        **dict.fromkeys(("low", "high", "chance")),
    }
    f1 = next(row for row in rows if row["label"].startswith("F1"))
    assert (f1["share"], f1["chance"], f1["counts"]) == (pytest.approx(2 / 3), pytest.approx(6 / 11), "n = 8")
    assert f1["low"] < f1["share"] <= f1["high"]
    [quotes] = next(iter(change["datasets"].values()))
    assert (quotes["label"], quotes["chance"]) == ("Quotes more under grounding prompts", 0.0)


def test_a_card_says_what_was_asked_how_and_what_was_not(report: Report) -> None:
    text = card(report, [Printed("self-aware", "f1, figure-2", 0.4234, 3369)], command="it", not_asked=["gsm8k: no"])
    lines = text.splitlines()
    assert lines[0] == "## What the model knows about what it knows"
    f1 = "F1 of abstaining (the paper's number) | 66.7% [0%, 100%] | 54.5% | n = 8 |"
    assert f"| Does it know what it does not know? | {f1}" in lines
    assert "| Does it know what it does not know? | f1, figure-2 (printed) | 42.3% |  | n = 3,369 |" in lines
    assert "| Does it quote? | Quotes more under grounding prompts | +29.7 points [0.0, +100.0] |  | n = 4 |" in lines
    assert any(line.startswith("- diary-recall: diary-recall:1k; decoding {") for line in lines)
    assert lines[-1] == "- Not asked: gsm8k: no"


def test_what_fits_a_model_hangs_on_what_is_known_of_it(tmp_path: Path) -> None:
    trained = tmp_path / "opt"
    trained.mkdir()
    write_facts(trained, ModelFacts(corpus={"name": "diary-recall", "config": "1k", "content_hash": "c"}))
    applicable = applicable_tasks(str(trained), portrait="org/portrait", questions="nq")
    plan = read_plan(write_plan(applicable, tmp_path))
    tasks = [task for block in plan.evaluate for task in block.settings["task"]]
    assert (tasks[:2], tasks[-1], len(tasks), applicable.not_asked) == (
        ["diary-recall:1k", "self-aware"],
        "according-to:nq",
        10,
        (),
    )
    assert plan.query == ("accuracy_by_size", "self_aware_abstention", "self_knowledge_summary", "according_to_kinds")
    served = applicable_tasks("gpt", endpoint=True)
    assert [line.partition(",")[0] for line in served.not_asked] == ["diary-recall", "according-to"]
    for models in (None, ["a,b"], ["a", "b"]):
        with pytest.raises(UserError, match="four-questions is about one model: name it with --model"):
            applicable_tasks_from_options(models, None, None, "nq")
