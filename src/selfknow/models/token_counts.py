"""Counts of tokens before a request is sent, by the model's tokenizer if it is available, else estimated."""

import math
from typing import NamedTuple, Protocol, runtime_checkable

from selfknow.models.interface import Decoding, LanguageModel, Request

BYTES_PER_TOKEN = 3.4
"""UTF-8 bytes per token, low enough that estimates are rather too high. English prose has about 4.5."""
TOKENS_PER_MESSAGE = 8
"""Estimate of the tokens that a chat template adds to each message."""


class TokenCount(NamedTuple):
    """A number of tokens, exact or estimated."""

    tokens: int
    is_estimate: bool


@runtime_checkable
class PromptCounter(Protocol):
    """An addition to :class:`LanguageModel`: a model that has its tokenizer and can count tokens."""

    def prompt_tokens(self, request: Request) -> int:
        """Return the length of a request's prompt in tokens, as the model receives it."""


def count_prompt(model: LanguageModel, request: Request) -> TokenCount:
    """Return a prompt's number of tokens, counted by the model or else estimated; 0 for an image generator."""
    if not uses_tokens(model):
        return TokenCount(0, is_estimate=False)
    if isinstance(model, PromptCounter):
        return TokenCount(model.prompt_tokens(request), is_estimate=False)
    from selfknow.models.endpoint import EndpointModel

    if isinstance(model, EndpointModel) and not model.endpoint.text:
        contents = [message["content"] for message in request.messages]
        return TokenCount(sum(TOKENS_PER_MESSAGE + estimated_tokens(text) for text in contents), is_estimate=True)
    is_plain = isinstance(model, EndpointModel)
    text = request.completion_text if is_plain else request.text
    return TokenCount(estimated_tokens(text + request.started_answer), is_estimate=True)


def longest_reply(model: LanguageModel, request: Request, decoding: Decoding) -> int:
    """Return the largest number of tokens of a reply: the limit, or the length of a forced continuation."""
    if not uses_tokens(model):
        return 0
    if request.forced is not None:
        return estimated_tokens(request.forced)
    return request.limit(decoding)


def estimated_tokens(text: str) -> int:
    """Return an estimate of a text's number of tokens.

    Example:
        >>> estimated_tokens("Is there life elsewhere in the universe?"), estimated_tokens("")
        (12, 0)
    """
    return math.ceil(len(text.encode(errors="replace")) / BYTES_PER_TOKEN)


def uses_tokens(model: LanguageModel) -> bool:
    """Return false for an image generator, which has no tokens."""
    from selfknow.models.images.generators import Drawing

    return not isinstance(model, Drawing)
