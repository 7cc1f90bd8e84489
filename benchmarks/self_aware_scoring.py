"""How fast replies are judged: each window of all replies once, in batches, against every window on its own.

    python -m benchmarks.self_aware_scoring [REPLIES]

The replies are made of the labelled ones, two to four each, as models write them: the verdicts must be the same, and
the similarities within 1e-5.
"""

import sys
import time

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
    """Replies of two to four labelled ones; a text comes again as often as models repeat themselves."""
    texts = [one.reply for one in labelled_replies()]
    return [
        " ".join(texts[(place * 7 + step * 101) % len(texts)] for step in range(2 + place % 3))
        for place in range(number)
    ]


def main(number: int = 200) -> None:
    """Measure both ways, one after the other, and compare what they find."""
    replies, references, encode = made_replies(number), load_references("paper"), load_encoder(PACKAGED)
    threshold = default_threshold(PACKAGED, "paper")
    encode(["to warm up"])
    start = time.perf_counter()
    verdicts = judge(replies, "paper", references, WindowSimilarity(lambda: encode, references), threshold)
    ours = time.perf_counter() - start
    start = time.perf_counter()
    vectors = encode(references.phrases)
    alone = [
        max(float((encode([window]) @ vectors.T).max()) for piece in sentences(reply) for window in windows(piece))
        for reply in replies
    ]
    theirs = time.perf_counter() - start
    found = [verdict.max_similarity or 0.0 for verdict in verdicts]
    largest = max(abs(one - other) for one, other in zip(found, alone, strict=True))
    same = all(
        (verdict.abstained == 1) == (verdict.holds_phrase or similarity > threshold)
        for verdict, similarity in zip(verdicts, alone, strict=True)
    )
    print(f"{number} replies: {ours:.2f} s, every window on its own {theirs:.2f} s, {theirs / ours:.1f} times as fast")
    print(f"the same verdicts: {same}; similarities at most {largest:.1e} apart")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
