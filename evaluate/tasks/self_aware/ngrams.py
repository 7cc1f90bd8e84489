"""A second reader of abstaining beside the patterns: a logistic model over the words of a reply, with weights as data.

It was fitted to the labelled replies that scorers may be chosen on (``python -m benchmarks.abstention_ngrams`` makes
``datasets_src/self_aware/replies/ngram_weights.tsv``), and says how likely a reply abstains. It knows neither the
question nor whether that can be answered: it would give back what it is to measure.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, pairwise

from selfknow.builders.tables import read_table

WEIGHTS = "self_aware/replies/ngram_weights.tsv"
BIAS = "(bias)"
LONGEST_SENTENCE = 60  # in words; what follows is not read
_WORD = re.compile(r"[a-z]+n't|[a-z]+|'[a-z]+|\d+|[.?!,;:]")


def ngrams(sentences: Sequence[str]) -> frozenset[str]:
    """What the model sees of a reply: words, pairs, triples, pairs with a gap, of the first two sentences and the last.

    Args:
        sentences: In lower case, with straight apostrophes.

    Example:
        >>> sorted(ngrams(["no idea."]))[:4]
        ['$', '.', '._$', '^']
    """
    kept = [*sentences] if len(sentences) <= 3 else [*sentences[:2], sentences[-1]]
    words = ["^", *chain.from_iterable(map(_words, kept)), "$"]
    return frozenset(chain(words, _joined(words)))


def _words(sentence: str) -> list[str]:
    found = _WORD.findall(sentence)[:LONGEST_SENTENCE]
    return ["#" if word.isdigit() else word for word in found]


def _joined(words: Sequence[str]) -> Iterator[str]:
    yield from map("_".join, pairwise(words))
    yield from map("_".join, zip(words, words[1:], words[2:], strict=False))
    yield from map("*".join, zip(words, words[2:], strict=False))


@cache
def weights() -> Mapping[str, float]:
    """The weight of every n-gram, and of the bias."""
    return {row["ngram"]: float(row["weight"]) for row in read_table(WEIGHTS)}


def likelihood_of_abstaining(sentences: Sequence[str], weighed: Mapping[str, float] | None = None) -> float:
    """How likely a reply abstains, from 0 to 1.

    Args:
        sentences: In lower case, with straight apostrophes.
        weighed: Other weights than those that come with the package.

    Example:
        >>> likelihood_of_abstaining(["nobody can know."]) > likelihood_of_abstaining(["it is paris."])
        True
    """
    of = weights() if weighed is None else weighed
    return 1 / (1 + math.exp(-of[BIAS] - sum(of.get(ngram, 0.0) for ngram in ngrams(sentences))))
