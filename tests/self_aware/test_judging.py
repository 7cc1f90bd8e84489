"""A model judges the replies of a run: one that reads its prompt, and answers by a rule."""

import re
from pathlib import Path

import pytest

from selfknow.errors import UserError
from selfknow.evaluate.dataset import ConfigFiles
from selfknow.evaluate.run import Run, ask
from selfknow.evaluate.tasks.self_aware.judging import prompt_of, read_grade
from tests.self_aware.given import GIVEN, write


def replies(prompt: str) -> str:
    """Right about sums, and abstains elsewhere, but for one question that it will not touch."""
    question = prompt.rsplit("Question:", 1)[1]
    if rows := re.findall(r"What is (\d+) plus (\d+)\?", question):
        first, second = map(int, rows[-1])
        return f"The number {first + second}." if first % 2 else "The number 0."
    return "The answer is unknown."


class Judge:
    """Says what the prompt's reply does, counts what it is asked, and stumbles where it is told to.

    Its state changes with every call, so a run that goes on knows it by a name.
    """

    def __init__(self, fails_at: int | None = None) -> None:
        self.asked: list[str] = []
        self.fails_at = fails_at

    def __call__(self, prompt: str) -> str:
        self.asked.append(prompt)
        if len(self.asked) == self.fails_at:
            raise KeyboardInterrupt
        reply = prompt.split("Reply:")[1].split("Answer with one word")[0]
        if "CORRECT or WRONG" in prompt:
            accepted = prompt.split("Accepted answers:")[1].split("\n")[0].split("|")
            return "**CORRECT**" if any(re.search(rf"\b{item.strip()}\b", reply) for item in accepted) else "WRONG"
        return "<think>ANSWERS or ABSTAINS?</think>ABSTAINS" if "unknown" in reply else "ANSWERS"


@pytest.fixture
def run(aware_folder: ConfigFiles, tmp_path: Path) -> Run:
    return ask(str(aware_folder.folder), replies, out=tmp_path / "run", quiet=True)


def test_a_judge_that_was_stopped_goes_on_and_no_query_takes_it_for_the_model(run: Run) -> None:
    with pytest.raises(KeyboardInterrupt):
        run.judge(Judge(fails_at=8), name="counts")
    judge = Judge()
    progress = run.judge(judge, name="counts")
    assert (progress.stage, progress.requested, progress.failed) == ("grade", 30 + 20, 0)
    assert progress.answered_before + progress.answered == 50
    assert len(judge.asked) == progress.answered
    assert progress.answered_before > 0, "what it said before it was stopped is kept"
    run.judge(again := Judge(), name="counts")
    assert again.asked == []

    run.score()
    rows = {row["scorer"]: row for row in run.query("self_aware_abstention").to_pylist()}
    assert set(rows) == {"sentences", "judge"}
    for row in rows.values():
        assert (row["n"], row["n_graded"], row["unanswerable"], row["answerable"]) == (30, 30, 1.0, 0.0)
    assert rows["judge"]["references_name"] == "judge.yaml"
    assert len({row["model"] for row in rows.values()}) == 1
    assert len(run.query("overview").to_pylist()) == 1, "the judge is no model of the run"
    metrics = {row["metric"]: row for row in run.query("metrics").to_pylist()}
    assert metrics["judge_correct"]["n_graded"] == 20
    assert metrics["judge_correct"]["mean"] == pytest.approx(metrics["substring_match"]["mean"])


def test_a_judge_that_says_none_of_the_words_or_several_has_no_verdict(run: Run) -> None:
    run.judge(lambda prompt: "ABSTAINS, or ANSWERS?" if "ABSTAINS" in prompt else "I would rather not say.")
    run.score()
    [row] = [row for row in run.query("self_aware_abstention").to_pylist() if row["scorer"] == "judge"]
    assert (row["n_graded"], row["unanswerable"]) == (0, 0.0)
    assert read_grade("abstention", "It ABSTAINS.") == "abstains"
    assert read_grade("correctness", "incorrect") is None


def test_a_reply_that_looks_like_the_prompts_own_places_is_not_filled_in() -> None:
    prompt = prompt_of("correctness", "What is {reply}?", "{answers} {question}", ["x"])
    assert "Question: What is {reply}?" in prompt
    assert "Reply: {answers} {question}" in prompt


def test_runs_of_other_tasks_have_nothing_to_judge(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", GIVEN)
    described = (folder / "run.json").read_text().replace('"self-aware"', '"gsm8k"')
    (folder / "run.json").write_text(described)
    with pytest.raises(UserError, match="is a run of gsm8k, which has nothing for a model to judge"):
        Run(folder).judge(Judge())
