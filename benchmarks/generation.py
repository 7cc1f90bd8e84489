"""Generation: the test split in batches, sorted by length, against one-by-one ``model.generate``.

python -m benchmarks.generation                     # trains a model of 1k-simplified first
python -m benchmarks.generation --model out/demo/train/diaries-simplified --data out/demo/diaries:simplified
"""

import argparse
import tempfile
import time
from pathlib import Path

import torch

from selfknow.evaluate.dataset import open_dataset
from selfknow.evaluate.tasks.diary_recall.prompts import answer_requests
from selfknow.models.checkpoints import quieten
from selfknow.models.interface import Decoding
from selfknow.models.local import LocalModel
from selfknow.train.job import CORPUS_TOKENIZER, TrainingJob
from selfknow.train.recipe import Recipe
from selfknow.train.run import train

CONFIG = "1k-simplified"
TRAINING_STEPS = 400  # enough to write diaries that end
REPETITIONS = 3


def trained(folder: Path) -> LocalModel:
    """A small model that writes diaries."""
    recipe = Recipe(2e-3, warmup_steps=50, max_steps=TRAINING_STEPS, validation_interval=TRAINING_STEPS, patience=0)
    corpus = open_dataset(f"diary-recall:{CONFIG}")
    train(TrainingJob("opt-7m", corpus, recipe, scratch=True, tokenizer=CORPUS_TOKENIZER), folder)
    return LocalModel.load(str(folder), precision="float32")


def one_by_one(local: LocalModel, prompts: list[str], decoding: Decoding) -> list[str]:
    """Plain ``model.generate``, a question at a time."""
    texts = []
    for prompt in prompts:
        inputs = local.tokenizer(prompt, return_tensors="pt", return_token_type_ids=False)
        output = local.model.generate(**inputs, max_new_tokens=decoding.max_new_tokens, do_sample=False)
        texts.append(local.tokenizer.decode(output[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True))
    return texts


def main() -> None:
    """Print a line for each repetition."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", help="a training folder or checkpoint; none trains one")
    parser.add_argument("--data", default=f"diary-recall:{CONFIG}", help="the corpus whose test split is asked")
    arguments = parser.parse_args()
    quieten()
    if arguments.model:
        local = LocalModel.load(arguments.model, precision="float32")
    else:
        with tempfile.TemporaryDirectory() as folder:
            local = trained(Path(folder))
    asked = list(answer_requests(open_dataset(arguments.data).read("test").to_pylist()))
    decoding = Decoding()
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        alone = one_by_one(local, [request.prompt for request in asked], decoding)
        middle = time.perf_counter()
        replies = dict(local.generate(asked, decoding))
        end = time.perf_counter()
        together = [replies[request].generation for request in asked]
        tokens = sum(replies[request].completion_tokens or 0 for request in asked)
        same = sum(one == other for one, other in zip(alone, together, strict=True))
        print(
            f"{len(asked)} questions, {tokens:,} tokens, {torch.get_num_threads()} threads: one by one "
            f"{middle - start:.1f} s, batched {end - middle:.1f} s, {(middle - start) / (end - middle):.1f}x; "
            f"{same} answers the same"
        )


if __name__ == "__main__":
    main()
