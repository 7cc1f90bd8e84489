r"""The content of a chat model's reply, without its wrapping.

Nothing is invented: whatever is kept is a slice of the raw reply (:class:`Excerpt`), from thinking inwards.

- :func:`without_thinking` takes off thinking and the marks of chat templates. Where raw text is measured (a diary's
  exact match, QUIP) this is all that is taken off.
- :func:`answer_end` is where a completion model's reply runs on to a next question of its own.
- :func:`asked_text` also takes off what stands around a text that was asked for: preamble, postscript, code fence,
  quotation marks.
- :func:`explicit_answers` finds what a reply gives as its answer: after ``Answer:`` or ``####``, in ``\boxed{}``.
- :func:`plain` is for readers of values: a text without Markdown and LaTeX, which is no slice and is never stored.

Everything takes time linear in the reply's length, whatever it holds.
"""

from selfknow.evaluate.replies.excerpt import Excerpt, explicit_answers, fenced_blocks
from selfknow.evaluate.replies.plain import plain
from selfknow.evaluate.replies.ran_on import answer_end, up_to_next_question
from selfknow.evaluate.replies.texts import asked_text, unquoted, without_postscript, without_preamble
from selfknow.evaluate.replies.thinking import THINKING_OFF, measured_text, without_thinking

__all__ = [
    "THINKING_OFF",
    "Excerpt",
    "answer_end",
    "asked_text",
    "explicit_answers",
    "fenced_blocks",
    "measured_text",
    "plain",
    "unquoted",
    "up_to_next_question",
    "without_postscript",
    "without_preamble",
    "without_thinking",
]
