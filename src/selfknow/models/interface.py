"""One small interface for every model: requests go in, replies come out as they are ready."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from pathlib import Path
from typing import Protocol, runtime_checkable

from selfknow.options import option

GRADE = "grade"
"""The stage of a model that judges a run's replies: its own are generations that no query takes for the run's."""


@dataclass(frozen=True)
class Decoding:
    """How an answer is drawn from a model.

    Attributes:
        max_new_tokens: The longest answer, in tokens; of this package's datasets the longest has about 450.
        temperature: 0 is greedy; ``None`` leaves temperature and top-p to the model's own generation settings.
        top_p: Nucleus sampling's share of probability, used where the temperature is above 0.
        stop: Texts at which an answer ends (they are not part of it).
        seed: Every request draws from a stream of its own, keyed by this seed and what the request is.
    """

    max_new_tokens: int = 512
    temperature: float | None = 0.0
    top_p: float = 1.0
    stop: tuple[str, ...] = ()
    seed: int = 0

    def as_json(self) -> dict[str, object]:
        """The fields as JSON has them."""
        return {**asdict(self), "stop": list(self.stop)}


GREEDY = Decoding()


@dataclass(frozen=True, kw_only=True)
class ReplyOptions:
    """What a user may say about how replies are drawn; null: as the task draws them, which is its paper's way.

    Attributes:
        temperature: 0 is greedy.
        top_p: Nucleus sampling's share of probability.
        max_new_tokens: The longest reply, in tokens.
        seed: Of the samples.
    """

    temperature: float | None = option(None, "0 is greedy. Default: the task's.", minimum=0.0)
    top_p: float | None = option(None, "Nucleus sampling, with a temperature. Default: 1.", minimum=0.0, maximum=1.0)
    max_new_tokens: int | None = option(None, "The longest reply, in tokens. Default: the task's.", minimum=1)
    seed: int | None = option(None, "The seed of sampling. Default: 0.", minimum=0)

    def applied_to(self, decoding: Decoding) -> Decoding:
        """A task's decoding, with what the user said instead."""
        return replace(decoding, **{name: value for name, value in vars(self).items() if value is not None})


@dataclass(frozen=True)
class Turn:
    """What was said earlier in a conversation.

    Attributes:
        role: ``user`` or ``assistant``.
        content: What was said.
    """

    role: str
    content: str


@dataclass(frozen=True)
class Completion:
    """A request as a completion (base) model is given it: a text to go on with, and where its reply ends.

    Attributes:
        prompt: The worked examples, the conversation so far and the question, each question with a cue behind it.
        stop: Texts at which the reply ends, since a base model goes on with a next question of its own.
    """

    prompt: str
    stop: tuple[str, ...]


@dataclass(frozen=True)
class Request:
    """One call that a model is asked to answer.

    Attributes:
        example_id: The example it is about.
        prompt: What is asked, as text.
        stage: The step of the protocol (answer, generate, verify, …).
        variant: What else tells two calls of one stage apart (form, style, probe).
        sample: Which of several answers to the same prompt, from 0.
        started_answer: The beginning of the answer, given to the model; its reply is what it adds.
        forced: Do not generate: give the log-probability of this continuation (the empty text means: the answer ends
            here).
        parent_generation_id: The generation this call builds on, if any.
        image: The file of a picture that the prompt shows, where its Markdown reference ``![](…)`` stands; null: none.
        turns: What was said before the prompt; the first turn is the user's, and then they take turns.
        system: The system message of a chat model; empty: none. Completion models have none.
        completion: How a completion model is asked instead of with the text; null: with the text.
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

    @property
    def text(self) -> str:
        """The request as plain text: every turn and the prompt, with an empty line between."""
        return "\n\n".join([*(turn.content for turn in self.turns), self.prompt])

    @property
    def completion_text(self) -> str:
        """The text that a completion model is given to go on with."""
        return self.text if self.completion is None else self.completion.prompt

    def stops(self, decoding: Decoding, *, chat: bool) -> tuple[str, ...]:
        r"""Return the texts at which the reply ends: the decoding's, and of a completion model the request's own.

        Example:
            >>> request = Request("1", "Why?", completion=Completion("Question: Why?\nAnswer:", ("\nQuestion:",)))
            >>> request.stops(Decoding(stop=("###",)), chat=False)
            ('###', '\nQuestion:')
        """
        own = () if chat or self.completion is None else self.completion.stop
        return tuple(dict.fromkeys((*decoding.stop, *own)))

    @property
    def messages(self) -> tuple[dict[str, str], ...]:
        """What a chat model is given: the system message, every turn, and the prompt as the user's last."""
        front = [Turn("system", self.system)] if self.system else []
        said = [*front, *self.turns, Turn("user", self.prompt.removesuffix("\n"))]
        return tuple({"role": turn.role, "content": turn.content} for turn in said)

    @property
    def key(self) -> tuple[str, str, str, int, str | None]:
        """What tells this call from every other that the same model gets in a run."""
        return (self.example_id, self.stage, self.variant, self.sample, self.parent_generation_id)

    def seed(self, seed: int) -> int:
        """A 63-bit seed of this request's own, the same on every machine, in every batch and in every run.

        What a follow-up is about counts by its prompt: the id of that generation is another one in every run.
        """
        own = [seed, self.example_id, self.stage, self.variant, self.sample, self.prompt, *map(astuple, self.turns)]
        digest = hashlib.blake2b(json.dumps(own).encode(), digest_size=8).digest()
        return int.from_bytes(digest, "little") >> 1


@dataclass(frozen=True)
class Reply:
    """What came back: a generation, or the reason why there is none.

    Attributes:
        generation: The text that the model added, without special tokens; null where the request failed.
        finish_reason: ``stop`` (it ended by itself or at a stop text), ``length`` (cut off), ``forced``.
        rendered_prompt: The text that the model was really given, chat template and started answer included.
        messages: The chat messages that were sent; null for completion models.
        prompt_tokens: Length of the prompt in tokens, where known.
        completion_tokens: Length of the generation in tokens, with its end-of-sequence, where known.
        logprob: Sum of the natural log-probabilities of the generated (or forced) tokens, before any temperature.
        error: Why the request failed; null where it did not.
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
    """A model that can be asked: a local checkpoint or an endpoint."""

    @property
    def name(self) -> str:
        """What the user called it: a folder, a GGUF file, a Hub id, or an endpoint's address and model."""

    @property
    def revision(self) -> str | None:
        """The commit of a Hub model, the hash of a local checkpoint's files; null where nobody can tell."""

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        """Answer requests in any order; a failed try is a reply of its own, and further tries may follow it."""


@runtime_checkable
class TokenReports(Protocol):
    """What a model may have besides: it reports tokens while it generates, long before the first reply is whole."""

    on_tokens: Callable[[int], None]
    """Is called with the number of tokens generated since the last call."""


def with_samples(requests: Iterable[Request], samples: int) -> list[Request]:
    """Ask every request ``samples`` times, as samples 0, 1, ….

    Example:
        >>> [request.sample for request in with_samples([Request("id", "Recall.")], 3)]
        [0, 1, 2]
    """
    return [replace(request, sample=sample) for request in requests for sample in range(samples)]
