"""The rendering of requests for a local model: chat template, tokens and padding."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from selfknow.errors import UserError, argument
from selfknow.models.interface import Decoding, Request
from selfknow.models.tokenization import decode, encode

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerBase


@dataclass(frozen=True)
class Rendered:
    """A request in text and tokens.

    Attributes:
        request: The request.
        text: The rendered prompt, with the started answer.
        messages: The chat messages; null without a chat template.
        tokens: The tokens of the prompt; a causal model's include the started answer.
        started: The first tokens of an encoder-decoder model's decoder; empty for a causal model.
        forced: The tokens of the continuation to score; null if a reply is generated.
    """

    request: Request
    text: str
    messages: tuple[dict[str, str], ...] | None
    tokens: list[int]
    started: list[int]
    forced: list[int] | None

    def stops(self, decoding: Decoding) -> tuple[str, ...]:
        """Return the texts at which the reply ends."""
        return self.request.stops(decoding, chat=self.messages is not None)


@dataclass(frozen=True)
class Renderer:
    """A renderer of requests for one model.

    Attributes:
        tokenizer: The model's tokenizer.
        chat: True if prompts go through its chat template.
        decoder_start: The first token of an encoder-decoder model's decoder; null for a causal model.
    """

    tokenizer: "PreTrainedTokenizerBase"
    chat: bool
    decoder_start: int | None

    def render(self, request: Request) -> Rendered:
        """Render one request.

        Raises:
            UserError: The tokenizer joins a forced continuation to the text before it.
        """
        text, messages = request.completion_text, None
        if self.chat:
            messages = request.messages
            text = self._chat_text(request)
        full_text = text + request.started_answer
        special_tokens = not self.chat  # a chat template has its own special tokens
        forced = None
        if request.forced is not None:
            forced = self._forced_tokens(request, full_text, special_tokens=special_tokens)
        if self.decoder_start is None:
            [tokens] = encode(self.tokenizer, [full_text], special_tokens=special_tokens)
            return Rendered(request, full_text, messages, tokens, [], forced)
        [tokens] = encode(self.tokenizer, [text], special_tokens=special_tokens)
        [started] = encode(self.tokenizer, [request.started_answer], special_tokens=False)
        tokens = [*tokens, self.tokenizer.eos_token_id]
        return Rendered(request, full_text, messages, tokens, [self.decoder_start, *started], forced)

    def _chat_text(self, request: Request) -> str:
        """Render a request's messages with the chat template."""
        from jinja2.exceptions import TemplateError

        messages = list(request.messages)
        try:
            return str(self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))
        except TemplateError as error:
            if not request.system:
                raise
            raise UserError(
                f"the model's chat template takes no system message ({error}): add {argument('chat', False)}"
            ) from error

    def _forced_tokens(self, request: Request, text_before: str, *, special_tokens: bool) -> list[int]:
        """Return the tokens of a forced continuation, as the tokenizer encodes it after the text before it."""
        if not request.forced:
            return [self.tokenizer.eos_token_id]
        if self.decoder_start is not None:
            text_before, special_tokens = request.started_answer, False
        texts = [text_before, text_before + request.forced]
        before, both = encode(self.tokenizer, texts, special_tokens=special_tokens)
        if both[: len(before)] != before:
            raise UserError(f"the tokenizer joins {request.forced!r} to the text before it, so it cannot be scored")
        return both[len(before) :]


def added_text(tokenizer: "PreTrainedTokenizerBase", rendered: Rendered, tokens: Sequence[int]) -> str:
    """Return the text that generated tokens (without an end token) add to a request's started answer."""
    started = rendered.started[1:]
    return decode(tokenizer, [*started, *tokens])[len(decode(tokenizer, started)) :]


def first_batch(prompts: list[Rendered]) -> list[Rendered]:
    """Return the first requests that can share a batch.

    Either all of them score a forced continuation, or none does and their started answers have the same length.
    """
    first = prompts[0]
    for index, prompt in enumerate(prompts):
        if (prompt.forced is None) != (first.forced is None):
            return prompts[:index]
        if first.forced is None and len(prompt.started) != len(first.started):
            return prompts[:index]
    return prompts


def pad_left(rows: Sequence[Sequence[int]], padding: int) -> "tuple[torch.Tensor, torch.Tensor]":
    """Pad rows of tokens on the left, and return the tokens and the attention mask, both (rows, longest)."""
    import torch

    width = max(len(row) for row in rows)
    tokens = torch.full((len(rows), width), padding)
    mask = torch.zeros((len(rows), width), dtype=torch.long)
    for index, row in enumerate(rows):
        tokens[index, width - len(row) :] = torch.tensor(row)
        mask[index, width - len(row) :] = 1
    return tokens, mask
