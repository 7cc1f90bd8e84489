"""The conversation of the in-context protocols: the text stands in it once, as the assistant's message.

Tan et al., Can I understand what I create?, section 6.2: "when the generation process is given in the context". The
paper says no more; the form is **our choice**: the user asks for a text, the assistant gives it, and the user asks
about it. The noise, an unrelated paragraph, stands in front of the question, in the user's turn, since chat templates
want the two to take turns. A completion model is given the same with empty lines between.

A question that is put above its text elsewhere ("the paragraph below") speaks here of "the paragraph that you wrote".
Where what is asked about is not in the reply word for word (a celebrity's name made a statement), it stays below the
question. Pictures stand in the user's turn: that is where chat templates and servers take them.
"""

import re

from selfknow.builders.self_knowledge.prompts import MARKER
from selfknow.builders.self_knowledge.sources import noise
from selfknow.models.interface import Turn

_BELOW = f"\n\n{MARKER}"
_STANDS_BELOW = re.compile(r"\bstands below\b")
_THING_BELOW = re.compile(r"\bbelow\b")
_FOLLOWING = re.compile(r"\bfollowing (\w+)")


def conversation(
    asked_for: str, written: str, question: str, text: str, *, noisy: bool
) -> tuple[tuple[Turn, ...], str]:
    r"""The turns before the question, and the question.

    Args:
        asked_for: The generating prompt.
        written: What the model wrote, its thinking taken off.
        question: The verifying prompt, with its marker.
        text: What is asked about.
        noisy: Whether an unrelated paragraph stands between.

    Example:
        >>> turns, question = conversation(
        ...     "Write a paragraph.", "It rains.", "How many words has the paragraph below?\n\n{generation}",
        ...     "It rains.", noisy=False)
        >>> [turn.role for turn in turns], question
        (['user', 'assistant'], 'How many words has the paragraph that you wrote?')
    """
    asked = about_own_text(question) if text in written else None
    between = [noise()] if noisy else []
    prompt = "\n\n".join([*between, asked or question.replace(MARKER, text)])
    return (Turn("user", asked_for), Turn("assistant", written)), prompt


def about_own_text(question: str) -> str | None:
    r"""A question that has its text below it, put about what was just written; null where it has it elsewhere.

    >>> about_own_text("Is 7 the correct answer to the following question?\n\n{generation}")
    'Is 7 the correct answer to the question that you wrote?'
    >>> about_own_text("What is the arXiv ID of the paper titled {generation}?") is None
    True
    """
    if not question.endswith(_BELOW):
        return None
    asked = _STANDS_BELOW.sub("you gave", question.removesuffix(_BELOW))
    return _FOLLOWING.sub(r"\1 that you wrote", _THING_BELOW.sub("that you wrote", asked, count=1), count=1)


def picture_in_context(asked_for: str, picture: str, question: str, *, noisy: bool) -> str:
    """A question about a picture: what it was drawn for, the picture and the question, in one turn."""
    return "\n\n".join([asked_for, picture, *([noise()] if noisy else []), question])
