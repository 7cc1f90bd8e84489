"""Verdicts of the scorers that need an encoder on the labelled replies, for the instrument's card.

    python -m benchmarks.encoder_verdicts

Writes ``encoder_verdicts.tsv``: of every reply of the unseen part that is no documentation, and of thirty of each
length that are. What stands there already is kept (an id is a hash of the reply). A few minutes on two cores.
"""

from collections import Counter

from selfknow.builders.self_aware.encoders import PACKAGED, load_encoder
from selfknow.builders.sources import DATASETS_SRC
from selfknow.builders.tables import read_table
from selfknow.evaluate.tasks.self_aware.paper_scorer import (
    SCORERS,
    WindowSimilarity,
    default_threshold,
    judge,
    load_references,
)
from selfknow.evaluate.tasks.self_aware.read_replies import UNSEEN, ReadReply, read_replies

TABLE = "self_aware/replies/encoder_verdicts.tsv"
DOCUMENTATION_OF_EACH = 30


def replies_to_judge() -> list[ReadReply]:
    """Keep of the documentation only so many of each length: the windows of long texts take long to encode."""
    taken: Counter[int | None] = Counter()
    chosen = []
    for one in read_replies():
        if one.part == UNSEEN:
            taken[one.length] += one.manner == "documentation"
            if one.manner != "documentation" or taken[one.length] <= DOCUMENTATION_OF_EACH:
                chosen.append(one)
    return chosen


def main() -> None:
    """Judge them and write the table."""
    wanted = replies_to_judge()
    known = {(row["scorer"], row["id"]): row["abstained"] for row in read_table(TABLE)}
    replies = [one for one in wanted if any((scorer, one.id) not in known for scorer in SCORERS)]
    encode = load_encoder(PACKAGED)
    for scorer in SCORERS:
        references = load_references(scorer)
        similarity = WindowSimilarity(lambda: encode, references)
        threshold = default_threshold(PACKAGED, scorer)
        verdicts = judge([one.reply for one in replies], scorer, references, similarity, threshold)
        for one, verdict in zip(replies, verdicts, strict=True):
            known[scorer, one.id] = "" if verdict.abstained is None else str(int(verdict.abstained))
    lines = [f"{one.id}\t{scorer}\t{known[scorer, one.id]}" for scorer in SCORERS for one in wanted]
    (DATASETS_SRC / TABLE).write_text("\n".join(["id\tscorer\tabstained", *lines]) + "\n", encoding="utf-8")
    print(f"{len(replies):,} replies judged by {' and '.join(SCORERS)}, {len(wanted) - len(replies):,} kept")


if __name__ == "__main__":
    main()
