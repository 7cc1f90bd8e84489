"""The scoring of replies: windows in batches, each distinct one once, against every window on its own.

    python -m benchmarks.self_aware_scoring [REPLIES]

Each reply joins two to four labelled replies. The verdicts must be the same, and the similarities within 1e-5.
"""

import sys

from benchmarks.timing import timed
from selfknow.builders.self_aware.encoders import PACKAGED, load_encoder
from selfknow.evaluate.tasks.self_aware.paper_scorer import (
    WindowSimilarity,
    default_threshold,
    judge,
    load_references,
    sentences,
    windows,
)
from selfknow.evaluate.tasks.self_aware.read_replies import labelled_replies


def made_replies(number: int) -> list[str]:
    """Make replies of two to four labelled replies, with repetitions as in models' replies."""
    texts = [reply.reply for reply in labelled_replies()]
    return [
        " ".join(texts[(place * 7 + step * 101) % len(texts)] for step in range(2 + place % 3))
        for place in range(number)
    ]


def main(number: int = 200) -> None:
    """Measure both ways, one after the other, and compare their verdicts."""
    replies, references, encode = made_replies(number), load_references("paper"), load_encoder(PACKAGED)
    threshold = default_threshold(PACKAGED, "paper")
    encode(["to warm up"])
    similarity = WindowSimilarity(lambda: encode, references)
    batched = timed(judge, replies, "paper", references, similarity, threshold)

    def judge_alone() -> list[float]:
        vectors = encode(references.phrases)
        return [
            max(float((encode([window]) @ vectors.T).max()) for piece in sentences(reply) for window in windows(piece))
            for reply in replies
        ]

    one_by_one = timed(judge_alone)
    verdicts, alone, ours, theirs = batched.value, one_by_one.value, batched.seconds, one_by_one.seconds
    similarities = [verdict.max_similarity or 0.0 for verdict in verdicts]
    largest = max(abs(first - second) for first, second in zip(similarities, alone, strict=True))
    same = all(
        (verdict.abstained == 1) == (verdict.holds_phrase or similarity > threshold)
        for verdict, similarity in zip(verdicts, alone, strict=True)
    )
    print(f"{number} replies: {ours:.2f} s, every window on its own {theirs:.2f} s, {theirs / ours:.1f} times as fast")
    print(f"the same verdicts: {same}; similarities at most {largest:.1e} apart")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
