"""The protocols: which calls follow upon which, as stages over the store.

Tan et al., Can I understand what I create?, sections 3, 4.3, 4.4, 6.2 and 7.1. Stages, each a call of its own:

``generate``        the model writes (or what it wrote in an earlier run is taken over)
``verify``          a model is asked about what was written
``dual``            the writer writes another one with the same answer
``verify-dual``     a model is asked about that one
``verify-kept``     a model is asked about what was written, changed so that the answer stays
``verify-broken``   … changed, or asked, so that the answer must be another one
``answer``          a model is asked the questions of the benchmark that new ones were written after (section 6.5)

A call's parent is the generation that it is about. What is put into a prompt replaces one marker, by plain replacement.

Of the tasks about pictures (section 5) ``generate`` goes to an image generator and the rest to a model that sees. The
picture stands after the question, as in Table 14; in context it stands where it was drawn, and the question below.

The in-context protocols (section 6.2) ask "when the generation process is given in the context". The paper says no
more; the form is **our choice**: the user asks for a text, the assistant gives it, and the user asks about it. The
noise, an unrelated paragraph, stands in front of the question, in the user's turn, since chat templates want the two to
take turns. A completion model is given the same with empty lines between. A question that is put above its text
elsewhere ("the paragraph below") speaks here of "the paragraph that you wrote". Where what is asked about is not in the
reply word for word (a celebrity's name made a statement), it stays below the question. Pictures stand in the user's
turn: that is where chat templates and servers take them.
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
# For each protocol what it is, and the stages that follow upon `generate`.
PROTOCOLS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "separate": ("first generate, then evaluate, in separate calls (section 3)", (VERIFY,)),
    "in-context": ("the question follows upon what was written, in one conversation (section 6.2)", (VERIFY,)),
    "in-context-noise": ("the same with an unrelated paragraph before the question (section 6.2)", (VERIFY,)),
    "dual": (
        "a second text with the same answer is written and asked about (section 4.3)",
        (VERIFY, DUAL, "verify-dual"),
    ),
    "consistency": ("asked again after a change that keeps the answer (section 4.4)", (VERIFY, "verify-kept")),
    "inconsistency": ("asked again after a change that breaks the answer (section 7.1)", (VERIFY, "verify-broken")),
}
VERIFYING = ("verify", "verify-dual", "verify-kept", "verify-broken")
_ALTERED = ("alter-question", "shift-date", "add-first-word", "delete-first-word", "change-word")
_ALTERED_QUESTION = ("alter-question", "add-first-word", "delete-first-word", "change-word")
_CLAIMED = ("arxiv", "benchmark")
_UNKNOWN = ("sports-statistics", "benchmark", "image-counting", "image-color", "image-position")
_CHANGING = ("consistency", "inconsistency")
_BELOW = f"\n\n{MARKER}"
_STANDS_BELOW = re.compile(r"\bstands below\b")
_THING_BELOW = re.compile(r"\bbelow\b")
_FOLLOWING = re.compile(r"\bfollowing (\w+)")
# Why pictures have no part for a protocol.
_NOT_OF_PICTURES = {
    "dual": "who draws another picture like the first would have to see the first",
    "inconsistency": "no change of a picture here surely changes this answer",
}


@dataclass(frozen=True)
class Example:
    """A row of the dataset, with its params read."""

    id: str
    task: str
    style: str
    prompts: Mapping[str, str | None]
    answer: str | None
    params: Mapping[str, Any]

    @classmethod
    def of(cls, row: Row, wording: str) -> "Example":
        """Read a row, in our wording or the paper's."""
        params = json.loads(row["params"])
        names = ("generate_prompt", "verify_prompt", "dual_prompt")
        prompts = {**{name: row[name] for name in names}, "altered_verify_prompt": params["altered_verify_prompt"]}
        if wording == "paper":
            prompts = params["paper"]
        return cls(row["id"], row["task"], row["style"], prompts, row["answer"], params)

    @property
    def is_about_a_picture(self) -> bool:
        """True if what is generated is a picture."""
        return self.task.startswith("image-")

    @property
    def is_checked(self) -> bool:
        """True if the task asks for something of what is written that a program can check."""
        return self.task == "arxiv" or (self.answer is not None and self.task not in _UNKNOWN)

    def prompt(self, name: str) -> str:
        """One of its prompts.

        Raises:
            UserError: It has none.
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
        """Return the name of the transformation of a stage."""
        name: str | None = self.params[{"verify-kept": "keep", "verify-broken": "break"}[stage]]
        return name

    def changed(self, stage: str, content: Content) -> Content:
        """Return the texts that a stage asks about."""
        if stage not in ("verify-kept", "verify-broken"):
            return content
        name = self.transformation(stage)
        return transformed(name, content, self.params) if name else Content(None, reason="no transformation")

    def is_altered(self, stage: str) -> bool:
        """Return true if a stage is about the altered date, number, answer or position."""
        return stage in ("verify-kept", "verify-broken") and self.transformation(stage) in _ALTERED

    def question(self, stage: str) -> str:
        """Return the verifying prompt of a stage, with its marker."""
        if stage in ("verify-kept", "verify-broken") and self.transformation(stage) in _ALTERED_QUESTION:
            return self.prompt("altered_verify_prompt")
        return self.prompt("verify_prompt")


@dataclass(frozen=True)
class Setup:
    """Options of asking a task.

    Attributes:
        task: The config.
        protocol: One of :data:`PROTOCOLS`.
        wording: ``ours``, or the ``paper``'s where it gives it.
        styles: Any of plain, expert and cot.
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
        """The variant that tells calls of this setup from others."""
        return f"{self.protocol}/{self.wording}"

    @property
    def is_in_context(self) -> bool:
        """True if who is asked sees how the text came about."""
        return self.protocol.startswith("in-context")

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages after ``generate``."""
        return PROTOCOLS[self.protocol][1]

    def has_part(self, example: Example) -> bool:
        """Return true if an example has the protocol's change (half of ``image-position`` has each)."""
        return self.protocol not in _CHANGING or _has(example, self.protocol)

    def check(self, examples: Iterable[Example], *, pictures: bool = False) -> None:
        """Refuse a protocol that the task has no part for.

        Args:
            examples: The examples to ask.
            pictures: True if the model that generates them draws pictures.

        Raises:
            UserError: It names the protocols that the task has, or who generates is of the wrong kind.
        """
        examples = list(examples)
        if not examples:
            raise UserError("no examples are left to ask: choose other styles, or a larger limit")
        drawn = examples[0].is_about_a_picture
        if drawn and not pictures:
            raise UserError(
                f"{self.task} is about pictures: name who draws them ({argument('image_model')}, "
                f"{argument('image_endpoint')}) and a "
                f"vision-language model that looks at them ({argument('model')})"
            )
        if pictures and not drawn:
            raise UserError(
                f"{self.task} is about texts, and an image generator writes none: leave out {argument('image_model')}"
            )
        possible = [name for name in PROTOCOLS if _have(examples, name)]
        if self.protocol not in possible:
            why = f" ({_NOT_OF_PICTURES[self.protocol]})" if drawn else ""
            raise UserError(
                f"{self.task} cannot be asked with the protocol {self.protocol!r}{why}; "
                f"it can with {', '.join(possible)}"
            )
        for example in examples:
            example.prompt("generate_prompt")
            for stage in set(self.stages) & set(VERIFYING):
                example.question(stage)


def _have(examples: Iterable[Example], protocol: str) -> bool:
    has = [_has(example, protocol) for example in examples]
    return any(has) if protocol in _CHANGING else all(has)


def _has(example: Example, protocol: str) -> bool:
    match protocol:
        case "dual":
            return example.prompts.get("dual_prompt") is not None
        case "consistency":
            return example.params["keep"] is not None
        case "inconsistency":
            return example.params["break"] is not None
    return example.answer is not None or example.task in _CLAIMED


def shown_in_context(row: Row) -> str:
    """Return the part of a generating reply that its question's context repeats: all but its thinking."""
    return without_thinking(row["generation"], row["prompt"]).text


def conversation(
    asked_for: str, written: str, question: str, text: str, *, noisy: bool
) -> tuple[tuple[Turn, ...], str]:
    r"""Return the turns before the question, and the question.

    Args:
        asked_for: The generating prompt.
        written: The text that the model wrote, without its thinking.
        question: The verifying prompt, with its marker.
        text: The text that is asked about.
        noisy: True if an unrelated paragraph stands between.

    Example:
        >>> turns, question = conversation(
        ...     "Write a paragraph.", "It rains.", "How many words has the paragraph below?\n\n{generation}",
        ...     "It rains.", noisy=False)
        >>> [turn.role for turn in turns], question
        (['user', 'assistant'], 'How many words has the paragraph that you wrote?')
    """
    own_question = about_own_text(question) if text in written else None
    between = [noise()] if noisy else []
    prompt = "\n\n".join([*between, own_question or question.replace(MARKER, text)])
    return (Turn("user", asked_for), Turn("assistant", written)), prompt


def about_own_text(question: str) -> str | None:
    r"""Return a question that has its text below it, put about what was just written; null where it has it elsewhere.

    >>> about_own_text("Is 7 the correct answer to the following question?\n\n{generation}")
    'Is 7 the correct answer to the question that you wrote?'
    >>> about_own_text("What is the arXiv ID of the paper titled {generation}?") is None
    True
    """
    if not question.endswith(_BELOW):
        return None
    question_of_own = _STANDS_BELOW.sub("you gave", question.removesuffix(_BELOW))
    return _FOLLOWING.sub(r"\1 that you wrote", _THING_BELOW.sub("that you wrote", question_of_own, count=1), count=1)


def picture_in_context(asked_for: str, picture: str, question: str, *, noisy: bool) -> str:
    """Return a question about a picture: what it was drawn for, the picture and the question, in one turn."""
    return "\n\n".join([asked_for, picture, *([noise()] if noisy else []), question])
