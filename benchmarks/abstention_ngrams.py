"""Fits the learnt reader of abstaining to the labelled replies that scorers may be chosen on.

    python -m benchmarks.abstention_ngrams

Writes ``ngram_weights.tsv``, and ``left_out.tsv``: how likely each reply that is no documentation abstains by a model
that was fitted without its author (or without the model that said it), for the instrument's card. Half a minute on two
cores.
"""

from collections.abc import Mapping, Sequence

from selfknow.builders.sources import DATASETS_SRC
from selfknow.evaluate.replies import without_thinking
from selfknow.evaluate.tasks.self_aware.ngrams import BIAS, WEIGHTS, likelihood_of_abstaining, ngrams
from selfknow.evaluate.tasks.self_aware.read_replies import CHOSEN, ReadReply, read_replies
from selfknow.evaluate.tasks.self_aware.reading import UNREADABLE, own_sentences

LEFT_OUT = "self_aware/replies/left_out.tsv"
STRENGTH = 1.0  # of the data against the prior: scikit-learn's C
FEWEST_REPLIES = 2  # that an n-gram must stand in
LEAST_WEIGHT = 0.02  # lighter ones are left away: they decide nothing, and are two thirds of the table


def fitted(replies: Sequence[ReadReply]) -> Mapping[str, float]:
    """The weights of a logistic model with a Gaussian prior, as the package reads them."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    vectorizer = CountVectorizer(analyzer=list, binary=True, min_df=FEWEST_REPLIES)
    counts = vectorizer.fit_transform([ngrams(_sentences(one)) for one in replies])
    model = LogisticRegression(C=STRENGTH, max_iter=1000).fit(counts, [one.abstains for one in replies])
    weighed = zip(vectorizer.get_feature_names_out(), model.coef_[0], strict=True)
    kept = {name: round(float(weight), 2) for name, weight in weighed if abs(weight) >= LEAST_WEIGHT}
    heaviest_first = sorted(kept.items(), key=lambda one: (-abs(one[1]), one))
    return {BIAS: round(float(model.intercept_[0]), 2), **dict(heaviest_first)}


def _sentences(one: ReadReply) -> list[str]:
    return own_sentences(without_thinking(one.reply, "").text, "")


def main() -> None:
    """Fit it and write both tables."""
    replies = [one for one in read_replies() if one.part == CHOSEN and one.kind != UNREADABLE]
    _write(WEIGHTS, "ngram\tweight", [f"{name}\t{weight:g}" for name, weight in fitted(replies).items()])
    lines = []
    for author in sorted({one.author for one in replies if one.manner != "documentation"}):
        weighed = fitted([one for one in replies if one.author != author])
        own = [one for one in replies if one.author == author]
        lines += [f"{one.id}\t{likelihood_of_abstaining(_sentences(one), weighed):.3f}" for one in own]
    _write(LEFT_OUT, "id\tlikelihood", lines)


def _write(path: str, header: str, lines: Sequence[str]) -> None:
    (DATASETS_SRC / path).write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    print(f"wrote {path}: {len(lines):,} lines")


if __name__ == "__main__":
    main()
