"""Inspect and lm-evaluation-harness, run through their own command lines, and the replies and scores in their logs.

The programs run unmodified, but in this process: torch and both tools are imported once.
"""

import json
import logging
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partialmethod
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from selfknow import integrations
from selfknow.evaluate.run import Run
from selfknow.runs.importers.own_task import CALLS, RECORD_KEY
from selfknow.runs.importers.run import ImportedLog, write_imported
from selfknow.runs.schema import read_generations

TASKS = Path(integrations.__file__).parent / "lm_eval_tasks"
PLAIN = "'{% for message in messages %}{{ message.content }}{% endfor %}'"
"""A chat template for models without one; Inspect would put ``user: `` before every prompt. The quotes are YAML's."""

Replies = dict[tuple[str, str, str], str]
"""By stage, variant and row."""
Scores = dict[tuple[str, str, str], float]
"""By variant, row and metric; those alone that have a value."""


def run_program(name: str, *words: object) -> None:
    """Run a console script of an installed package.

    Raises:
        SystemExit: It ended with an error.
    """
    [program] = entry_points(group="console_scripts", name=name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [name, *map(str, words)])
        patch.setattr(sys, "excepthook", sys.excepthook)  # Inspect sets its own
        try:
            program.load()()
        except SystemExit as ended:
            if ended.code:
                raise


def inspect_eval(task: str, model: Path, logs: Path, *words: object, samples: int, **options: object) -> Path:
    """Ask a base model greedily: ``inspect eval selfknow/TASK``. Returns the log.

    Inspect waits two seconds for a batch to fill up, so the batches are as large as the number of ``samples``.
    """
    before = set(logs.glob("*.eval"))
    run_program(
        "inspect",
        *("eval", f"selfknow/{task}", "--model", f"hf/{model}", "-M", "do_sample=false"),
        *("--max-connections", samples, "--log-dir", logs, "--display", "none", *words),
        *(word for name, value in options.items() for word in ("-T", f"{name}={value}")),
    )
    [log] = set(logs.glob("*.eval")) - before
    return log


def lm_eval_run(
    tasks: Sequence[str], model: Path, out: Path, *words: object, max_new_tokens: int, **metadata: object
) -> dict[str, Path]:
    """Ask a model greedily: ``lm_eval run --tasks …``, one command for all. Returns the logs of samples, by task."""
    run_program(
        "lm_eval",
        *("run", "--include_path", TASKS, "--tasks", ",".join(tasks), "--metadata", json.dumps(metadata)),
        *("--model", "hf", "--model_args", f"pretrained={model},dtype=float32", "--device", "cpu"),
        *("--gen_kwargs", f"do_sample=False,temperature=0,max_gen_toks={max_new_tokens}"),
        *("--batch_size", 8, "--log_samples", "--output_path", out, *words),
    )
    return {task: next(out.rglob(f"samples_{task}_[0-9]*.jsonl")) for task in tasks}


@contextmanager
def without_tasks_of_its_own() -> Iterator[None]:
    """Keep the harness from indexing its own 14,000 files inside the block, which takes longer than all that we ask."""
    from lm_eval.tasks import TaskManager

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TaskManager, "__init__", partialmethod(TaskManager.__init__, include_defaults=False))
        yield


@contextmanager
def lm_eval_warnings() -> Iterator[list[str]]:
    """Collect what the harness warns of inside the block."""
    messages: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("lm_eval")
    logger.addHandler(handler)
    try:
        yield messages
    finally:
        logger.removeHandler(handler)


def of_inspect(log: Path) -> tuple[Replies, Scores]:
    """Return the replies and the scores in a log of Inspect."""
    from inspect_ai.log import read_eval_log

    replies, scores = {}, {}
    for sample in read_eval_log(str(log)).samples or []:
        variant, row = sample.metadata["variant"], sample.metadata[RECORD_KEY]["row"]["id"]
        replies |= {(call["stage"], call["variant"], row): call["generation"] for call in sample.metadata[CALLS]}
        values = sample.scores["own_scores"].value
        scores |= {(variant, row, metric): value for metric, value in values.items() if not math.isnan(value)}
    return replies, scores


def of_lm_eval(samples: Path) -> tuple[Replies, Scores]:
    """Return the replies and the scores in a log of the harness."""
    replies, scores = {}, {}
    for line in samples.read_text(encoding="utf-8").splitlines():
        sample = json.loads(line)
        own, row = json.loads(sample["doc"][RECORD_KEY]), sample["doc"]["id"]
        replies[own["stage"], own["variant"], row] = sample["filtered_resps"][0]
        scores |= {(own["variant"], row, metric): sample[metric] for metric in sample["metrics"]}
    return replies, scores


def replies_of(run: Run) -> Replies:
    """Return the replies of a run."""
    rows = read_generations(run.folder).to_pylist()
    replies = {(row["stage"], row["variant"], row["example_id"]): row["generation"] for row in rows}
    assert len(replies) == len(rows)
    return replies


def scored_rows(run: Run) -> Iterator[tuple[dict[str, Any], str, float | None]]:
    """Score a run, and yield each reply's row with each metric and its value."""
    rows = {row["generation_id"]: row for row in read_generations(run.folder).to_pylist()}
    for score in run.score().scores.to_pylist():
        yield rows[score["generation_id"]], score["metric"], score["value"]


def of_run(run: Run) -> tuple[Replies, Scores]:
    """Return the replies and the scores of a run, which is scored here."""
    scores = {
        (row["variant"], row["example_id"], metric): value
        for row, metric, value in scored_rows(run)
        if value is not None
    }
    return replies_of(run), scores


def imported(log: ImportedLog, folder: Path) -> tuple[Replies, Scores]:
    """Return the replies of a log of another tool as a run, and the scores of our own scorer."""
    write_imported(log, folder)
    return of_run(Run(folder))
