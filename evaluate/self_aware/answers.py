"""Was an answerable question answered: exact match and F1 after the usual normalisation, and the paper's substring.

The normalisation is SQuAD's (Rajpurkar et al., 2016): lower case, no ASCII punctuation, no articles, white space
collapsed; the best over all aliases counts. The paper's accuracy (Yin et al., section 4.3) asks only whether an alias
stands anywhere in the reply.
"""

import re
import string
from collections import Counter
from collections.abc import Sequence

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


def normalize_answer(text: str) -> str:
    """A text as exact match compares it.

    >>> normalize_answer("The  Beatles!")
    'beatles'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(reply: str, answers: Sequence[str]) -> float:
    """1 where the whole reply is one of the answers.

    >>> exact_match("The answer: 25", ["5"]), exact_match("5.", ["5"])
    (0.0, 1.0)
    """
    return float(normalize_answer(reply) in {normalize_answer(answer) for answer in answers})


def f1(reply: str, answers: Sequence[str]) -> float:
    """The harmonic mean of how many of the reply's words are the answer's and the other way round, 0 to 1."""
    return max((_overlap(normalize_answer(reply).split(), normalize_answer(one).split()) for one in answers), default=0)


def substring_match(reply: str, answers: Sequence[str]) -> float:
    """1 where an answer stands anywhere in the reply, in lower case: the paper's accuracy."""
    return float(any(answer.lower() in reply.lower() for answer in answers))


def _overlap(said: list[str], wanted: list[str]) -> float:
    if not said or not wanted:
        return float(said == wanted)
    shared = sum((Counter(said) & Counter(wanted)).values())
    return 2 * shared / (len(said) + len(wanted))
