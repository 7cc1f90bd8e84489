"""Inspect, lm-evaluation-harness and this package ask one checkpoint the same, and score what it says alike.

The other tools run unmodified, in this process. What they log becomes runs that our own scorer scores. They are handed
the prompts alone, so ours, which shows a base model worked examples, is told to leave them out.
"""

import json
import math
from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
import yaml

from selfknow import integrations
from selfknow.errors import UserError
from selfknow.evaluate.catalogue import task_of_run
from selfknow.evaluate.run import Run, ask
from selfknow.files import read_json
from selfknow.integrations.asking import METRICS, Asking, cut_at_stop
from selfknow.portraits import Portrait
from selfknow.runs.importers.inspect_ai import read_inspect
from selfknow.runs.importers.lm_eval import read_lm_eval
from selfknow.runs.importers.run import Log, write_imported
from selfknow.runs.schema import read_generations
from tests.integrations.conftest import DIARISTS, LENGTH, PARAGRAPHS, QUESTIONS

TASKS = Path(integrations.__file__).parent / "lm_eval_tasks"
# The checkpoint has no chat template; Inspect would put `user: ` before every prompt.
PLAIN = "{% for message in messages %}{{ message.content }}{% endfor %}"

Replies = dict[tuple[str, str, str], str]
"""By stage, variant and row."""
Scores = dict[tuple[str, str, str], float]
"""By variant, row and metric; those alone that have a value."""


def ours(name: str, model: Path, out: Path, **options: Any) -> tuple[Replies, Scores]:
    drawn = {"precision": "float32", "temperature": 0.0, "max_new_tokens": LENGTH}
    return of_run(ask(name, str(model), out=out, quiet=True, **drawn, **options))


def of_run(run: Run) -> tuple[Replies, Scores]:
    score_rows = run.score().scores.to_pylist()
    rows = {row["generation_id"]: row for row in read_generations(run.folder).to_pylist()}
    replies = {(row["stage"], row["variant"], row["example_id"]): row["generation"] for row in rows.values()}
    scores = {
        (row["variant"], row["example_id"], score["metric"]): score["value"]
        for score in score_rows
        for row in [rows[score["generation_id"]]]
        if score["value"] is not None
    }
    assert len(replies) == len(rows)
    return replies, scores


def in_inspect(task: str, model: Path, logs: Path, samples: int, **arguments: Any) -> Path:
    from inspect_ai import eval as inspect_eval

    [log] = inspect_eval(
        f"selfknow/{task}",
        model=f"hf/{model}",
        model_args={"do_sample": False, "chat_template": PLAIN},
        task_args=arguments,
        log_dir=str(logs),
        display="none",
        max_tokens=LENGTH,
        max_connections=samples,
    )
    assert log.status == "success", log.error
    assert log.samples is not None
    assert len(log.samples) == samples
    return Path(log.location)


def of_log(path: Path) -> tuple[Replies, Scores]:
    from inspect_ai.log import read_eval_log

    replies, scores = {}, {}
    for sample in read_eval_log(str(path)).samples or []:
        variant, row = sample.metadata["variant"], sample.metadata["selfknow"]["row"]
        replies |= {
            (call["stage"], call["variant"], row["id"]): call["generation"] for call in sample.metadata["calls"]
        }
        values = sample.scores["own_scores"].value
        scores |= {(variant, row["id"], metric): value for metric, value in values.items() if not math.isnan(value)}
    return replies, scores


def in_lm_eval(task: str, model: Path, out: Path, **metadata: Any) -> tuple[Replies, Scores, Path]:
    from lm_eval import simple_evaluate
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    tracker = EvaluationTracker(output_path=str(out))
    result = simple_evaluate(
        model="hf",
        model_args={"pretrained": str(model), "dtype": "float32", "max_length": 512, "device": "cpu"},
        tasks=[task],
        task_manager=TaskManager(include_path=str(TASKS), include_defaults=False, metadata=metadata),
        gen_kwargs={"do_sample": False, "temperature": 0.0, "max_gen_toks": LENGTH},
        bootstrap_iters=0,
        batch_size=8,
        log_samples=True,
        evaluation_tracker=tracker,
    )
    samples = result.pop("samples")
    tracker.save_results_aggregated(results=result, samples=samples)
    tracker.save_results_samples(task_name=task, samples=samples[task])
    replies, scores = {}, {}
    for sample in samples[task]:
        variant, row = json.loads(sample["doc"]["selfknow"])["variant"], sample["doc"]["id"]
        replies["answer", variant, row] = sample["filtered_resps"][0]
        scores |= {(variant, row, metric): sample[metric] for metric in sample["metrics"]}
    return replies, scores, next(out.rglob("samples_*.jsonl"))


def imported(log: Log, folder: Path) -> tuple[Replies, Scores]:
    write_imported(log, folder)
    return of_run(Run(folder))


def shown(scores: Mapping[tuple[str, str, str], float], task: str) -> Scores:
    """Return those scores that other tools show."""
    return {key: value for key, value in scores.items() if key[2] in METRICS[task]}


def test_self_aware_row_by_row(checkpoint: Path, tmp_path: Path) -> None:
    replies, scores = ours("self-aware:authored", checkpoint, tmp_path / "run", limit=QUESTIONS, examples=False)
    assert len(replies) == QUESTIONS
    assert {scores["direct", row, "sentences_abstained"] for _, _, row in replies} == {0.0, 1.0}
    assert {value for (_, _, metric), value in scores.items() if metric == "exact_match"} == {0.0, 1.0}

    log = in_inspect("self_aware", checkpoint, tmp_path / "logs", QUESTIONS, limit=QUESTIONS)
    assert of_log(log) == (replies, scores)
    assert imported(read_inspect(log), tmp_path / "from-inspect") == (replies, scores)

    theirs = in_lm_eval("self_aware_authored", checkpoint, tmp_path / "out", limit=QUESTIONS)
    assert theirs[:2] == (replies, scores)
    assert imported(read_lm_eval(theirs[2]), tmp_path / "from-lm-eval") == (replies, scores)

    runs = [read_json(tmp_path / name / "run.json") for name in ("run", "from-inspect", "from-lm-eval")]
    assert len({str(run["dataset"]) for run in runs}) == 1, "which rows, to the byte"
    assert [run["examples_hash"] for run in runs] == [runs[0]["examples_hash"]] * 3
    assert [run["settings"].get("imported_from") for run in runs] == [None, "Inspect", "lm-evaluation-harness"]
    assert [run["decoding"]["temperature"] for run in runs[::2]] == [0.0, 0.0]


def test_diary_recall_row_by_row(checkpoint: Path, diaries: str, tmp_path: Path) -> None:
    replies, scores = ours(diaries, checkpoint, tmp_path / "run", limit=DIARISTS)
    assert {value for (_, _, metric), value in scores.items() if metric == "exact_match"} == {0.0, 1.0}
    log = in_inspect("diary_recall", checkpoint, tmp_path / "logs", DIARISTS, dataset=diaries, limit=DIARISTS)
    assert of_log(log) == (replies, shown(scores, "diary-recall"))
    assert imported(read_inspect(log), tmp_path / "from-inspect") == (replies, scores)


def test_writing_and_being_asked_about_it_is_one_sample(checkpoint: Path, tmp_path: Path) -> None:
    alone = {"limit": PARAGRAPHS, "examples": False}
    replies, scores = ours("self-knowledge:total-count", checkpoint, tmp_path / "run", **alone)
    assert len(replies) == 2 * PARAGRAPHS
    log = in_inspect("self_knowledge", checkpoint, tmp_path / "logs", PARAGRAPHS, limit=PARAGRAPHS)
    assert of_log(log) == (replies, {("separate/ours", *key[1:]): value for key, value in scores.items()})
    assert imported(read_inspect(log), tmp_path / "from-inspect") == (replies, scores)
    rows = {row["generation_id"]: row for row in read_generations(tmp_path / "from-inspect").to_pylist()}
    parents = [rows[row["parent_generation_id"]] for row in rows.values() if row["stage"] == "verify"]
    assert [(row["stage"], row["example_id"]) for row in parents] == [
        ("generate", row["example_id"]) for row in rows.values() if row["stage"] == "verify"
    ]


def test_according_to_over_a_portrait(checkpoint: Path, tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"id": "q-1", "question": "Who wrote Emma?", "answer": "Jane Austen"}\n')
    portrait = tmp_path / "portrait"
    Portrait.build(["attributed says"], width=5).save(portrait)
    options = {"portrait": str(portrait), "prompts": "attributed", "prompt_format": "short"}
    replies, scores = ours(f"according-to:{questions}", checkpoint, tmp_path / "run", examples=False, **options)
    assert {variant for _, variant, _ in replies} == {"null", "attributed"}
    assert scores["attributed", "q-1", "quip"] > scores["null", "q-1", "quip"] > 0
    assert scores["attributed", "q-1", "exact_match"] == 1
    log = in_inspect("according_to", checkpoint, tmp_path / "logs", 2, questions=str(questions), **options)
    assert of_log(log) == (replies, scores)
    assert imported(read_inspect(log), tmp_path / "from-inspect") == (replies, scores)

    metadata = {"portrait": str(portrait), "questions": str(questions)}
    theirs = in_lm_eval("according_to_attributed", checkpoint, tmp_path / "out", **metadata)
    assert theirs[0] == {key: text for key, text in replies.items() if key[1] == "attributed"}
    assert theirs[1] == {key: value for key, value in scores.items() if key[0] == "attributed"}


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
    with pytest.raises(UserError, match="has no option 'forms'"):
        Asking.open("self-aware:authored", forms="icl")


def test_a_reply_ends_where_the_first_stop_text_begins() -> None:
    assert cut_at_stop("a END b STOP", ["STOP", "END"]) == "a "
    assert cut_at_stop("a b", ["STOP"]) == "a b"
    assert cut_at_stop("a b", []) == "a b"


def test_an_imported_run_is_a_run_of_its_task(checkpoint: Path, tmp_path: Path) -> None:
    log = in_inspect("self_aware", checkpoint, tmp_path / "logs", 2, limit=2, form="instruction")
    write_imported(read_inspect(log), tmp_path / "run")
    assert task_of_run(tmp_path / "run", read_json(tmp_path / "run" / "run.json")).name == "self-aware"
    assert not (tmp_path / "run" / "scores").exists(), "our own scorer says what a reply is worth"
    Run(tmp_path / "run").score()
    [row] = Run(tmp_path / "run").query("self_aware_f1").to_pylist()
    assert (row["form"], row["n"]) == ("instruction", 2)
