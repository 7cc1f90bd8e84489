"""The first thing that somebody sees: what to do next, and for a mistyped name the one that was meant."""

import json
import re
import runpy
from pathlib import Path

import pytest
from typer.testing import CliRunner

from selfknow.cli.app import app
from selfknow.errors import nearest

PLANS = ["four-questions", "how-much-they-know/table-1", "what-they-dont-know/table-1", "what-they-dont-know/figure-2"]


def test_without_a_command_it_says_what_to_do_next_and_every_line_of_it_is_a_command() -> None:
    result = CliRunner().invoke(app, [])
    assert result.exit_code == 0
    commands = re.findall(r"^  selfknow (.*)$", result.output, flags=re.MULTILINE)
    commands += re.findall(r"`selfknow ([^`]*)`", result.output)
    assert len(commands) >= 8
    for command in commands:
        words = (
            command.replace("score runs/first", "score").replace("TASK", "self-aware").split()
        )  # the options of a run that is there are its own
        helped = CliRunner().invoke(app, [*words, "--help"])
        assert helped.exit_code == 0, command
        for option in re.findall(r"--[a-z-]+", command):
            assert option in helped.output, command


@pytest.mark.parametrize(
    ("name", "known", "end"),
    [
        ("1K", ["1k", "2k"], ": did you mean '1k'?"),
        ("accuracy-by-sise", ["accuracy_by_size", "accuracy_by_documents"], ": did you mean 'accuracy_by_size'?"),
        ("fourquestions", PLANS, ": did you mean 'four-questions'?"),
        ("table-1", PLANS, ": did you mean 'how-much-they-know/table-1' or 'what-they-dont-know/table-1'?"),
        ("diary", ["diary-recall", "self-aware"], ": did you mean 'diary-recall'?"),
        ("poems", ["code", "math"], ": choose from code, math"),
        ("x", [f"name-{number}" for number in range(20)], ", name-15 and 4 more"),
        ("x", [], ""),
    ],
)
def test_of_a_mistyped_name_the_nearest_is_suggested_and_else_all_there_are(
    name: str, known: list[str], end: str
) -> None:
    assert nearest(name, known).endswith(end)
    assert end or not nearest(name, known)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["data", "build", "self-knowlege", "--out", "x"],
            "no dataset 'self-knowlege': did you mean 'self-knowledge'?",
        ),
        (["data", "build", "self-knowledge", "maths", "--out", "x"], "no config 'maths': did you mean 'math'?"),
        (["reproduce", "fourquestions"], "no plan 'fourquestions': did you mean 'four-questions'?"),
        (
            ["train", "opt-126m", "--data", "diary-recall:1k", "--out", "x"],
            "there is no model 'opt-126m': did you mean 'opt-125m'?",
        ),
        (["query", "self-aware-f2", "x"], "no query 'self-aware-f2': did you mean 'self_aware_f1'?"),
    ],
)
def test_every_command_suggests_the_nearest_name(arguments: list[str], message: str) -> None:
    assert message in str(CliRunner().invoke(app, arguments).exception)


def test_plans_are_listed_by_paper_in_100_columns_and_whole_as_json() -> None:
    lines = CliRunner().invoke(app, ["reproduce"]).output.splitlines()
    assert max(map(len, lines)) <= 100
    rows = json.loads(CliRunner().invoke(app, ["reproduce", "--format", "json"]).output)
    papers = {row["plan"].rpartition("/")[0] for row in rows}
    calls = [line.strip() for line in lines if line.startswith("  selfknow reproduce ")]
    assert sorted(calls) == sorted(
        f"selfknow reproduce {paper}{'/' if paper else ''}NAME --out FOLDER" for paper in papers
    )
    listed, paper = [], ""
    for line in lines:
        if line.startswith("  selfknow reproduce "):
            paper = line.split()[2].removesuffix("NAME")
        elif line.startswith("  ") and line[2] != " ":
            listed.append(paper + line.split()[0])
    assert sorted(listed) == sorted(row["plan"] for row in rows)
    text = " ".join("\n".join(lines).split())
    for row in rows:
        assert f"{row['title']} needs {row['needs']}" in text


def test_the_folder_of_the_tasks_for_lm_eval_is_printed_by_its_package(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_module("selfknow.integrations.lm_eval_tasks", run_name="__main__")
    assert list(Path(capsys.readouterr().out.strip()).glob("*.yaml"))
