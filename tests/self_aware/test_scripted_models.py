"""Models that abstain by a rule, served on loopback: from the command line to SQL, the numbers of arithmetic."""

import json
import re
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from selfknow.cli.app import app
from selfknow.evaluate.dataset import ConfigFiles
from selfknow.sql.intervals import wilson_interval
from tests.evaluate.faulty_server import Behaviour, serve

UNKNOWN = "The answer is unknown."
THOUGHT = "Seven, perhaps?"


def right_answer(prompt: str) -> str:
    first, second = re.findall(r"What is (\d+) plus (\d+)\?", prompt)[-1]
    return f"The number {int(first) + int(second)}."


def has_answer(prompt: str) -> bool:
    return prompt.rstrip().endswith("?\nAnswer:") and "What is" in prompt.rsplit("Question:", 1)[1]


MODELS: dict[str, Callable[[str], str]] = {
    "always": lambda prompt: UNKNOWN,
    "never": lambda prompt: right_answer(prompt) if has_answer(prompt) else "Because of the wind.",
    "exactly": lambda prompt: right_answer(prompt) if has_answer(prompt) else f"<think>{THOUGHT}</think>\n{UNKNOWN}",
}
# 10 unanswerable questions, 20 answerable ones: F1, precision, recall, false abstention, substring accuracy
EXPECTED = {
    "always": (2 * 10 / (30 + 10), 10 / 30, 1.0, 1.0, 0.0),
    "never": (0.0, None, 0.0, 0.0, 1.0),
    "exactly": (1.0, 1.0, 1.0, 0.0, 1.0),
}


Run = Callable[..., Result]


@pytest.fixture
def selfknow(tmp_path: Path) -> Run:
    """Run ``selfknow`` in this process, which has the encoder's libraries already."""

    def run(*arguments: object) -> Result:
        with chdir(tmp_path):
            return CliRunner().invoke(app, [str(word) for word in arguments], catch_exceptions=False)

    return run


def rows(selfknow: Run, *arguments: object) -> list[dict[str, Any]]:
    result = selfknow(*arguments, "--format", "json")
    assert result.exit_code == 0, result.stderr
    results: list[dict[str, Any]] = json.loads(result.stdout)
    return results


@pytest.mark.parametrize(("model", "form"), [("always", "icl"), ("never", "instruction"), ("exactly", "direct")])
def test_a_scripted_model_gets_the_f1_that_arithmetic_says(
    selfknow: Run, aware_folder: ConfigFiles, tmp_path: Path, model: str, form: str
) -> None:
    with serve(Behaviour(says=MODELS[model])) as url:
        command_line = (
            "evaluate",
            aware_folder.folder,
            "--form",
            form,
            "--endpoint",
            url,
            "--model",
            model,
            "--out",
            "run",
        )
        [progress] = rows(selfknow, *command_line)
    assert (progress["answered"], progress["failed"]) == (30, 0)
    rows(selfknow, "score", "run")
    scorers = ("--scorer", "paper", "--scorer", "strict", "--encoder", "packaged")
    scored = selfknow("score", "run", *scorers)
    assert scored.exit_code == 0
    assert "the packaged encoder replaces the paper's, and is known to fail" in scored.stderr
    results = rows(selfknow, "query", "self_aware_f1", "run")
    assert [(row["scorer"], row["encoder"]) for row in results] == [
        ("paper", "packaged"),
        ("sentences", None),
        ("strict", "packaged"),
    ]
    for row in results:
        assert (row["form"], row["n"], row["n_graded"]) == (form, 30, 30)
        measured = [row[name] for name in ("f1", "precision", "recall", "false_abstention", "substring_match")]
        assert measured == [None if value is None else pytest.approx(value) for value in EXPECTED[model]]
        assert row["chance_f1"] == 0.5
        # Wilson's for none and for all of ten pairs; the F1 of a precise model with such a recall
        least, most = wilson_interval(10, 10)[0], 2 * wilson_interval(0, 10)[1] / (1 + wilson_interval(0, 10)[1])
        if row["f1"] in (0, 1):
            assert (row["f1_low"], row["f1_high"]) == pytest.approx((0, most) if row["f1"] == 0 else (least, 1))
    for row in rows(selfknow, "query", "self_aware_abstention", "run"):
        _, _, recall, false_abstention, _ = EXPECTED[model]
        assert (row["unanswerable"], row["answerable"]) == (recall, false_abstention)
        assert row["difference"] == (1 if model == "exactly" else 0), "a constant policy gets nothing"
    ablation = rows(selfknow, "query", "self_aware_thresholds", "run")
    assert [row["threshold"] for row in ablation[:8]] == pytest.approx([0.45, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95])
    assert [row["f1"] for row in ablation[:8]] == [pytest.approx(EXPECTED[model][0])] * 8
    assert [row["is_the_runs"] for row in ablation[:8]] == [True] + [False] * 7
    read = "substr(generation, start_character + 1, end_character - start_character)"
    remaining = rows(
        selfknow, "sql", f"select distinct {read} as said from calls join kept_replies using (generation_id)", "run"
    )
    assert (UNKNOWN in [row["said"] for row in remaining]) == (model != "never"), (
        "what was read is all but the thinking"
    )
    assert not any(THOUGHT in row["said"] for row in remaining)
