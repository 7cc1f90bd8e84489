"""The protocols of self-knowledge: the order of its stages, and the prompts of each.

Tan et al., Can I understand what I create?, sections 3, 4.3, 4.4, 6.2 and 7.1. Each request of a stage is a call:

``generate``        the model writes a text (or a text of an earlier run is reused)
``verify``          a model is asked about the text
``dual``            the writer writes a second text with the same answer
``verify-dual``     a model is asked about the second text
``verify-kept``     a model is asked about the text after a change that keeps the answer
``verify-broken``   a model is asked about the text after a change, to text or question, that breaks the answer
``answer``          a model is asked the benchmark's own questions (section 6.5)

A call's parent is the generation that it is about. The text replaces a marker in the prompt.

In tasks about pictures (section 5), ``generate`` goes to an image generator and the other stages to a vision-language
model. The picture follows the question, as in Table 14; in context the question follows the picture.

The in-context protocols (section 6.2) ask "when the generation process is given in the context". The paper says no
more, so the form is **our choice**: the user asks for a text, the assistant writes it, and the user asks about it. The
noise, an unrelated paragraph, precedes the question in the same turn, because chat templates demand alternating turns.
A completion model gets the same turns with empty lines between them. Questions about "the paragraph below" become
questions about "the paragraph that you wrote". A text that is not in the reply word for word, such as a statement made
from a celebrity's name, stays below the question. Pictures are in the user's turn, where chat templates and servers
expect them.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from selfknow.builders.self_knowledge.prompts import MARKER, STYLES
from selfknow.builders.self_knowledge.sources import noise
from selfknow.errors import UserError, argument, nearest
from selfknow.evaluate.replies import without_thinking
from selfknow.evaluate.task import Row
from selfknow.evaluate.tasks.self_knowledge.content import Content, content_of
from selfknow.evaluate.tasks.self_knowledge.transformations import transformed
from selfknow.models.interface import Turn

GENERATE, VERIFY, DUAL, ANSWER = "generate", "verify", "dual", "answer"
WORDINGS = ("ours", "paper")
# Each protocol's description, and its stages after `generate`.
PROTOCOLS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "separate": ("first generate, then evaluate, in separate calls (section 3)", (VERIFY,)),
    "in-context": ("the question follows the text in one conversation (section 6.2)", (VERIFY,)),
    "in-context-noise": ("the same with an unrelated paragraph before the question (section 6.2)", (VERIFY,)),
    "dual": (
        "a second text with the same answer is written and asked about (section 4.3)",
        (VERIFY, DUAL, "verify-dual"),
    ),
    "consistency": ("asked again after a change that keeps the answer (section 4.4)", (VERIFY, "verify-kept")),
    "inconsistency": ("asked again after a change that breaks the answer (section 7.1)", (VERIFY, "verify-broken")),
}
VERIFYING = ("verify", "verify-dual", "verify-kept", "verify-broken")
_ALTERED = ("alter-question", "shift-date", "add-first-word", "delete-first-word", "change-word")  # transformations
_ALTERED_QUESTION = ("alter-question", "add-first-word", "delete-first-word", "change-word")
_TASKS_WITH_CLAIM = ("arxiv", "benchmark")
_UNCHECKED_TASKS = ("sports-statistics", "benchmark", "image-counting", "image-color", "image-position")
_CHANGING_PROTOCOLS = ("consistency", "inconsistency")
_BELOW = f"\n\n{MARKER}"
_STANDS_BELOW = re.compile(r"\bstands below\b")
_THING_BELOW = re.compile(r"\bbelow\b")
_FOLLOWING = re.compile(r"\bfollowing (\w+)")
# The reasons that a protocol does not fit pictures.
_REASONS_AGAINST_PICTURES = {
    "dual": "to draw a second picture with the same answer, a model would have to see the first one",
    "inconsistency": "no change to a picture is sure to change the answer",
}


@dataclass(frozen=True)
class Example:
    """A row of the dataset, with its params parsed and the prompts of one wording."""

    id: str
    task: str
    style: str
    prompts: Mapping[str, str | None]
    answer: str | None
    params: Mapping[str, Any]

    @classmethod
    def of(cls, row: Row, wording: str) -> "Example":
        """Return the example of a row, with the prompts of a wording, ``ours`` or ``paper``."""
        params = json.loads(row["params"])
        names = ("generate_prompt", "verify_prompt", "dual_prompt")
        prompts = {**{name: row[name] for name in names}, "altered_verify_prompt": params["altered_verify_prompt"]}
        if wording == "paper":
            prompts = params["paper"]
        return cls(row["id"], row["task"], row["style"], prompts, row["answer"], params)

    @property
    def is_about_a_picture(self) -> bool:
        """True if the task generates pictures."""
        return self.task.startswith("image-")

    @property
    def is_checked(self) -> bool:
        """True if the text must have a property that a program can check."""
        return self.task == "arxiv" or (self.answer is not None and self.task not in _UNCHECKED_TASKS)

    def prompt(self, name: str) -> str:
        """Return a prompt by its name, such as ``verify_prompt``.

        Raises:
            UserError: The example has no such prompt in its wording.
        """
        prompt = self.prompts.get(name)
        if prompt is None:
            raise UserError(
                f"{self.id} has no {name.replace('_', ' ')} in this wording: use {argument('wording', 'ours')}"
            )
        return prompt

    def content(self, row: Row) -> Content:
        """Return the content of a reply to the generating prompt.

        Args:
            row: A row of ``generations`` with a reply.
        """
        final_text = "Final text:" in (self.prompts.get("generate_prompt") or "")
        return content_of(
            *(self.task, self.params, row["generation"], row["finish_reason"]),
            final_text=final_text,
            prompt=row["prompt"],
        )

    def transformation(self, stage: str) -> str | None:
        """Return the name of a stage's transformation, such as ``change-word``; None if the example has none."""
        name: str | None = self.params[{"verify-kept": "keep", "verify-broken": "break"}[stage]]
        return name

    def changed(self, stage: str, content: Content) -> Content:
        """Return the content that a stage asks about: transformed in ``verify-kept`` and ``verify-broken``."""
        if stage not in ("verify-kept", "verify-broken"):
            return content
        name = self.transformation(stage)
        return transformed(name, content, self.params) if name else Content(None, reason="no transformation")

    def is_altered(self, stage: str) -> bool:
        """Return true if a stage asks about the altered date, number, answer or position."""
        return stage in ("verify-kept", "verify-broken") and self.transformation(stage) in _ALTERED

    def question(self, stage: str) -> str:
        """Return the verifying prompt of a stage, with its marker."""
        if stage in ("verify-kept", "verify-broken") and self.transformation(stage) in _ALTERED_QUESTION:
            return self.prompt("altered_verify_prompt")
        return self.prompt("verify_prompt")


@dataclass(frozen=True)
class Setup:
    """The setup of a run: task, protocol, wording and styles.

    Attributes:
        task: The dataset's config, such as ``total-count``.
        protocol: One of :data:`PROTOCOLS`.
        wording: ``ours`` or ``paper``.
        styles: The styles of prompts: ``plain``, ``expert``, ``cot``, or several of them.
    """

    task: str
    protocol: str = "separate"
    wording: str = "ours"
    styles: tuple[str, ...] = ("plain",)

    def __post_init__(self) -> None:
        for name, value, known in (("protocol", self.protocol, PROTOCOLS), ("wording", self.wording, WORDINGS)):
            if value not in known:
                raise UserError(f"there is no {name} {value!r}{nearest(value, known)}")
        if unknown := sorted(set(self.styles) - set(STYLES)):
            raise UserError(f"there is no style {unknown[0]!r}{nearest(unknown[0], STYLES)}")

    @property
    def variant(self) -> str:
        """The variant of the setup's calls, such as ``separate/ours``."""
        return f"{self.protocol}/{self.wording}"

    @property
    def is_in_context(self) -> bool:
        """True if the question is in the same conversation as the text."""
        return self.protocol.startswith("in-context")

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages after ``generate``."""
        return PROTOCOLS[self.protocol][1]

    def has_part(self, example: Example) -> bool:
        """Return true if an example has the protocol's change; each half of ``image-position`` has only one."""
        return self.protocol not in _CHANGING_PROTOCOLS or _has(example, self.protocol)

    def check(self, examples: Iterable[Example], *, pictures: bool = False) -> None:
        """Check that the examples fit the protocol.

        Args:
            examples: The examples to ask.
            pictures: True if the model that generates draws pictures.

        Raises:
            UserError: The task does not fit the protocol (the message lists those that it fits), or the model that
                generates is of the wrong kind.
        """
        examples = list(examples)
        if not examples:
            raise UserError("no examples are left to ask: choose other styles, or a larger limit")
        drawn = examples[0].is_about_a_picture
        if drawn and not pictures:
            raise UserError(
                f"{self.task} is about pictures: name a model that draws them ({argument('image_model')}, "
                f"{argument('image_endpoint')}) and a "
                f"vision-language model that looks at them ({argument('model')})"
            )
        if pictures and not drawn:
            raise UserError(
                f"{self.task} is about texts, and an image generator writes none: leave out {argument('image_model')}"
            )
        possible = [name for name in PROTOCOLS if _have(examples, name)]
        if self.protocol not in possible:
            reason = f" ({_REASONS_AGAINST_PICTURES[self.protocol]})" if drawn else ""
            raise UserError(
                f"{self.task} cannot be asked with the protocol {self.protocol!r}{reason}; "
                f"it can with {', '.join(possible)}"
            )
        for example in examples:
            example.prompt("generate_prompt")
            for stage in set(self.stages) & set(VERIFYING):
                example.question(stage)


def _have(examples: Iterable[Example], protocol: str) -> bool:
    has = [_has(example, protocol) for example in examples]
    return any(has) if protocol in _CHANGING_PROTOCOLS else all(has)


def _has(example: Example, protocol: str) -> bool:
    match protocol:
        case "dual":
            return example.prompts.get("dual_prompt") is not None
        case "consistency":
            return example.params["keep"] is not None
        case "inconsistency":
            return example.params["break"] is not None
    return example.answer is not None or example.task in _TASKS_WITH_CLAIM


def shown_in_context(row: Row) -> str:
    """Return the part of a generating reply that is repeated in context: all but its thinking."""
    return without_thinking(row["generation"], row["prompt"]).text


def conversation(
    writing_prompt: str, written: str, question: str, text: str, *, noisy: bool
) -> tuple[tuple[Turn, ...], str]:
    r"""Return the turns before the question, and the question.

    Args:
        writing_prompt: The generating prompt.
        written: The text that the model wrote, without its thinking.
        question: The verifying prompt, with its marker.
        text: The text that is asked about.
        noisy: True to put an unrelated paragraph before the question.

    Example:
        >>> turns, question = conversation(
        ...     "Write a paragraph.", "It rains.", "How many words has the paragraph below?\n\n{generation}",
        ...     "It rains.", noisy=False)
        >>> [turn.role for turn in turns], question
        (['user', 'assistant'], 'How many words has the paragraph that you wrote?')
    """
    rephrased = about_own_text(question) if text in written else None
    noise_paragraphs = [noise()] if noisy else []
    prompt = "\n\n".join([*noise_paragraphs, rephrased or question.replace(MARKER, text)])
    return (Turn("user", writing_prompt), Turn("assistant", written)), prompt


def about_own_text(question: str) -> str | None:
    r"""Rephrase a question about a text below it as one about "the text that you wrote"; None if it has none below.

    >>> about_own_text("Is 7 the correct answer to the following question?\n\n{generation}")
    'Is 7 the correct answer to the question that you wrote?'
    >>> about_own_text("What is the arXiv ID of the paper titled {generation}?") is None
    True
    """
    if not question.endswith(_BELOW):
        return None
    rephrased = _STANDS_BELOW.sub("you gave", question.removesuffix(_BELOW))
    return _FOLLOWING.sub(r"\1 that you wrote", _THING_BELOW.sub("that you wrote", rephrased, count=1), count=1)


def picture_in_context(writing_prompt: str, picture: str, question: str, *, noisy: bool) -> str:
    """Return a question about a picture in one turn: the drawing prompt, the picture and the question."""
    return "\n\n".join([writing_prompt, picture, *([noise()] if noisy else []), question])
