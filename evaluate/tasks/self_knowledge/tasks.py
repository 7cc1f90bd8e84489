"""What sets the tasks apart for an evaluation: how replies are read, and what they may leak."""

import re
from collections.abc import Mapping

from selfknow.evaluate.readers.numbers import whole_numbers

REPLY_KINDS: Mapping[str, str] = {
    "total-count": "number",
    "designated-count": "number",
    "fact": "yes-no",
    "arxiv": "arxiv-id",
    "math": "yes-no",
    "theorem": "yes-no",
    "code": "output",
    "grammar": "number",
    "add-first-word": "word",
    "delete-first-word": "word",
    "change-word": "word",
    "specific-mention": "yes-no",
    "sentiment": "yes-no",
    "sports-statistics": "yes-no",
    "image-counting": "number",
    "image-color": "color",
    "image-position": "yes-no",
    "benchmark": "letter",
}
COUNTED: Mapping[str, str] = {
    "total-count": "words?",
    "designated-count": "(?:times|occurrences?|appearances?|instances?)",
    "grammar": "prepositions?",
    "specific-mention": "(?:different|distinct)",
    "sentiment": "positive words?",
}
"""What is counted, as a regular expression."""
_LABELLED = re.compile(
    r"\b(?:word count|number of words|words|count|total|occurrences|prepositions)[*_]*\s?[:=][*_\s]*(\d+)\b",
    re.IGNORECASE,
)
_LONGEST_THREE_WORDS = 100  # in characters
_COMMENT = re.compile(r"#(.*)$", re.MULTILINE)


def leaks_answer(task: str, text: str, *answers: str | None) -> bool | None:
    """Whether what was written states its own answer, as a crib for whoever is asked about it (section 7.2.1).

    The rule: in a paragraph one of the answers stands at most two words before the word for what is counted ("consists
    of precisely 58 words") or behind it and a colon ("Word count: 58"); in a program the answer stands in a comment; in
    a question "answer" stands before it. Another number is none: who "looked at the river three times" says nothing
    where 5 was asked for.

    Args:
        task: The task.
        text: What is shown to whoever is asked about it.
        answers: Such as the one that was asked for, and the true one; null ones are passed over.

    Returns:
        Null in the tasks where nothing can be leaked.

    >>> leaks_answer("total-count", "This paragraph, my friends, consists of precisely 58 words.", "58")
    True
    """
    known = [answer for answer in answers if answer is not None]
    if task in COUNTED:
        ends = (match.start() for match in re.finditer(rf"\b{COUNTED[task]}\b", text, re.IGNORECASE))
        numbers = {number for end in ends for number in whole_numbers(_words_before(text, end))}
        stated = {*map(str, numbers), *_LABELLED.findall(text)}
        return not stated.isdisjoint(known)
    if task == "code" and known:
        return any(answer in comment for comment in _COMMENT.findall(text) for answer in known)
    if task in ("math", "benchmark") and known:
        return any(
            re.search(rf"\banswer\b\W+(?:\w+\W+){{0,2}}?{re.escape(answer)}(?!\w)", text, re.IGNORECASE)
            for answer in known
        )
    return None


def _words_before(text: str, end: int) -> str:
    """The last three words in front of a place, as far as they are of a common length."""
    return "".join(re.findall(r"[\w,-]+\W+", text[max(0, end - _LONGEST_THREE_WORDS) : end])[-3:])
