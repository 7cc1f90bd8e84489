"""Replies of a local model: the test split in batches sorted by length, against ``model.generate`` one by one.

python -m benchmarks.generation --model out/demo/train/diaries-simplified --data out/demo/diaries:simplified
"""

import argparse

import torch

from benchmarks.tables import print_table
from benchmarks.timing import timed
from selfknow.evaluate.dataset import open_dataset
from selfknow.evaluate.tasks.diary_recall.prompts import answer_requests
from selfknow.models.checkpoints import quieten
from selfknow.models.interface import Decoding
from selfknow.models.local import LocalModel

REPETITIONS = 3


def one_by_one(local: LocalModel, prompts: list[str], decoding: Decoding) -> list[str]:
    """Call plain ``model.generate``, a question at a time."""
    texts = []
    for prompt in prompts:
        inputs = local.tokenizer(prompt, return_tensors="pt", return_token_type_ids=False)
        output = local.model.generate(**inputs, max_new_tokens=decoding.max_new_tokens, do_sample=False)
        texts.append(local.tokenizer.decode(output[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True))
    return texts


def main() -> None:
    """Print a row for each repetition."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True, help="a training folder or checkpoint")
    parser.add_argument("--data", required=True, help="the corpus whose test split is asked")
    arguments = parser.parse_args()
    quieten()
    local = LocalModel.load(arguments.model, precision="float32")
    requests = list(answer_requests(open_dataset(arguments.data).read("test").to_pylist()))
    decoding = Decoding()

    def row(number: int) -> list[object]:
        alone = timed(one_by_one, local, [request.prompt for request in requests], decoding)
        batched = timed(lambda: dict(local.generate(requests, decoding)))
        replies = [batched.value[request] for request in requests]
        same = sum(text == reply.generation for text, reply in zip(alone.value, replies, strict=True))
        tokens = sum(reply.completion_tokens or 0 for reply in replies)
        times = f"{alone.seconds / batched.seconds:.1f}"
        return [number, f"{tokens:,}", f"{alone.seconds:.1f}", f"{batched.seconds:.1f}", times, same]

    print(f"{len(requests)} questions, {torch.get_num_threads()} threads\n")
    columns = ["repetition", "tokens", "one by one (s)", "batched (s)", "times", "answers the same"]
    print_table(columns, map(row, range(1, REPETITIONS + 1)), left=())


if __name__ == "__main__":
    main()
