"""A training from start to end: corpus, tokenizer, model, Trainer, the best checkpoint, and the test split.

::

    OUT/run.json         the model, the corpus, the recipe with its plateau rule, versions and, at the end, the results
                         and the facts about the model (``facts``)
    OUT/metrics.jsonl    loss and validation scores, step by step
    OUT/tensorboard/     the same for TensorBoard, if it is installed
    OUT/checkpoints/     the last and the best checkpoint, to resume from
    OUT/model/           the best checkpoint, its tokenizer and its facts (``selfknow.json``), for
                         `selfknow evaluate --model OUT`
    OUT/test/            the run folder of the test split, scored

The same command resumes a training from its last checkpoint. If the training is complete, it returns the results.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from filelock import FileLock, Timeout

from selfknow.errors import UserError
from selfknow.files import read_json, remove_unfinished, write_json
from selfknow.folders import replaced_whole
from selfknow.models import checkpoints
from selfknow.models.facts import ModelFacts, write_facts
from selfknow.runs.description import difference, versions
from selfknow.train.facts import architecture_facts, result_facts
from selfknow.train.job import load_trained
from selfknow.train.recipe import Recipe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from selfknow.train.batch import Batch
    from selfknow.train.data import Stream
    from selfknow.train.trainer import DiaryTrainer
    from selfknow.train.validation import ValidationRows


class Job(Protocol):
    """A training: :class:`~selfknow.train.job.TrainingJob` or :class:`~selfknow.train.tuning.TuningJob`."""

    @property
    def model(self) -> str:
        """A model of the suite, a Hub id, a checkpoint folder or a GGUF file."""

    @property
    def recipe(self) -> Recipe:
        """The settings that affect the result."""

    @property
    def batch_size(self) -> int:
        """The number of answers generated at once."""

    @property
    def micro_batch_size(self) -> int | None:
        """The largest number of examples that go through the model at once; null: a process's whole share of a step."""

    @property
    def report_to(self) -> tuple[str, ...]:
        """The experiment trackers that the training also reports to."""

    def as_json(self) -> dict[str, object]:
        """Return the settings that must be the same for a training to resume."""

    def facts(self) -> ModelFacts:
        """Return the facts about the model that are known before training."""

    def make_tokenizer(self, folder: Path) -> "PreTrainedTokenizerBase":
        """Make the tokenizer and save it in a folder, or load it from there if it has been made."""

    def make_model(self, tokenizer: "PreTrainedTokenizerBase", resumed: Path | None = None) -> "PreTrainedModel":
        """Make the model to train, on the CPU."""

    def stream(self, tokenizer: "PreTrainedTokenizerBase", *, encoder_decoder: bool) -> "Stream":
        """Return all examples in the order in which they are learnt."""

    def validation_questions(self) -> "Sequence[Mapping[str, Any]]":
        """Return the questions that confirm the best checkpoint; if there are none, the last checkpoint is kept."""

    def validation_rows(self) -> "ValidationRows":
        """Return the rows that every validation asks."""

    def prepare_to_save(self, model: "PreTrainedModel") -> "PreTrainedModel":
        """Return the trained model in the form in which it is saved."""

    def test(self, folder: Path) -> "Mapping[str, object]":
        """Ask the trained model in this training's folder its test questions, and return its mean scores."""


def train(job: Job, folder: Path) -> dict[str, object]:
    """Train a model, keep the best checkpoint, and test it.

    Args:
        job: The model, its data and its recipe.
        folder: The folder of this training, which holds nothing else; created if it is missing.

    Returns:
        The results, as in ``run.json``; in processes other than the main one, an empty dict.

    Raises:
        UserError: The folder holds another training, the model is not available or does not fit, its tokenizer cannot
            return a training answer, a step's examples cannot be divided evenly, or a tracker is not installed.
    """
    checkpoints.require_models_extra()
    from accelerate import PartialState
    from torch import cuda

    from selfknow.train.batch import check_devices, refuse_sharding, share_out
    from selfknow.train.reporting import check_trackers
    from selfknow.train.trainer import latest_checkpoint

    check_trackers(job.report_to)
    refuse_sharding()
    state = PartialState(cpu=checkpoints.best_device() == "cpu")
    check_devices(cuda.device_count(), state.num_processes)
    batch = share_out(job.recipe.examples_per_step, state.num_processes, job.micro_batch_size)
    with _FolderLock(folder, is_main=state.is_main_process):
        with state.main_process_first():
            if state.is_main_process:
                _check_or_write_description(job, folder)
            earlier_results = read_json(folder / "run.json").get("results")
            if isinstance(earlier_results, dict):
                return earlier_results if state.is_main_process else {}
            tokenizer = job.make_tokenizer(folder / "tokenizer")
            resumed = latest_checkpoint(folder / "checkpoints")
        model = job.make_model(tokenizer, resumed)
        trainer = _trainer(job, model, tokenizer, folder, batch)
        _train(job, trainer, resumed)
        if not state.is_main_process:
            return {}
        is_validated = bool(trainer.validation.rows.questions)
        best = load_trained(job.recipe, trainer.state.best_model_checkpoint if is_validated else None, model)
        results = _training_results(job, trainer, best)
        facts = job.facts().updated(architecture_facts(best)).updated(result_facts(results))
        _save(job.prepare_to_save(best), tokenizer, facts, folder / "model")
        results = {**results, **job.test(folder)}
        description = {**read_json(folder / "run.json"), "facts": facts.as_json(), "results": results}
        write_json(folder / "run.json", description)
    return results


class _FolderLock:
    """A lock on the folder; only the main process takes it."""

    def __init__(self, folder: Path, *, is_main: bool) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._lock = FileLock(folder / "run.lock") if is_main else None

    def __enter__(self) -> None:
        try:
            if self._lock is not None:
                self._lock.acquire(timeout=0)
        except Timeout as error:
            raise UserError(f"another process is training in {self._folder}") from error

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.release()


def _check_or_write_description(job: Job, folder: Path) -> None:
    path = folder / "run.json"
    settings = json.loads(json.dumps(job.as_json()))
    if not path.exists():
        unfinished = f".{path.name}.writing"  # left by a kill
        if other_files := sorted(file.name for file in folder.iterdir() if file.name not in ("run.lock", unfinished)):
            raise UserError(
                f"{folder} is not a training folder (it holds {other_files[0]}): name a new or an empty one"
            )
        write_json(path, {**settings, "versions": versions()})
        return
    remove_unfinished(folder)
    earlier = read_json(path)
    for name, value in settings.items():
        if earlier.get(name) != value:
            raise UserError(
                f"{folder} holds another training ({difference(name, earlier.get(name), value)}): name a new folder"
            )


def _trainer(
    job: Job, model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", folder: Path, batch: "Batch"
) -> "DiaryTrainer":
    """Make the Trainer of a job."""
    from selfknow.models.interface import Decoding
    from selfknow.models.tokenization import padding_token
    from selfknow.train.packing import Collator
    from selfknow.train.progress import MetricsFile, ProgressBar
    from selfknow.train.reporting import tensorboard, trackers
    from selfknow.train.trainer import DiaryTrainer
    from selfknow.train.validation import Validation

    recipe, encoder_decoder = job.recipe, bool(model.config.is_encoder_decoder)
    decoding = Decoding(max_new_tokens=recipe.max_new_tokens)
    start = model.config.decoder_start_token_id if encoder_decoder else None
    return DiaryTrainer(
        model,
        recipe,
        job.stream(tokenizer, encoder_decoder=encoder_decoder),
        Validation(tokenizer, job.validation_rows(), decoding, job.batch_size),
        Collator(padding_token(tokenizer), start, recipe.packing),
        folder / "checkpoints",
        [ProgressBar(), MetricsFile(folder / "metrics.jsonl"), *tensorboard(folder / "tensorboard")],
        batch,
        trackers(job.report_to),
    )


def _train(job: Job, trainer: "DiaryTrainer", resumed: Path | None) -> None:
    """Train, from a checkpoint if there is one.

    Raises:
        UserError: There is too little memory; the message names options that need less.
    """
    try:
        trainer.train_to_the_end(resumed)
    except (RuntimeError, MemoryError) as error:
        if not checkpoints.is_out_of_memory(error):
            raise
        size = trainer.args.per_device_train_batch_size
        raise UserError(
            f"{job.model} does not fit into memory with {size} examples at once: try --micro-batch-size "
            f"{max(1, size // 2)} (a step keeps its {job.recipe.examples_per_step} examples), "
            "--gradient-checkpointing, --precision bfloat16, --lora-rank 16, or more devices"
        ) from error


def _training_results(job: Job, trainer: "DiaryTrainer", best: "PreTrainedModel") -> dict[str, object]:
    """Return the training's length, device and scores."""
    num_examples = min(len(trainer.stream), trainer.state.global_step * job.recipe.examples_per_step)
    results: dict[str, object] = {
        "num_parameters": sum(parameter.numel() for parameter in best.parameters()),
        "device": str(trainer.args.device),
        "num_processes": trainer.args.world_size,
        "micro_batch_size": trainer.args.per_device_train_batch_size,
        "last_step": trainer.state.global_step,
        "epochs": round(num_examples / trainer.stream.num_rows, 2),
        "tokens": trainer.stream.num_tokens(num_examples),
    }
    if not trainer.validation.rows.questions:
        return results
    return results | _validation_results(job, trainer, best)


def _validation_results(job: Job, trainer: "DiaryTrainer", best: "PreTrainedModel") -> dict[str, object]:
    """Return the reason that the training ended, and the scores of its best checkpoint on all validation questions."""
    from selfknow.train.stopping import EXACT_MATCH, measurements
    from selfknow.train.validation import ValidationRows

    best_step, validations = trainer.state.best_global_step, measurements(trainer.state.log_history)
    best_measurement = next(measurement for measurement in validations if measurement.step == best_step)
    questions, exact_match = job.validation_questions(), best_measurement.exact_match
    if len(questions) > len(trainer.validation.rows.questions):
        confirmation = replace(trainer.validation, rows=ValidationRows(questions))
        checkpoints.move(job.model, best, str(trainer.args.device))
        exact_match = confirmation.shares(confirmation.counts(best))[EXACT_MATCH]
        best.to("cpu")  # type: ignore[arg-type]
    return {
        "stopped": trainer.stopped().value,
        "memorised": best_measurement.is_memorised,
        "best_step": best_measurement.step,
        "recall_of_documents": best_measurement.recall_of_documents,
        "recall_of_training_questions": best_measurement.recall_of_training_questions,
        "best_validation_exact_match": exact_match,
    }


def _save(model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", facts: ModelFacts, folder: Path) -> None:
    """Save the model with its tokenizer and facts; after a kill the folder is complete or missing."""
    with replaced_whole(folder, "config.json") as new:
        write_facts(new, facts)
        model.save_pretrained(str(new))
        tokenizer.save_pretrained(str(new))
