"""Replies of mixed length: ours against lm-evaluation-harness, in turn, with one model in memory.

python -m benchmarks.lm_evaluation_harness --model MODEL [--precision bfloat16]

This needs ``pip install lm-eval==0.4.13``, which is not a dependency of this package. Both get the same rendered
prompts, the same batch size and the same limits, in one call. The replies differ in length in three cases:

- ``lengths``: prompts ask for a word, a sentence or a paragraph; all have one limit.
- ``limits``: the same prompts, with limits of 8, 32, 64 and 128 tokens in turn.
- ``full``: all prompts ask for a paragraph, with the same limits in turn, which nearly all replies reach.
"""

import argparse
import statistics
from collections.abc import Mapping, Sequence
from importlib import metadata

import torch

from benchmarks.tables import print_table
from benchmarks.timing import timed
from selfknow.builders.self_aware.questions import questions
from selfknow.models.checkpoints import quieten
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.models.local import LocalModel

WISHES = ("Answer in one word.", "Answer in one sentence.", "Answer in a paragraph.")
LIMITS = (8, 32, 64, 128)
CASES = {"lengths": (WISHES, (128,)), "limits": (WISHES, LIMITS), "full": (WISHES[-1:], LIMITS)}


def requests(case: str, num_prompts: int) -> list[Request]:
    """Return the requests of a case: the first answerable questions of self-aware, with every wish for a length."""
    wishes, limits = CASES[case]
    prompts = [f"{row.question} {wish}" for row in questions("answerable")[:num_prompts] for wish in wishes]
    return [
        Request(str(place), prompt, max_new_tokens=limits[place % len(limits)])
        for place, prompt in enumerate(prompts[:num_prompts])
    ]


def by_harness(local: LocalModel, replies: Mapping[Request, Reply]) -> list[str]:
    """Ask the model in memory with lm-evaluation-harness, in the order of the replies."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    harness = HFLM(local.model, tokenizer=local.tokenizer, batch_size=local.batch_size)
    instances = []
    for place, (request, reply) in enumerate(replies.items()):
        wishes = {"until": [], "max_gen_toks": request.max_new_tokens, "do_sample": False}
        instances.append(Instance("generate_until", {}, (reply.rendered_prompt, wishes), place))
    return list(harness.generate_until(instances, disable_tqdm=True))


def by_us(local: LocalModel, requests: Sequence[Request]) -> dict[Request, Reply]:
    """Ask the model in memory with this package."""
    replies = dict(local.generate(requests, Decoding()))
    return {request: replies[request] for request in requests}


def compare(case: str, local: LocalModel, num_prompts: int, batch_size: int, repetitions: int) -> list[object]:
    """Return the row of a case, with the medians of CPU seconds over all repetitions."""
    ours, harness = [], []
    for _ in range(repetitions):
        local.batch_size = batch_size
        ours.append(timed(by_us, local, requests(case, num_prompts)))
        replies: dict[Request, Reply] = ours[-1].value
        harness.append(timed(by_harness, local, replies))
    lengths = sorted(reply.completion_tokens or 0 for reply in replies.values())
    texts = ((reply.generation or "").strip() for reply in replies.values())
    same = sum(text == other.strip() for text, other in zip(texts, harness[-1].value, strict=True))
    tokens = f"{lengths[0]} to {lengths[-1]}, {lengths[len(lengths) // 2]}, {sum(lengths):,}"
    our_seconds, harness_seconds = (
        statistics.median(measurement.cpu_seconds for measurement in measurements) for measurements in (ours, harness)
    )
    times = f"{harness_seconds / our_seconds:.2f}"
    return [tokens, f"{our_seconds:.1f}", f"{harness_seconds:.1f}", times, f"{same} of {len(replies)}"]


def main() -> None:
    """Print a row for each case."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True, help="a chat model's checkpoint, such as a folder with SmolLM2-135M")
    parser.add_argument("--precision", default="float32")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--prompts", type=int, default=64)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    quieten()
    local = LocalModel.load(arguments.model, precision=arguments.precision)

    print(f"lm-eval {metadata.version('lm-eval')}, {torch.get_num_threads()} threads, ", end="")
    print(f"{arguments.prompts} prompts, median of {arguments.repetitions} repetitions in turn\n", flush=True)
    columns = ["case", "precision", "replies (tokens, median, all)", "ours (CPU s)", "lm-eval (CPU s)", "times"]
    sizes = (arguments.prompts, arguments.batch_size, arguments.repetitions)
    rows = ([f"`{case}`", arguments.precision, *compare(case, local, *sizes)] for case in arguments.cases)
    print_table([*columns, "texts the same"], rows, left=(0, 1, 2))


if __name__ == "__main__":
    main()
