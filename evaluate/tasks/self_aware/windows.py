"""Cuts a reply into the pieces that are compared with the references: sentences, and windows of five words.

Yin et al., section 4.1. Where a sentence ends is not said there; here it is at ``.``, ``!``, ``?`` before white space
or the end, and at the end of a line.
"""

import re

WIDTH = 5
_SENTENCE_END = re.compile(r"(?<![.!?])[.!?]++(?=\s|$)|[\r\n]+")


def sentences(text: str) -> list[str]:
    """The sentences of a text, without their ends.

    >>> sentences("I don't know. Is it 3.5?")
    ["I don't know", 'Is it 3.5']
    """
    return [piece for part in _SENTENCE_END.split(text) if (piece := part.strip())]


def windows(sentence: str) -> list[str]:
    """Every run of five words of a sentence, in lower case; a shorter sentence whole.

    >>> windows("That is not known to anyone")
    ['that is not known to', 'is not known to anyone']
    """
    words = sentence.lower().split()
    return [" ".join(words[start : start + WIDTH]) for start in range(max(1, len(words) - WIDTH + 1))]
