"""The ``transformers`` Trainer with the paper's settings, packed examples and whole-answer validation."""

import json
import shutil
from collections.abc import Mapping, Sequence
from math import gcd
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import torch
from transformers import PrinterCallback, ProgressCallback, Trainer, TrainerCallback, TrainerState, TrainingArguments
from transformers.trainer import TRAINER_STATE_NAME

from selfknow.train.batch import Batch
from selfknow.train.data import Stream
from selfknow.train.muon import muon_optimizer
from selfknow.train.packed_forward import accept_packed_rows
from selfknow.train.packing import IGNORED, Collator, model_inputs
from selfknow.train.recipe import OptimizerName, Recipe
from selfknow.train.stopping import Stopped, at_plateau, best_measurement, measurements
from selfknow.train.validation import Validation

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_SELECTION = "selection"  # metric by which the Trainer keeps a checkpoint: its step if it is the best so far, else 0
_LOGGING_INTERVAL = 50  # largest number of steps between two losses in the log


def training_arguments(
    recipe: Recipe,
    folder: Path,
    num_steps: int,
    batch: Batch,
    *,
    validates: bool = True,
    report_to: Sequence[str] = (),
) -> TrainingArguments:
    """Translate a recipe into the Trainer's arguments.

    Args:
        recipe: The recipe.
        folder: The folder for checkpoints.
        num_steps: Steps of the whole training.
        batch: A process's share of a step.
        validates: Validate at every interval.
        report_to: Experiment trackers, by their names in ``transformers``.
    """
    return TrainingArguments(
        output_dir=str(folder),
        per_device_train_batch_size=batch.micro_batch_size,
        gradient_accumulation_steps=batch.num_micro_batches,
        train_sampling_strategy="sequential",
        max_steps=num_steps,
        learning_rate=recipe.learning_rate,
        **_schedule(recipe, num_steps),
        optim="adamw_torch_fused",  # with no weight decay, AdamW is Adam
        adam_beta1=recipe.adam_beta1,
        adam_beta2=recipe.adam_beta2,
        adam_epsilon=recipe.adam_epsilon,
        weight_decay=recipe.weight_decay,
        max_grad_norm=recipe.max_grad_norm,
        eval_strategy="steps" if validates else "no",
        eval_steps=recipe.validation_interval,
        save_strategy="steps",
        save_steps=recipe.validation_interval,
        save_total_limit=2,  # the last and the best, which is never deleted
        metric_for_best_model=_SELECTION,
        greater_is_better=True,
        logging_steps=gcd(recipe.validation_interval, _LOGGING_INTERVAL),
        bf16=recipe.precision == "bfloat16",
        torch_compile=recipe.compile,
        remove_unused_columns=False,
        disable_tqdm=True,
        report_to=list(report_to) or "none",
        run_name=folder.resolve().parent.name,
        project="selfknow",
        seed=recipe.seed,
        data_seed=recipe.seed,
        use_cpu=not torch.cuda.is_available() and not torch.backends.mps.is_available(),
    )


def _schedule(recipe: Recipe, num_steps: int) -> dict[str, Any]:
    """Return the learning rate's schedule: warm-up, constant, and a linear decay at the end if the recipe has one."""
    if not recipe.decay:
        return {"lr_scheduler_type": "constant_with_warmup", "warmup_steps": recipe.warmup_steps}
    num_decay_steps = round(recipe.decay * num_steps)
    return {
        "lr_scheduler_type": "warmup_stable_decay",
        "warmup_steps": min(recipe.warmup_steps, num_steps - num_decay_steps),
        "lr_scheduler_kwargs": {"num_decay_steps": num_decay_steps, "decay_type": "linear"},
    }


class EndCallback(TrainerCallback):
    """A callback that stops a training at its plateau, and validates the last step at its cap."""

    def __init__(self, recipe: Recipe, num_rows: int) -> None:
        self._recipe, self._num_rows = recipe, num_rows

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ARG002
        """Validate after the last step, even between two validations."""
        if state.global_step >= state.max_steps and args.eval_strategy != "no":
            control.should_evaluate = True

    def on_evaluate(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ARG002
        """Stop at the plateau of all validations so far, including those before a kill."""
        if at_plateau(measurements(state.log_history), self._recipe, self._num_rows):
            control.should_training_stop = True


class DiaryTrainer(Trainer):
    """A Trainer that packs examples and validates by generating whole answers.

    Args:
        model: The model.
        recipe: The recipe.
        stream: All examples of the training, in order.
        validation: The validation.
        collator: The layout of a micro-batch's examples.
        folder: The folder for checkpoints.
        callbacks: Further callbacks, such as a progress bar.
        batch: A process's share of a step; null for all of the step's examples at once.
        report_to: Experiment trackers, by their names in ``transformers``.
    """

    def __init__(
        self,
        model: "PreTrainedModel",
        recipe: Recipe,
        stream: Stream,
        validation: Validation,
        collator: Collator,
        folder: Path,
        callbacks: Sequence[TrainerCallback] = (),
        batch: Batch | None = None,
        report_to: Sequence[str] = (),
    ) -> None:
        if model.config.is_encoder_decoder:
            accept_packed_rows(model)
        super().__init__(
            model=model,
            args=training_arguments(
                recipe,
                folder,
                recipe.num_steps(stream.num_rows),
                batch or Batch(recipe.examples_per_step, 1),
                validates=bool(validation.rows.questions),
                report_to=report_to,
            ),
            data_collator=collator,
            train_dataset=stream,
            eval_dataset=stream,  # required but never read, since validation generates replies
            callbacks=[*callbacks, EndCallback(recipe, stream.num_rows)],
        )
        self.model_accepts_loss_kwargs = True  # compute_loss divides by the tokens of the whole step
        self.stream, self.validation = stream, validation
        self._recipe = recipe
        for printing in (PrinterCallback, ProgressCallback):
            self.remove_callback(printing)

    def train_to_the_end(self, resumed: Path | None = None) -> None:
        """Train, from a checkpoint if there is one; do nothing if the training has ended already."""
        if resumed is not None:
            state = TrainerState.load_from_json(str(resumed / TRAINER_STATE_NAME))
            validations = measurements(state.log_history)
            if state.global_step >= self.args.max_steps or at_plateau(validations, self._recipe, self.stream.num_rows):
                self.state = state
                return
        self.train(resume_from_checkpoint=None if resumed is None else str(resumed))

    def stopped(self) -> Stopped:
        """Return the reason that the training ended."""
        at_end = at_plateau(measurements(self.state.log_history), self._recipe, self.stream.num_rows)
        return Stopped.plateau if at_end else Stopped.cap

    def create_optimizer(self, model: Any = None) -> torch.optim.Optimizer:
        """Make the recipe's optimizer."""
        if self.optimizer is None and self._recipe.optimizer == OptimizerName.muon:
            self.optimizer = muon_optimizer(
                cast("PreTrainedModel", self.model if model is None else model), self._recipe
            )
        return super().create_optimizer(model)

    def compute_loss(
        self,
        model: Any,
        inputs: dict[str, torch.Tensor],
        return_outputs: bool = False,
        num_items_in_batch: torch.Tensor | int | None = None,
    ) -> Any:
        """Return the mean cross-entropy over the step's tokens on all devices."""
        prepared = model_inputs(inputs, torch.float32)
        labels = prepared.pop("labels")
        outputs = model(**prepared, use_cache=False)
        logits = outputs.logits
        if "encoder_mask" not in prepared:  # at each token, a causal model predicts the next
            logits, labels = logits[:, :-1], labels[:, 1:]
        total = torch.nn.functional.cross_entropy(
            logits.reshape(-1, logits.shape[-1]).float(), labels.reshape(-1), ignore_index=IGNORED, reduction="sum"
        )
        # The Trainer averages gradients over devices, but num_items_in_batch counts the tokens of all devices.
        count = (labels != IGNORED).sum() if num_items_in_batch is None else num_items_in_batch
        devices = 1 if num_items_in_batch is None else self.accelerator.num_processes
        loss = total * devices / count
        return (loss, outputs) if return_outputs else loss

    def evaluate(self, *_: object, **__: object) -> dict[str, float]:
        """Generate the validation's answers greedily, and log exact match of answers and recall of texts."""
        model = self.accelerator.unwrap_model(self.model)
        was_training = model.training
        model.eval()
        counts = self.validation.counts(model, self.accelerator.process_index, self.accelerator.num_processes)
        model.train(was_training)
        totals = self.accelerator.reduce(torch.tensor(list(counts.values()), device=self.accelerator.device), "sum")
        shares = self.validation.shares({name: float(value) for name, value in zip(counts, totals, strict=True)})
        metrics = {f"eval_{name}": share for name, share in shares.items()}
        self.log(dict(metrics))
        step = self.state.global_step
        best = best_measurement(measurements(self.state.log_history), self._recipe)
        metrics[f"eval_{_SELECTION}"] = step if best.step == step else 0
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        return metrics


def latest_checkpoint(folder: Path) -> Path | None:
    """Return the last complete checkpoint, and remove the incomplete ones that a kill left."""
    checkpoints: list[tuple[int, Path]] = []
    for path in folder.glob("checkpoint-*"):
        try:
            state: Mapping[str, Any] = json.loads((path / "trainer_state.json").read_text(encoding="utf-8"))
            checkpoints.append((int(state["global_step"]), path))
        except (OSError, ValueError):
            shutil.rmtree(path, ignore_errors=True)
    return max(checkpoints)[1] if checkpoints else None
