r"""The content of a chat model's reply, without its wrapping.

The result of a step is always a slice of the raw reply (:class:`Excerpt`), except for :func:`plain`.

- :func:`without_thinking` removes thinking and the marks of chat templates. Metrics of raw text (a diary's exact match,
  QUIP) use only this step.
- :func:`answer_end` is the place where a completion model's reply goes on with a next question.
- :func:`asked_text` also removes the text around a requested text: preamble, postscript, code fence, quotation marks.
- :func:`explicit_answers` finds the stated answers of a reply: after ``Answer:`` or ``####``, or in ``\boxed{}``.
- :func:`plain` removes Markdown and LaTeX, for readers of values. Its result is not a slice, and is never stored.

Every function takes time linear in the reply's length.
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
