"""Replies of mixed length: ours against lm-evaluation-harness, in turn, in one process, with one model in memory.

python -m benchmarks.lm_evaluation_harness --model MODEL [--precision bfloat16]

Needs ``pip install lm-eval==0.4.13``, which is no part of this package. Every question is asked three times: for a
word, for a sentence and for a paragraph. Both get the same rendered prompts, the same batch size and the same limit.
"""

import argparse
import time
from importlib import metadata

import torch

from selfknow.builders.self_aware.questions import questions
from selfknow.models.checkpoints import quieten
from selfknow.models.interface import Decoding, Request
from selfknow.models.local import LocalModel

WISHES = ("Answer in one word.", "Answer in one sentence.", "Answer in a paragraph.")


def prompts(num_questions: int) -> list[str]:
    """The first questions of self-aware that have an answer, each with every wish."""
    asked = [row.question for row in questions("answerable")[:num_questions]]
    return [f"{question} {wish}" for question in asked for wish in WISHES]


def by_harness(local: LocalModel, rendered: list[str], max_new_tokens: int) -> list[str]:
    """What lm-evaluation-harness makes of rendered prompts, with the model that is in memory."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    harness = HFLM(local.model, tokenizer=local.tokenizer, batch_size=local.batch_size)
    wishes = {"until": [], "max_gen_toks": max_new_tokens, "do_sample": False}
    asked = [Instance("generate_until", {}, (prompt, dict(wishes)), place) for place, prompt in enumerate(rendered)]
    return list(harness.generate_until(asked, disable_tqdm=True))


def main() -> None:
    """Print a line for each repetition, and the median ratio."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True, help="a checkpoint that chats, such as a folder with SmolLM2-135M")
    parser.add_argument("--precision", default="float32")
    parser.add_argument("--questions", type=int, default=32, help="each is asked three times")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--max-new-tokens", type=int, default=128)
    parser.add_argument("--repetitions", type=int, default=2)
    arguments = parser.parse_args()
    quieten()
    local = LocalModel.load(arguments.model, precision=arguments.precision)
    asked = [Request(str(place), prompt) for place, prompt in enumerate(prompts(arguments.questions))]
    decoding = Decoding(max_new_tokens=arguments.max_new_tokens)
    print(
        f"lm-eval {metadata.version('lm-eval')}, {arguments.precision}, {torch.get_num_threads()} threads", flush=True
    )
    ratios = []
    for _ in range(arguments.repetitions):
        local.batch_size = arguments.batch_size
        start = time.perf_counter()
        replies = dict(local.generate(asked, decoding))
        middle = time.perf_counter()
        theirs = by_harness(local, [replies[one].rendered_prompt or "" for one in asked], arguments.max_new_tokens)
        end = time.perf_counter()
        lengths = sorted(replies[one].completion_tokens or 0 for one in asked)
        ours = [(replies[one].generation or "").strip() for one in asked]
        same = sum(one == other.strip() for one, other in zip(ours, theirs, strict=True))
        ratios.append((end - middle) / (middle - start))
        print(
            f"{len(asked)} prompts, replies of {lengths[0]} to {lengths[-1]} tokens (median "
            f"{lengths[len(asked) // 2]}, {sum(lengths):,} in all): ours {middle - start:.1f} s, lm-eval "
            f"{end - middle:.1f} s, {ratios[-1]:.2f} times; {same} texts the same",
            flush=True,
        )
    print(f"median {sorted(ratios)[len(ratios) // 2]:.2f}")


if __name__ == "__main__":
    main()
