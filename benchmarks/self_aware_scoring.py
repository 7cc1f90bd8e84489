"""The scoring of self-aware replies: the reading of sentences, and the encoding of windows, each beside a simpler way.

    python -m benchmarks.self_aware_scoring [REPLIES]

- Reading: the packaged replies that were read twice, and those of the packaged runs. The simpler way joins the regular
  expressions of a group by ``|``. The readings must be the same.
- Windows: each distinct window is encoded once, in batches. The simpler way encodes every window on its own. Each reply
  joins two to four labelled replies. The verdicts must be the same, and the similarities within 1e-5.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from unittest.mock import patch

import pyarrow.parquet as pq

from benchmarks.tables import print_table
from benchmarks.timing import timed
from selfknow.builders.self_aware.encoders import PACKAGED, load_encoder
from selfknow.builders.sources import DATASETS_SRC
from selfknow.evaluate.tasks.self_aware.paper_scorer import (
    WindowSimilarity,
    default_threshold,
    judge,
    load_references,
    sentences,
    windows,
)
from selfknow.evaluate.tasks.self_aware.pattern_groups import PatternGroups
from selfknow.evaluate.tasks.self_aware.read_replies import labelled_replies, read_replies
from selfknow.evaluate.tasks.self_aware.reading import Reading, read_reply


def joined_replies(number: int) -> list[str]:
    """Return replies that join two to four labelled replies, with repetitions as in models' replies."""
    texts = [reply.reply for reply in labelled_replies()]
    return [
        " ".join(texts[(place * 7 + step * 101) % len(texts)] for step in range(2 + place % 3))
        for place in range(number)
    ]


def packaged_replies() -> dict[str, list[tuple[str, str]]]:
    """Return replies with their prompts, by their source, without duplicates."""
    pairs: dict[tuple[str, str], None] = {}
    for path in sorted(Path(str(DATASETS_SRC), "model_replies", "runs").glob("*/self-aware-*/generations/*.parquet")):
        rows = pq.read_table(path, columns=["generation", "prompt"], partitioning=None).to_pylist()
        pairs |= {(row["generation"], row["prompt"]): None for row in rows if row["generation"]}
    return {"read twice": [(reply.reply, reply.question or "") for reply in read_replies()], "of runs": list(pairs)}


def read_all(pairs: Sequence[tuple[str, str]]) -> list[Reading]:
    """Read replies, each with its prompt."""
    return [read_reply(*pair) for pair in pairs]


def compare_readings() -> None:
    """Print the replies that are read per CPU second with the index of words, and with joined expressions."""
    rows = []
    for name, pairs in packaged_replies().items():
        read_all(pairs[:20])
        ways: list[list[float]] = [[], []]
        for _ in range(3):
            ours = timed(read_all, pairs)
            with (
                patch.object(PatternGroups, "search", lambda groups, name, text: groups.joined[name].search(text)),
                patch.object(PatternGroups, "holds", lambda groups, name, text: bool(groups.joined[name].search(text))),
            ):
                plain = timed(read_all, pairs)
            if ours.value != plain.value:
                raise SystemExit(f"{name}: the readings differ")
            for seconds, way in zip(ways, (ours, plain), strict=True):
                seconds.append(way.cpu_seconds)
        length = sum(len(reply) for reply, _ in pairs) / len(pairs)
        times = median(plain / ours for ours, plain in zip(*ways, strict=True))
        speeds = [f"{len(pairs) / median(way):,.0f}" for way in ways]
        rows.append([f"{name} ({len(pairs):,}, {length:.0f} characters)", *speeds, f"{times:.2f}"])
    print_table(["replies", "a CPU second", "joined expressions", "times"], rows)


def main(number: int = 200) -> None:
    """Measure both ways for reading and for windows, and compare their results."""
    compare_readings()
    replies, references, encode = joined_replies(number), load_references("paper"), load_encoder(PACKAGED)
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
    verdicts, alone = batched.value, one_by_one.value
    similarities = [verdict.max_similarity or 0.0 for verdict in verdicts]
    largest = max(abs(first - second) for first, second in zip(similarities, alone, strict=True))
    same = all(
        (verdict.abstained == 1) == (verdict.holds_phrase or similarity > threshold)
        for verdict, similarity in zip(verdicts, alone, strict=True)
    )
    times = one_by_one.seconds / batched.seconds
    print(
        f"{number} replies: {batched.seconds:.2f} s; every window on its own: {one_by_one.seconds:.2f} s ({times:.1f}x)"
    )
    print(f"the same verdicts: {same}; similarities at most {largest:.1e} apart")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
