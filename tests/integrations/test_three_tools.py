"""Inspect, lm-evaluation-harness and this package ask one checkpoint the same, and score what it says alike.

The other tools run unmodified, through their own command lines. What they log becomes runs that our own scorer scores.
They are handed the prompts alone, so ours, which shows a base model worked examples, is told to leave them out.
"""

from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
import yaml

from selfknow.errors import UserError
from selfknow.evaluate.catalogue import task_of_run
from selfknow.evaluate.run import Run, ask
from selfknow.files import read_json
from selfknow.integrations.asking import METRICS, Asking, cut_at_stop
from selfknow.runs.importers.inspect_ai import read_inspect
from selfknow.runs.importers.lm_eval import read_lm_eval
from selfknow.runs.importers.run import write_imported
from selfknow.runs.schema import read_generations
from tests.integrations.command_lines import (
    PLAIN,
    TASKS,
    Replies,
    Scores,
    imported,
    inspect_eval,
    lm_eval_run,
    lm_eval_warnings,
    of_inspect,
    of_lm_eval,
    of_run,
    without_tasks_of_its_own,
)
from tests.integrations.conftest import DIARISTS, LENGTH, PARAGRAPHS, QUESTIONS


def ours(name: str, model: Path, out: Path, **options: Any) -> tuple[Replies, Scores]:
    drawn = {"precision": "float32", "temperature": 0.0, "max_new_tokens": LENGTH}
    return of_run(ask(name, str(model), out=out, quiet=True, **drawn, **options))


def in_inspect(task: str, model: Path, logs: Path, **options: Any) -> Path:
    words = ("-M", f"chat_template={PLAIN}", "--max-tokens", LENGTH)
    return inspect_eval(task, model, logs, *words, **options)


@pytest.fixture(scope="module")
def harness(checkpoint: Path, portrait: Path, questions: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the logs of one command of lm-eval about tasks of all families, by task, and what it warned of."""
    out = tmp_path_factory.mktemp("lm-eval")
    tasks = ["self_aware_authored", "diary_recall_1k", "according_to_attributed"]
    metadata = {"limit": QUESTIONS, "portrait": str(portrait), "questions": str(questions)}
    with without_tasks_of_its_own(), lm_eval_warnings() as warnings:
        return lm_eval_run(tasks, checkpoint, out, max_new_tokens=LENGTH, **metadata), warnings


def shown(scores: Mapping[tuple[str, str, str], float], task: str) -> Scores:
    """Return those scores that other tools show."""
    return {key: value for key, value in scores.items() if key[2] in METRICS[task]}


def test_self_aware_row_by_row(checkpoint: Path, harness: Any, tmp_path: Path) -> None:
    replies, scores = ours("self-aware:authored", checkpoint, tmp_path / "run", limit=QUESTIONS, examples=False)
    assert len(replies) == QUESTIONS
    assert {scores["direct", row, "sentences_abstained"] for _, _, row in replies} == {0.0, 1.0}
    assert {value for (_, _, metric), value in scores.items() if metric == "exact_match"} == {0.0, 1.0}

    log = in_inspect("self_aware", checkpoint, tmp_path / "logs", samples=QUESTIONS, limit=QUESTIONS)
    assert of_inspect(log) == (replies, scores)
    assert imported(read_inspect(log), tmp_path / "from-inspect") == (replies, scores)

    samples = harness[0]["self_aware_authored"]
    assert of_lm_eval(samples) == (replies, scores)
    assert imported(read_lm_eval(samples), tmp_path / "from-lm-eval") == (replies, scores)

    runs = [read_json(tmp_path / name / "run.json") for name in ("run", "from-inspect", "from-lm-eval")]
    assert len({str(run["dataset"]) for run in runs}) == 1, "which rows, to the byte"
    assert [run["examples_hash"] for run in runs] == [runs[0]["examples_hash"]] * 3
    assert [run["settings"].get("imported_from") for run in runs] == [None, "Inspect", "lm-evaluation-harness"]
    for setting in ("temperature", "max_new_tokens", "stop"):
        assert len({str(run["decoding"][setting]) for run in runs}) == 1, setting
    assert runs[1]["decoding"]["temperature"] == 0, "greedy, although the log says 0.7"


def test_diary_recall_row_by_row(checkpoint: Path, diaries: str, tmp_path: Path) -> None:
    replies, scores = ours(diaries, checkpoint, tmp_path / "run", limit=DIARISTS)
    assert {value for (_, _, metric), value in scores.items() if metric == "exact_match"} == {0.0, 1.0}
    log = in_inspect("diary_recall", checkpoint, tmp_path / "logs", samples=DIARISTS, dataset=diaries, limit=DIARISTS)
    assert of_inspect(log) == (replies, shown(scores, "diary-recall"))
    assert imported(read_inspect(log), tmp_path / "from-inspect") == (replies, scores)


def test_the_harness_asks_the_diaries_of_a_config_that_it_names(checkpoint: Path, harness: Any, tmp_path: Path) -> None:
    replies, scores = ours("diary-recall:1k", checkpoint, tmp_path / "run", limit=QUESTIONS)
    samples = harness[0]["diary_recall_1k"]
    assert of_lm_eval(samples) == (replies, shown(scores, "diary-recall"))
    assert imported(read_lm_eval(samples), tmp_path / "from-lm-eval") == (replies, scores)
    assert [message for message in harness[1] if "No aggregation function" in message] == []


def test_writing_and_being_asked_about_it_is_one_sample(checkpoint: Path, tmp_path: Path) -> None:
    alone = {"limit": PARAGRAPHS, "examples": False}
    replies, scores = ours("self-knowledge:total-count", checkpoint, tmp_path / "run", **alone)
    assert len(replies) == 2 * PARAGRAPHS
    log = in_inspect("self_knowledge", checkpoint, tmp_path / "logs", samples=PARAGRAPHS, limit=PARAGRAPHS)
    assert of_inspect(log) == (replies, {("separate/ours", *key[1:]): value for key, value in scores.items()})
    assert imported(read_inspect(log), tmp_path / "from-inspect") == (replies, scores)
    rows = {row["generation_id"]: row for row in read_generations(tmp_path / "from-inspect").to_pylist()}
    parents = [rows[row["parent_generation_id"]] for row in rows.values() if row["stage"] == "verify"]
    assert [(row["stage"], row["example_id"]) for row in parents] == [
        ("generate", row["example_id"]) for row in rows.values() if row["stage"] == "verify"
    ]


def test_a_question_in_context_follows_upon_what_was_written(checkpoint: Path, tmp_path: Path) -> None:
    log = in_inspect("self_knowledge", checkpoint, tmp_path / "logs", samples=1, limit=1, protocol="in-context")
    write_imported(read_inspect(log), tmp_path / "run")
    [text, question] = read_generations(tmp_path / "run").to_pylist()
    assert [message["role"] for message in question["messages"]] == ["user", "assistant", "user"]
    assert question["messages"][:2] == [*text["messages"], {"role": "assistant", "content": text["generation"]}]
    assert question["prompt_tokens"] > text["prompt_tokens"] + text["completion_tokens"]


def test_according_to_over_a_portrait(
    checkpoint: Path, portrait: Path, questions: Path, harness: Any, tmp_path: Path
) -> None:
    options = {"portrait": str(portrait), "prompts": "attributed,without", "prompt_format": "short"}
    replies, scores = ours(f"according-to:{questions}", checkpoint, tmp_path / "run", examples=False, **options)
    assert {variant for _, variant, _ in replies} == {"null", "attributed", "without"}
    assert scores["attributed", "q-1", "quip"] > scores["null", "q-1", "quip"] > 0
    assert scores["attributed", "q-1", "exact_match"] == 1
    log = in_inspect("according_to", checkpoint, tmp_path / "logs", samples=3, questions=questions, **options)
    assert of_inspect(log) == (replies, scores)
    assert imported(read_inspect(log), tmp_path / "from-inspect") == (replies, scores)

    samples = harness[0]["according_to_attributed"]
    of_prompt = {key: text for key, text in replies.items() if key[1] == "attributed"}
    assert of_lm_eval(samples) == (of_prompt, {key: value for key, value in scores.items() if key[0] == "attributed"})


def test_the_entry_point_and_the_folder_offer_every_task() -> None:
    [entry_point] = entry_points(group="inspect_ai", name="selfknow")
    assert {"diary_recall", "self_aware", "according_to", "self_knowledge"} <= vars(entry_point.load()).keys()
    files = {path.stem: yaml.load(path.read_text(), Loader=_Plain) for path in TASKS.glob("[a-z]*.yaml")}
    assert all(file["task"] == name for name, file in files.items())
    bases = {name: METRICS[name.replace("_", "-")] for name in ("diary_recall", "self_aware", "according_to")}
    for name, metrics in bases.items():
        base = yaml.load((TASKS / f"_{name}.yaml").read_text(), Loader=_Plain)
        assert tuple(entry["metric"] for entry in base["metric_list"]) == metrics
        assert any(file["include"] == f"_{name}.yaml" for file in files.values())


class _Plain(yaml.SafeLoader):
    """Reads functions as their names."""


_Plain.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))


def test_what_other_tools_cannot_ask_is_refused() -> None:
    with pytest.raises(UserError, match="is about pictures"):
        Asking.open("self-knowledge:image-color")
    with pytest.raises(UserError, match="also asks questions that belong to no sample of another tool"):
        Asking.open("self-knowledge:benchmark", limit=1)
    with pytest.raises(UserError, match="has no option 'forms'"):
        Asking.open("self-aware:authored", forms="icl")


def test_a_reply_ends_where_the_first_stop_text_begins() -> None:
    assert cut_at_stop("a END b STOP", ["STOP", "END"]) == "a "
    assert cut_at_stop("a b", ["STOP"]) == "a b"
    assert cut_at_stop("a b", []) == "a b"


def test_an_imported_run_is_a_run_of_its_task(checkpoint: Path, tmp_path: Path) -> None:
    log = in_inspect("self_aware", checkpoint, tmp_path / "logs", samples=2, limit=2, form="instruction")
    write_imported(read_inspect(log), tmp_path / "run")
    assert task_of_run(tmp_path / "run", read_json(tmp_path / "run" / "run.json")).name == "self-aware"
    assert not (tmp_path / "run" / "scores").exists(), "our own scorer says what a reply is worth"
    Run(tmp_path / "run").score()
    [row] = Run(tmp_path / "run").query("self_aware_f1").to_pylist()
    assert (row["form"], row["n"]) == ("instruction", 2)
