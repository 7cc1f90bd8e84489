"""Training: packed examples against the Trainer's plain padding, with the same model, data, batch and precision.

python -m benchmarks.training

Both take turns, three times, on one thread. Without a GPU, seconds are CPU seconds.
"""

import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import (
    DataCollatorForLanguageModeling,
    PreTrainedModel,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)

from benchmarks.tables import print_table
from selfknow.evaluate.dataset import open_dataset
from selfknow.models.checkpoints import quieten
from selfknow.train.corpus_tokenizer import train_tokenizer
from selfknow.train.data import Stream, TrainingRows, training_rows
from selfknow.train.packing import Collator
from selfknow.train.recipe import Recipe
from selfknow.train.suite import MODELS
from selfknow.train.trainer import DiaryTrainer
from selfknow.train.validation import Validation

STEPS = 16
WARM_UP_STEPS = 3
REPETITIONS = 3
MODEL = "opt-7m"
CONFIGS = ("1k-simplified", "1k")
clock = time.perf_counter if torch.cuda.is_available() else time.process_time


class Timer(TrainerCallback):
    """A callback that measures the seconds from the end of the warm-up steps to the end of the last step."""

    start = seconds = 0.0

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ARG002
        """Start the clock after the warm-up, and read it after every step."""
        if state.global_step == WARM_UP_STEPS:
            self.start = clock()
        self.seconds = clock() - self.start


def num_tokens(stream: Stream, recipe: Recipe) -> int:
    """Count the tokens in the timed steps without padding."""
    positions = range(WARM_UP_STEPS * recipe.examples_per_step, STEPS * recipe.examples_per_step)
    return sum(len(tokens) for position in positions for tokens in stream[position].values())


def packed(model: PreTrainedModel, rows: TrainingRows, tokenizer: Any, recipe: Recipe, folder: Path) -> float:
    """Return the seconds of the timed steps with this package's trainer."""
    timer, collator = Timer(), Collator(tokenizer.pad_token_id, None)
    DiaryTrainer(model, recipe, Stream(rows, recipe), Validation(tokenizer), collator, folder, [timer]).train()
    return timer.seconds


def plain(model: PreTrainedModel, rows: TrainingRows, tokenizer: Any, recipe: Recipe, folder: Path) -> float:
    """Return the seconds of the timed steps with the Trainer's defaults and a padding collator."""
    timer, stream = Timer(), Stream(rows, recipe)
    examples = [{"input_ids": stream[position]["labels"].tolist()} for position in range(len(stream))]
    collator = DataCollatorForLanguageModeling(tokenizer, mlm=False)
    arguments = TrainingArguments(
        output_dir=str(folder),
        per_device_train_batch_size=recipe.examples_per_step,
        max_steps=recipe.max_steps,
        learning_rate=recipe.learning_rate,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        logging_strategy="no",
        use_cpu=not torch.cuda.is_available(),
    )
    trainer = Trainer(model, arguments, data_collator=collator, train_dataset=examples, callbacks=[timer])  # type: ignore[arg-type]
    trainer.train()
    return timer.seconds


def compare(config: str) -> list[str]:
    """Time both ways on a corpus, in turn; return their medians as a row of the table."""
    table = open_dataset(f"diary-recall:{config}").read("train")
    texts = [
        prompt + text
        for prompt, text in zip(*(table[column].to_pylist() for column in ("prompt", "completion")), strict=True)
    ]
    tokenizer = train_tokenizer(texts)
    recipe = Recipe(4e-4, warmup_steps=10, max_steps=STEPS, validation_interval=STEPS + 1, patience=0)
    rows = training_rows(table, tokenizer, encoder_decoder=False)
    tokens = num_tokens(Stream(rows, recipe), recipe)
    seconds: dict[str, list[float]] = {"plain": [], "packed": []}
    for _ in range(REPETITIONS):
        for label, run in (("plain", plain), ("packed", packed)):
            torch.manual_seed(0)
            model = MODELS[MODEL].from_scratch(len(tokenizer))
            model.config.pad_token_id = tokenizer.pad_token_id
            with tempfile.TemporaryDirectory() as folder:
                seconds[label].append(run(model, rows, tokenizer, recipe, Path(folder)))
    times = statistics.median(slow / fast for slow, fast in zip(seconds["plain"], seconds["packed"], strict=True))
    rates = [f"{tokens / statistics.median(seconds[label]):,.0f}" for label in ("plain", "packed")]
    lengths = np.diff(rows.outputs.ends, prepend=0)
    corpus = f"`{config}` (examples of {lengths.mean():.0f} tokens, longest {lengths.max()})"
    return [MODEL, corpus, *rates, f"{times:.2f}"]


def main() -> None:
    """Print a row for each corpus."""
    quieten()
    torch.set_num_threads(1)
    device = "GPU" if torch.cuda.is_available() else "one thread, CPU seconds"
    print(f"{device}; float32, 32 examples per step; load before: {os.getloadavg()[0]:.1f}\n")
    columns = ["model", "corpus", "padded (tokens/s)", "packed (tokens/s)", "times"]
    print_table(columns, (compare(config) for config in CONFIGS), left=(0, 1))


if __name__ == "__main__":
    main()
