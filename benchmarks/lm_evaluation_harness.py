"""Replies of mixed length: ours against lm-evaluation-harness, in turn, with one model in memory.

python -m benchmarks.lm_evaluation_harness --model MODEL [--precision bfloat16]

Needs ``pip install lm-eval==0.4.13``, which is no part of this package. Every question is asked three times: for a
word, for a sentence and for a paragraph. Both get the same rendered prompts, the same batch size and the same limit.
"""

import argparse
from importlib import metadata

import torch

from benchmarks.tables import print_table
from benchmarks.timing import timed
from selfknow.builders.self_aware.questions import questions
from selfknow.models.checkpoints import quieten
from selfknow.models.interface import Decoding, Request
from selfknow.models.local import LocalModel

WISHES = ("Answer in one word.", "Answer in one sentence.", "Answer in a paragraph.")


def prompts(num_questions: int) -> list[str]:
    """Return the first answerable questions of self-aware, each with every wish."""
    texts = [row.question for row in questions("answerable")[:num_questions]]
    return [f"{question} {wish}" for question in texts for wish in WISHES]


def by_harness(local: LocalModel, rendered: list[str], max_new_tokens: int) -> list[str]:
    """Ask the model in memory with lm-evaluation-harness."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    harness = HFLM(local.model, tokenizer=local.tokenizer, batch_size=local.batch_size)
    wishes = {"until": [], "max_gen_toks": max_new_tokens, "do_sample": False}
    instances = [Instance("generate_until", {}, (prompt, dict(wishes)), place) for place, prompt in enumerate(rendered)]
    return list(harness.generate_until(instances, disable_tqdm=True))


def main() -> None:
    """Print a row for each repetition."""
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
    requests = [Request(str(place), prompt) for place, prompt in enumerate(prompts(arguments.questions))]
    decoding = Decoding(max_new_tokens=arguments.max_new_tokens)

    def row(number: int) -> list[object]:
        local.batch_size = arguments.batch_size
        ours = timed(lambda: dict(local.generate(requests, decoding)))
        replies = [ours.value[request] for request in requests]
        rendered = [reply.rendered_prompt or "" for reply in replies]
        harness = timed(by_harness, local, rendered, arguments.max_new_tokens)
        lengths = sorted(reply.completion_tokens or 0 for reply in replies)
        texts = ((reply.generation or "").strip() for reply in replies)
        same = sum(text == other.strip() for text, other in zip(texts, harness.value, strict=True))
        tokens = f"{lengths[0]} to {lengths[-1]}, {lengths[len(lengths) // 2]}, {sum(lengths):,}"
        seconds = [f"{ours.seconds:.1f}", f"{harness.seconds:.1f}", f"{harness.seconds / ours.seconds:.2f}"]
        return [arguments.precision, number, tokens, *seconds, f"{same} of {len(replies)}"]

    print(f"lm-eval {metadata.version('lm-eval')}, {torch.get_num_threads()} threads\n", flush=True)
    columns = ["precision", "repetition", "replies (tokens, median, all)", "ours (s)", "lm-eval (s)", "times"]
    print_table([*columns, "texts the same"], map(row, range(1, arguments.repetitions + 1)), left=(0, 2))


if __name__ == "__main__":
    main()
