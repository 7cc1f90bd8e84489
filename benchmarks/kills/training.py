"""Kills of ``selfknow train`` with a tiny model, which has a checkpoint every few steps."""

import json
from collections.abc import Iterable
from pathlib import Path

import torch
from transformers.utils import logging

# Imported here, because otherwise each fork would spend half of its time importing it.
import selfknow.train.trainer  # noqa: F401
from benchmarks.kills.activity import Activity, bytes_below
from benchmarks.kills.asking import plain_replies, scores_of
from selfknow.evaluate.dataset import open_dataset
from selfknow.files import read_json
from selfknow.train.job import CORPUS_TOKENIZER, TrainingJob
from selfknow.train.progress import read_metrics
from selfknow.train.recipe import Recipe
from selfknow.train.run import train
from tests.tiny_models import tiny_config, tiny_corpus

_STEPS = 9
_RECIPE = Recipe(
    5e-3, warmup_steps=2, max_steps=_STEPS, validation_interval=3, patience=0, max_new_tokens=4, validation_limit=4
)
_STATE = "trainer_state.json"  # written last into a checkpoint


def activity(folder: Path) -> Activity:
    """Return the activity of training on a corpus, which is made once, in this folder."""
    torch.set_num_threads(1)
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    corpus = tiny_corpus(folder / "corpus", 16)
    tiny_config("opt", 64).save_pretrained(folder / "opt")

    def work(place: Path) -> None:
        dataset = open_dataset(f"{corpus.folder}:{corpus.config}")
        train(
            TrainingJob(
                str(folder / "opt"), dataset, _RECIPE, scratch=True, tokenizer=CORPUS_TOKENIZER, vocabulary_size=300
            ),
            place / "training",
        )

    return Activity("train", lambda place: None, work, _phase, _faults)  # noqa: ARG005


def _phase(place: Path) -> str:
    training = place / "training"
    if not (training / "run.json").exists():
        return "before run.json"
    if "results" in read_json(training / "run.json"):
        return "ended"
    if (training / "test").exists():
        return "test split asked"
    if (training / "model").exists():
        return "model saved"
    complete, incomplete = _checkpoints(training)
    if incomplete:
        return f"checkpoint of step {max(incomplete)} half-written"
    if not complete:
        return "before the first checkpoint" if read_metrics(training / "metrics.jsonl") else "before the first step"
    return f"after the checkpoint of step {max(complete)}"


def _checkpoints(training: Path) -> tuple[list[int], list[int]]:
    """Return the steps of the checkpoints that look complete, and of those that do not."""
    complete, incomplete = [], []
    for path in (training / "checkpoints").glob("checkpoint-*"):
        steps = complete if _is_json(path / _STATE) else incomplete
        steps.append(int(path.name.rpartition("-")[2]))
    return complete, incomplete


def _is_json(path: Path) -> bool:
    try:
        return bool(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return False


def _faults(place: Path, sound: Path, ended: bool) -> Iterable[str]:
    training, undisturbed = place / "training", sound / "training"
    if (training / "model").exists() and bytes_below(training / "model") != bytes_below(undisturbed / "model"):
        yield "the model is not that of an undisturbed training"
    steps = [line["step"] for line in read_metrics(training / "metrics.jsonl") if "loss" in line]
    if len(steps) != len(set(steps)):
        yield "the loss of a step is doubled"
    yield from _lost_checkpoints(place, training)
    has_results = (training / "run.json").exists() and "results" in read_json(training / "run.json")
    if has_results and not (training / "model").exists():
        yield "there are results and no model"
    if ended:
        if not has_results:
            yield "there are no results"
            return
        if steps != list(range(1, _STEPS + 1)):
            yield f"there are losses of the steps {steps}"
        if _results(training) != _results(undisturbed):
            yield "the results are not those of an undisturbed training"
        if plain_replies(training / "test") != plain_replies(undisturbed / "test"):
            yield "the replies are not those of an undisturbed training"
        if scores_of(training / "test") != scores_of(undisturbed / "test"):
            yield "the scores are not those of an undisturbed training"


def _lost_checkpoints(place: Path, training: Path) -> Iterable[str]:
    """Yield a fault if a training has lost a checkpoint that was complete after an earlier kill."""
    earlier_step = place / "kept.json"
    complete, _ = _checkpoints(training)
    last_step = json.loads(earlier_step.read_text()) if earlier_step.exists() else 0
    if max(complete, default=0) < last_step:
        yield f"the checkpoint of step {last_step} was lost"
    earlier_step.write_text(json.dumps(max(complete, default=0)))


def _results(training: Path) -> str:
    """Return the results without times and memory."""
    results = read_json(training / "run.json")["results"]
    assert isinstance(results, dict)
    results_to_compare = {
        name: value
        for name, value in results.items()
        if not any(word in name for word in ("second", "hour", "memory", "time"))
    }
    return json.dumps(results_to_compare, sort_keys=True)
