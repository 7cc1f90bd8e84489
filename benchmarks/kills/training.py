"""``selfknow train``, killed: a tiny model, with a checkpoint every few steps."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

import torch
from transformers.utils import logging

from benchmarks.kills.activity import Activity
from selfknow.evaluate.dataset import open_dataset
from selfknow.files import read_json
from selfknow.train.job import CORPUS_TOKENIZER, TrainingJob
from selfknow.train.recipe import Recipe
from selfknow.train.run import train
from tests.tiny_models import tiny_config, tiny_corpus

_RECIPE = Recipe(
    5e-3, warmup_steps=2, max_steps=9, validation_interval=3, patience=0, max_new_tokens=4, validation_limit=4
)


def activity(folder: Path) -> Activity:
    """Training on a corpus that is made once, in this folder."""
    torch.set_num_threads(1)
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    corpus = tiny_corpus(folder / "corpus", 16)
    tiny_config("opt", 64).save_pretrained(folder / "opt")

    def work(place: Path) -> None:
        opened = open_dataset(f"{corpus.folder}:{corpus.config}")
        train(
            TrainingJob(str(folder / "opt"), opened, _RECIPE, scratch=True, tokenizer=CORPUS_TOKENIZER, vocab_size=300),
            place / "training",
        )

    return Activity("train", lambda place: None, work, _phase, _faults)  # noqa: ARG005


def _phase(place: Path) -> str:
    training = place / "training"
    if not (training / "run.json").exists():
        return "before run.json"
    if "results" in read_json(training / "run.json"):
        return "ended"
    if (training / "model").exists():
        return "model saved, test split asked"
    steps = [int(path.name.rpartition("-")[2]) for path in (training / "checkpoints").glob("checkpoint-*")]
    return f"checkpoint of step {max(steps)}" if steps else "before the first checkpoint"


def _weights(training: Path) -> str:
    return hashlib.sha256((training / "model" / "model.safetensors").read_bytes()).hexdigest()


def _faults(place: Path, sound: Path, ended: bool) -> Iterable[str]:
    training, undisturbed = place / "training", sound / "training"
    if (training / "model").exists() and _weights(training) != _weights(undisturbed):
        yield "the model has other weights than that of an undisturbed training"
    done = (training / "run.json").exists() and "results" in read_json(training / "run.json")
    if done and not (training / "model").exists():
        yield "there are results and no model"
    if ended:
        if not done:
            yield "there are no results"
        elif _told(training) != _told(undisturbed):
            yield "the results are not those of an undisturbed training"


def _told(training: Path) -> str:
    """The results but for times and memory."""
    results = read_json(training / "run.json")["results"]
    assert isinstance(results, dict)
    kept = {
        name: value
        for name, value in results.items()
        if not any(one in name for one in ("second", "hour", "memory", "time"))
    }
    return json.dumps(kept, sort_keys=True)
