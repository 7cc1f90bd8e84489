"""Verdicts of the scorers that need an encoder on the labelled replies, for the instrument's card.

    python -m benchmarks.encoder_verdicts

The verdicts go to ``encoder_verdicts.tsv``: for every reply of the unseen part that is not documentation, and for
thirty texts of documentation of each length. Verdicts that the file has are not computed again (an id is a hash of the
reply). This takes a few minutes on two cores.
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
    """Return the unseen replies, with only some documentation of each length: long texts take long to encode."""
    num_documentation: Counter[int | None] = Counter()
    replies = []
    for reply in read_replies():
        if reply.part == UNSEEN:
            num_documentation[reply.length] += reply.manner == "documentation"
            if reply.manner != "documentation" or num_documentation[reply.length] <= DOCUMENTATION_OF_EACH:
                replies.append(reply)
    return replies


def main() -> None:
    """Judge the replies and write the table."""
    all_replies = replies_to_judge()
    known = {(row["scorer"], row["id"]): row["abstained"] for row in read_table(TABLE)}
    replies = [reply for reply in all_replies if any((scorer, reply.id) not in known for scorer in SCORERS)]
    encode = load_encoder(PACKAGED)
    for scorer in SCORERS:
        references = load_references(scorer)
        similarity = WindowSimilarity(lambda: encode, references)
        threshold = default_threshold(PACKAGED, scorer)
        verdicts = judge([reply.reply for reply in replies], scorer, references, similarity, threshold)
        for reply, verdict in zip(replies, verdicts, strict=True):
            known[scorer, reply.id] = "" if verdict.abstained is None else str(int(verdict.abstained))
    lines = [f"{reply.id}\t{scorer}\t{known[scorer, reply.id]}" for scorer in SCORERS for reply in all_replies]
    (DATASETS_SRC / TABLE).write_text("\n".join(["id\tscorer\tabstained", *lines]) + "\n", encoding="utf-8")
    num_known = len(all_replies) - len(replies)
    print(f"{len(replies):,} replies judged by {' and '.join(SCORERS)}, {num_known:,} were judged before")


if __name__ == "__main__":
    main()
