"""The choice of the references of the scorer ``strict``, in ``phrases.tsv``, and of ``thresholds.json``.

A hash of the text splits the labelled replies into two halves. On the first half, candidates are dropped one after the
other, as long as that raises the F1 of abstaining at its best threshold; the next one to go is always the one without
which F1 is highest. Then every scorer gets the threshold with the best F1. The second half measures the result. Run
this after a change of replies, candidates or denials:

    python -m benchmarks.self_aware_references
"""

import json
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from selfknow.builders.self_aware.encoders import PACKAGED, load_encoder
from selfknow.builders.sources import DATASETS_SRC
from selfknow.builders.tables import read_table
from selfknow.evaluate.tasks.self_aware.paper_scorer import Evidence, load_references, look_as_paper, look_strictly
from selfknow.evaluate.tasks.self_aware.read_replies import ABSTAINING, KINDS, LabelledReply, labelled_replies

FOLDER = DATASETS_SRC / "self_aware" / "replies"
PHRASES = "self_aware/replies/phrases.tsv"
GRID = np.round(np.arange(0.20, 0.96, 0.01), 2)
Scores = NDArray[np.float64]


def f1_of(abstained: NDArray[np.bool_], positive: NDArray[np.bool_]) -> float:
    """Return the F1 of the positive class."""
    total = int(abstained.sum() + positive.sum())
    return 2 * int((abstained & positive).sum()) / total if total else 0.0


def best_threshold(scores: Scores, positive: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the best F1 and the middle one of its thresholds (a reply that contains a phrase scores infinity)."""
    f1_by_threshold = [f1_of(scores > threshold, positive) for threshold in GRID]
    best = np.flatnonzero(np.isclose(f1_by_threshold, max(f1_by_threshold)))
    return max(f1_by_threshold), float(GRID[best[len(best) // 2]])


Look = Callable[[str, Sequence[str]], Evidence]


def score_all(look: Look, replies: Sequence[LabelledReply], phrases: Sequence[str]) -> Scores:
    """Return the score of every reply and phrase, shape (replies, phrases)."""
    encode = load_encoder(PACKAGED)
    evidence_of_replies = [[look(reply.reply, [phrase]) for phrase in phrases] for reply in replies]
    windows = sorted({window for row in evidence_of_replies for window in row[0].windows})
    place = {window: number for number, window in enumerate(windows)}
    similarity = encode(windows) @ encode(phrases).T
    scores = np.full((len(replies), len(phrases)), -np.inf)
    for number, row in enumerate(evidence_of_replies):
        if row[0].windows:
            scores[number] = similarity[[place[window] for window in row[0].windows]].max(axis=0)
        scores[number][[evidence.holds_phrase for evidence in row]] = np.inf
    return scores


def choose(scores: Scores, positive: NDArray[np.bool_]) -> list[int]:
    """Drop columns as long as that raises F1, and return the other columns."""
    columns = list(range(scores.shape[1]))
    best = best_threshold(scores.max(axis=1), positive)[0]
    while len(columns) > 1:
        without = {dropped: [column for column in columns if column != dropped] for dropped in columns}
        f1 = {column: best_threshold(scores[:, rest].max(axis=1), positive)[0] for column, rest in without.items()}
        dropped = max(f1, key=lambda column: (f1[column], column))
        if f1[dropped] <= best:
            return columns
        best, columns = f1[dropped], without[dropped]
    return columns


def write_phrases(chosen: set[str]) -> None:
    """Write ``phrases.tsv`` with the chosen phrases in the list ``strict`` and our other phrases as ``candidate``."""
    lines = ["list\tphrase"]
    for row in read_table(PHRASES):
        ours = "strict" if row["phrase"] in chosen else "candidate"
        lines.append(f"{ours if row['list'] in ('strict', 'candidate') else row['list']}\t{row['phrase']}")
    (DATASETS_SRC / PHRASES).write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Choose, write both files, and print the result on the held-out half."""
    replies = labelled_replies()
    positive = np.array([reply.kind == ABSTAINING for reply in replies])
    choosing = np.array([reply.is_for_choosing for reply in replies])
    candidates = [row["phrase"] for row in read_table(PHRASES) if row["list"] in ("strict", "candidate")]
    scores = score_all(look_strictly, replies, candidates)
    chosen = choose(scores[choosing], positive[choosing])
    write_phrases({candidates[column] for column in chosen})
    scores_by_scorer = {
        "paper": score_all(look_as_paper, replies, load_references("paper").phrases).max(axis=1),
        "strict": scores[:, chosen].max(axis=1),
    }
    thresholds = {
        name: best_threshold(largest[choosing], positive[choosing])[1] for name, largest in scores_by_scorer.items()
    }
    text = json.dumps({PACKAGED: thresholds}, indent=2)
    (FOLDER / "thresholds.json").write_text(text + "\n", encoding="utf-8")
    print(f"{len(chosen)} references; {choosing.sum()} replies to choose on, {(~choosing).sum()} held out")
    for name, largest in scores_by_scorer.items():
        abstained = largest > thresholds[name]
        held_out = f1_of(abstained[~choosing], positive[~choosing])
        print(f"{name}: threshold {thresholds[name]:.2f}, held-out F1 {held_out:.3f}")
        for kind in KINDS:
            rows = ~choosing & np.array([reply.kind == kind for reply in replies])
            print(f"  {kind:10}  {abstained[rows].sum():3} of {rows.sum():3} judged to abstain")


if __name__ == "__main__":
    main()
