"""The pages of GSM8K and agents: a query with known rows, a figure, and a headline."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from selfknow.evaluate.catalogue import task_reports
from selfknow.evaluate.connection import connect
from selfknow.models.interface import GREEDY, Reply, Request
from selfknow.report.gather import Report, gather
from selfknow.report.headline import headline
from selfknow.report.html import render
from selfknow.runs.description import DatasetReference, RunDescription
from selfknow.runs.schema import SCORES, write_scores
from selfknow.runs.writer import RunWriter
from tests.sql.given import ask_runs

Call = tuple[str, Request, Mapping[str, float | None]]
"""Who is asked, what, and the scores of the reply; without scores the request failed."""


def write_run(folder: Path, task: str, calls: Sequence[Call], dataset: str = "given") -> Path:
    ids = dict.fromkeys(request.example_id for _, request, _ in calls)
    examples = pa.table({"id": list(ids), "question": ["?"] * len(ids)})
    scores: list[dict[str, object]] = []
    with RunWriter.open(folder, RunDescription(task, DatasetReference(dataset), GREEDY), examples) as run:
        for model, request, values in calls:
            is_scored = any(value is not None for value in values.values())
            reply = Reply("so", "stop") if is_scored else Reply(None, error="503")
            made = run.append(model, "1", request, reply)
            scores += [
                {"generation_id": made, "metric": metric, "value": value, "reason": None}
                for metric, value in values.items()
            ]
    write_scores(folder, task, pa.Table.from_pylist(scores, schema=SCORES))
    return folder


def solved(model: str, *values: Sequence[float | None]) -> list[Call]:
    """Return the calls of a model with these values for each question's samples."""
    return [
        (model, Request(f"q{number}", "?", sample=sample), {"correct": value})
        for number, of_question in enumerate(values)
        for sample, value in enumerate(of_question)
    ]


@pytest.fixture(scope="module")
def mathematics(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a run of four questions with two samples each: right twice, once, in the only graded sample, and never."""
    calls = solved("ann", [1.0, 1.0], [1.0, 0.0], [1.0, None], [0.0, 0.0])
    return write_run(tmp_path_factory.mktemp("gsm8k") / "run", "gsm8k", calls)


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a run of four proposals, three in the form; of these one is refused, and one has an unreadable verdict."""
    proposals = [
        ("ann", Request(f"agents-{number}", "?", "propose", "agents"), {"proposal_parsed": value})
        for number, value in enumerate((1.0, 1.0, 0.0, 1.0))
    ]
    judgements = [
        ("ben", Request("agents-0", "?", "judge", "agents"), {"accepted": 1.0}),
        ("ben", Request("agents-1", "?", "judge", "agents"), {"accepted": 0.0}),
        ("ben", Request("agents-3", "?", "judge", "agents"), {"accepted": None}),
    ]
    verified = [
        ("ann", Request("agents-0", "?", "generate", "agents"), {}),
        ("ann", Request("agents-0", "?", "verify", "agents"), {"reply_parsed": 1.0, "self_consistent": 1.0}),
    ]
    folder = tmp_path_factory.mktemp("agents") / "run"
    return write_run(folder, "self-knowledge-agents", [*proposals, *judgements, *verified])


def reported(*runs: Path) -> Report:
    with connect(list(runs)) as connection:
        return gather(connection, task_reports())


def test_several_replies_to_a_question_are_one_trial(mathematics: Path) -> None:
    columns = ("model_label", "dataset", "n", "n_graded", "n_questions", "accuracy", "low", "high")
    # (1 + 1/2 + 1 + 0) / 4, and Wilson's interval of 2.5 in 4
    expected = ("ann", "given", 8, 7, 4, 0.625, 0.2194, 0.9081)
    assert ask_runs("gsm8k_accuracy", mathematics, *columns) == [expected]


def test_a_run_that_is_scored_by_nothing_of_the_task_has_no_row(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", "gsm8k", [("ann", Request("q0", "?"), {"exact_match": 1.0})])
    assert ask_runs("gsm8k_accuracy", run) == []
    assert headline(reported(run)).title == "ann: exact match 100%"


def test_proposals_judgements_and_replies_are_counted_apart(agents: Path) -> None:
    columns = ("generator", "verifier", "measure", "n", "n_graded", "share", "low", "high")
    assert ask_runs("self_knowledge_agents", agents, *columns) == [
        ("ann", "ben", "proposal_parsed", 4, 4, 0.75, 0.3006, 0.9544),
        ("ann", "ben", "accepted", 3, 2, 0.3333, 0.0615, 0.7923),
        ("ann", "ben", "self_consistent", 1, 1, 1.0, 0.2065, 1.0),
    ]


def test_a_run_of_mathematics_has_a_page_of_its_own(mathematics: Path) -> None:
    report = reported(mathematics)
    first = headline(report)
    [topic] = first.topics
    [finding] = topic.findings
    assert (finding.model, finding.sentence) == ("ann", "It solves 62% of the grade-school problems.")
    [number] = finding.numbers
    assert (number.value, number.n_graded, number.n, number.counts) == (0.625, 7, 8, "n = 4"), "2.5 of 4 is no count"
    assert [(section.query.name, len(section.panels)) for section in report.answered] == [
        ("gsm8k_accuracy", 1),
        ("metrics", 0),
    ]
    page = render(report, "GSM8K")
    assert 'id="gsm8k_accuracy"' in page
    assert '<td class="number">62.5%</td>' in page


def test_a_run_of_agents_has_a_page_of_its_own(agents: Path) -> None:
    report = reported(agents)
    first = headline(report)
    assert first.title == "What ann knows about what it knows"
    [topic] = first.topics
    assert (topic.task, topic.title) == ("self-knowledge-agents", "Does it agree with itself on its own tasks?")
    values = {measure.name: [(number.label, number.value) for number in measure.numbers] for measure in topic.measures}
    assert values == {
        "Agrees with itself on its own tasks": [("ann · judged by ben", 1.0)],
        "Proposals that the judge accepts": [("ann · judged by ben", pytest.approx(1 / 3))],
        "Proposals that are templates": [("ann · judged by ben", 0.75)],
    }
    assert 'id="self_knowledge_agents"' in render(report, "Agents")


def test_models_and_sets_of_questions_stand_side_by_side(mathematics: Path, tmp_path: Path) -> None:
    other = write_run(tmp_path / "other", "gsm8k", solved("ben", [0.0], [1.0]), dataset="harder")
    report = reported(mathematics, other)
    first = headline(report)
    assert first.title == "What 2 models know about what they know"
    [topic] = first.topics
    assert [(finding.label, finding.numbers[0].value) for finding in topic.findings] == [
        ("ann · given", 0.625),
        ("ben · harder", 0.5),
    ]
    [section] = [section for section in report.answered if section.query.name == "gsm8k_accuracy"]
    assert [panel.title for panel in section.panels] == ["given", "harder"]
