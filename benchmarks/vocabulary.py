"""The vocabulary of ``self-aware``, ours and the authors': words that reveal the class, and the similarity of pairs.

The command prints the AUC of a logistic regression on words, on words and bigrams (TF-IDF), and on the packaged
sentence encoder, in five folds: random folds, folds that split no pair, and folds that split no cluster of similar
questions (k-means over TF-IDF). The authors' questions have no pairs.

    python -m benchmarks.vocabulary [SelfAware.json]
"""

import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, cross_val_predict

from selfknow.builders.self_aware.encoders import PACKAGED, load_encoder
from selfknow.builders.self_aware.original import parse
from selfknow.builders.self_aware.questions import SPLITS, Question, questions

NUM_CLUSTERS = 100
_WORDS = r"(?u)\b\w+\b"
_SMALL_NUMBERS = {"one", "two", "six", "ten"}
Labels = NDArray[np.bool_]
Floats = NDArray[np.float32]


def main() -> None:
    """Print a row for each measure: of our questions, and of the authors' if their file is named."""
    datasets = [measures([question for split in SPLITS for question in questions(split)])]
    if len(sys.argv) > 1:
        datasets.append(measures(parse(Path(sys.argv[1]).read_bytes())))
    for name in datasets[0]:
        print(" | ".join([name, *(results.get(name, "") for results in datasets)]))


def measures(rows: Sequence[Question]) -> dict[str, str]:
    """Return every measure of a dataset, by name."""
    texts = [row.question for row in rows]
    unanswerable = np.array([not row.answerable for row in rows])
    vectors = load_encoder(PACKAGED)(texts)
    results = _areas(texts, unanswerable, vectors, [row.pair_id for row in rows])
    halves = {name: [row for row in rows if row.answerable == (name == "answerable")] for name in SPLITS}
    for name, half in halves.items():
        questions = [row.question for row in half]
        results[f"near-duplicates, {name}"] = str(num_near_duplicates(questions))
        results[f"alike by cosine, {name}"] = str(num_alike_by_cosine(questions))
    if rows[0].pair_id:
        results["cosine of a pair, median"] = f"{np.median(pair_cosines(rows, vectors)):.2f}"
    results["word types"] = f"{len({word for text in texts for word in _words(text)}):,}"
    results["first words, distance"] = f"{first_word_distance(halves):.2f}"
    results["answers yes or no"] = str(sum(row.answers[0].lower() in {"yes", "no"} for row in halves["answerable"]))
    results["short aliases"] = str(sum(has_short_alias(row.answers) for row in halves["answerable"]))
    return results


def _areas(texts: list[str], unanswerable: Labels, vectors: Floats, pairs: Sequence[str | None]) -> dict[str, str]:
    """Return the AUC of each kind of features on each kind of folds."""
    words = TfidfVectorizer(token_pattern=_WORDS, sublinear_tf=True).fit_transform(texts)
    bigrams = TfidfVectorizer(token_pattern=_WORDS, sublinear_tf=True, ngram_range=(1, 2)).fit_transform(texts)
    clusters = KMeans(NUM_CLUSTERS, n_init=1, random_state=0).fit_predict(words)
    random = StratifiedKFold(5, shuffle=True, random_state=0)
    grouped = StratifiedGroupKFold(5, shuffle=True, random_state=0)
    folds = {"random folds": list(random.split(words, unanswerable))}
    if all(pairs):
        folds["folds by pair"] = list(grouped.split(words, unanswerable, pairs))
    folds["folds by cluster"] = list(grouped.split(words, unanswerable, clusters))
    areas = {}
    for name, features in {"words": words, "bigrams": bigrams, "encoder": vectors}.items():
        for kind, parts in folds.items():
            model = LogisticRegression(max_iter=1_000)
            scores = cross_val_predict(model, features, unanswerable, cv=parts, method="decision_function")
            areas[f"AUC, {name}, {kind}"] = f"{roc_auc_score(unanswerable, scores):.3f}"
    return areas


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def num_near_duplicates(texts: Sequence[str]) -> int:
    """Count the texts that share half of their words or more with another text (Jaccard)."""
    sets = [set(_words(text)) for text in texts]
    with_duplicate = {
        place
        for second in range(len(sets))
        for first in range(second)
        if 2 * len(sets[first] & sets[second]) >= len(sets[first] | sets[second])
        for place in (first, second)
    }
    return len(with_duplicate)


def num_alike_by_cosine(texts: Sequence[str], cosine: float = 0.6) -> int:
    """Count the texts whose words, weighted by log(n / frequency), have at least this cosine with another text's."""
    vectors = TfidfVectorizer(token_pattern=_WORDS, binary=True, smooth_idf=False).fit(texts)
    vectors.idf_ -= 1  # scikit-learn adds 1 to the logarithm
    products = (matrix := vectors.transform(texts)) @ matrix.T
    products.setdiag(0)
    return int((products.max(axis=1).toarray() >= cosine - 1e-9).sum())


def pair_cosines(rows: Sequence[Question], vectors: Floats) -> list[float]:
    """Return the cosine of each answerable question with the unanswerable one of its pair."""
    place = {row.id: number for number, row in enumerate(rows)}
    return [
        float(vectors[number] @ vectors[place[row.pair_id]])
        for number, row in enumerate(rows)
        if row.answerable and row.pair_id
    ]


def first_word_distance(halves: dict[str, list[Question]]) -> float:
    """Return the distance between the shares of first words: half the sum of their differences, 0 to 1."""
    shares = []
    for half in halves.values():
        counts = Counter(_words(row.question)[0] for row in half)
        shares.append({word: number / len(half) for word, number in counts.items()})
    first, second = shares
    return sum(abs(first.get(word, 0) - second.get(word, 0)) for word in first.keys() | second.keys()) / 2


def has_short_alias(answers: Sequence[str]) -> bool:
    """Return true if an alias has at most three characters and is no number, yes or no."""
    known = {"yes", "no"} | _SMALL_NUMBERS
    return any(len(answer) <= 3 and not re.search(r"\d", answer) and answer.lower() not in known for answer in answers)


if __name__ == "__main__":
    main()
