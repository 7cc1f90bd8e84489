"""The interface of every model: requests go in, replies come out as they are ready."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from pathlib import Path
from typing import Protocol, runtime_checkable

from selfknow.options import option

GRADE = "grade"
"""The stage of calls in which a judge grades a run's replies; queries leave these calls out."""


@dataclass(frozen=True)
class Decoding:
    """Settings of drawing replies from a model.

    Attributes:
        max_new_tokens: The longest reply in tokens. A request may set a lower limit. The longest answer in this
            package's datasets has about 450 tokens.
        temperature: 0 is greedy; ``None`` leaves temperature and top-p to the model's own generation settings.
        top_p: Nucleus sampling's share of probability, used if the temperature is above 0.
        stop: Texts at which a reply ends (they are not part of it).
        seed: The seed of sampling. Every request has its own random stream, keyed by this seed and the request.
    """

    max_new_tokens: int = 512
    temperature: float | None = 0.0
    top_p: float = 1.0
    stop: tuple[str, ...] = ()
    seed: int = 0

    def as_json(self) -> dict[str, object]:
        """Return the fields as a dict that JSON can hold."""
        return {**asdict(self), "stop": list(self.stop)}


GREEDY = Decoding()
"""Greedy decoding, which is the default."""


@dataclass(frozen=True, kw_only=True)
class ReplyOptions:
    """Options of decoding; null takes the task's value, which is that of its paper."""

    temperature: float | None = option(None, "0 is greedy. Default: the task's.", minimum=0.0)
    top_p: float | None = option(None, "Nucleus sampling's share of probability. Default: 1.", minimum=0.0, maximum=1.0)
    max_new_tokens: int | None = option(None, "The longest reply, in tokens. Default: the task's.", minimum=1)
    seed: int | None = option(None, "The seed of sampling. Default: 0.", minimum=0)

    def applied_to(self, decoding: Decoding) -> Decoding:
        """Return a task's decoding, overwritten by the options that the user set."""
        return replace(decoding, **{name: value for name, value in vars(self).items() if value is not None})


@dataclass(frozen=True)
class Turn:
    """An earlier message of a conversation.

    Attributes:
        role: ``user`` or ``assistant``.
        content: The message's text.
    """

    role: str
    content: str


@dataclass(frozen=True)
class Completion:
    """A prompt for a completion (base) model, and the texts at which its reply ends.

    Attributes:
        prompt: The text to continue: worked examples, the conversation so far and the question. A cue such as
            ``Answer:`` follows each question.
        stop: Texts at which the reply ends; without them a base model would go on and invent the next question.
    """

    prompt: str
    stop: tuple[str, ...]


@dataclass(frozen=True)
class Request:
    """One call of a model.

    Attributes:
        example_id: The example of the call.
        prompt: The prompt's text.
        stage: The step of the protocol (answer, generate, verify, …).
        variant: The form, style or probe that tells calls of one stage apart.
        sample: The number of the sample among several of the same prompt, from 0.
        started_answer: The beginning of the answer; the model's reply is the text that it adds.
        forced: A continuation to score instead of generating; the empty text scores the end of the answer.
        parent_generation_id: The generation that this call builds on; null if there is none.
        image: The picture file that the prompt's Markdown reference ``![](…)`` shows; null if there is none.
        turns: The messages before the prompt; user and assistant take turns, and the user begins.
        system: The system message of a chat model, or an empty text. Completion models ignore it.
        completion: The prompt of a completion model; null: the request's text.
        max_new_tokens: The longest reply to this request in tokens, at least 1; null: the decoding's limit. It is not
            part of the request's seed or key, so a lower limit cuts the same reply earlier.
    """

    example_id: str
    prompt: str
    stage: str = "answer"
    variant: str = "plain"
    sample: int = 0
    started_answer: str = ""
    forced: str | None = None
    parent_generation_id: str | None = None
    image: Path | None = None
    turns: tuple[Turn, ...] = ()
    system: str = ""
    completion: Completion | None = None
    max_new_tokens: int | None = None

    def __post_init__(self) -> None:
        if self.max_new_tokens is not None and self.max_new_tokens < 1:
            raise ValueError(f"max_new_tokens is {self.max_new_tokens}: a reply has at least one token")

    @property
    def text(self) -> str:
        """The request as plain text: all turns and the prompt, separated by empty lines."""
        return "\n\n".join([*(turn.content for turn in self.turns), self.prompt])

    @property
    def completion_text(self) -> str:
        """The text for a completion model to continue."""
        return self.text if self.completion is None else self.completion.prompt

    def stops(self, decoding: Decoding, *, chat: bool) -> tuple[str, ...]:
        r"""Return the texts at which the reply ends: those of the decoding, and for a completion model the request's.

        Example:
            >>> request = Request("1", "Why?", completion=Completion("Question: Why?\nAnswer:", ("\nQuestion:",)))
            >>> request.stops(Decoding(stop=("###",)), chat=False)
            ('###', '\nQuestion:')
        """
        request_stops = () if chat or self.completion is None else self.completion.stop
        return tuple(dict.fromkeys((*decoding.stop, *request_stops)))

    def limit(self, decoding: Decoding) -> int:
        """Return the longest reply in tokens: the lower one of the decoding's and the request's limit.

        Example:
            >>> requests = [Request("1", "Why?", max_new_tokens=limit) for limit in (8, 128, None)]
            >>> [request.limit(Decoding(max_new_tokens=64)) for request in requests]
            [8, 64, 64]
        """
        if self.max_new_tokens is None:
            return decoding.max_new_tokens
        return min(self.max_new_tokens, decoding.max_new_tokens)

    @property
    def messages(self) -> tuple[dict[str, str], ...]:
        """The messages for a chat model: the system message, all turns, and the prompt as the last user message."""
        system = [Turn("system", self.system)] if self.system else []
        conversation = [*system, *self.turns, Turn("user", self.prompt.removesuffix("\n"))]
        return tuple({"role": turn.role, "content": turn.content} for turn in conversation)

    @property
    def key(self) -> tuple[str, str, str, int, str | None]:
        """The identity of this call among a model's calls in a run."""
        return (self.example_id, self.stage, self.variant, self.sample, self.parent_generation_id)

    def seed(self, seed: int) -> int:
        """Return a 63-bit seed for this request, the same on every machine, in every batch and in every run.

        A follow-up is keyed by its prompt, not by its parent generation, whose id differs from run to run.
        """
        key = [seed, self.example_id, self.stage, self.variant, self.sample, self.prompt, *map(astuple, self.turns)]
        digest = hashlib.blake2b(json.dumps(key).encode(), digest_size=8).digest()
        return int.from_bytes(digest, "little") >> 1


@dataclass(frozen=True)
class Reply:
    """A model's reply: a generation, or the reason why there is none.

    Attributes:
        generation: The text that the model added, without special tokens; null if the request failed.
        finish_reason: ``stop`` (it ended by itself or at a stop text), ``length`` (it was cut off at its limit) or
            ``forced`` (a fixed continuation was scored).
        rendered_prompt: The exact text that the model received, with chat template and started answer.
        messages: The chat messages that were sent; null for completion models.
        prompt_tokens: Length of the prompt in tokens; null if unknown.
        completion_tokens: Length of the generation in tokens, including its end token; null if unknown.
        logprob: Sum of the natural log-probabilities of the generated (or forced) tokens, before any temperature.
        error: The reason of a failure; null for a generation.
    """

    generation: str | None
    finish_reason: str | None = None
    rendered_prompt: str | None = None
    messages: tuple[dict[str, str], ...] | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    logprob: float | None = None
    error: str | None = None


@runtime_checkable
class LanguageModel(Protocol):
    """A model that answers requests: a local checkpoint, an endpoint or a function."""

    @property
    def name(self) -> str:
        """The name by which the user called it: a folder, a GGUF file, a Hub id, or an endpoint's address and model."""

    @property
    def revision(self) -> str | None:
        """The commit of a Hub model, or the hash of a local checkpoint's files; null if unknown."""

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        """Yield replies to the requests in any order; a failed try is also a reply, and further tries may follow it."""


@runtime_checkable
class TokenReports(Protocol):
    """An addition to :class:`LanguageModel`: a model that reports its tokens while it generates them."""

    on_tokens: Callable[[int], None]
    """Function to call with the number of tokens generated since the last call."""


def with_samples(requests: Iterable[Request], samples: int) -> list[Request]:
    """Repeat every request ``samples`` times, as samples 0, 1, ….

    Example:
        >>> [request.sample for request in with_samples([Request("id", "Recall.")], 3)]
        [0, 1, 2]
    """
    return [replace(request, sample=sample) for request in requests for sample in range(samples)]
