"""Ends of local replies: with the token that completes a stop text, or at the limit of the request."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import torch
from transformers import StoppingCriteria

from selfknow.models.interface import Decoding
from selfknow.models.rendering import Rendered, added_text
from selfknow.models.tokenization import decode

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


def has_stop(
    tokenizer: "PreTrainedTokenizerBase", rendered: Rendered, tokens: Sequence[int], decoding: Decoding
) -> bool:
    """Return true if generated tokens hold a stop text of their request; call it after each token.

    Args:
        tokenizer: The model's tokenizer.
        rendered: The request; a stop text in its prompt or its started answer does not count.
        tokens: The tokens generated so far.
        decoding: The decoding, with the stop texts of all requests.
    """
    stops = rendered.stops(decoding)
    if not stops:
        return False
    # Decoding the tail is fast, as a character takes at most four tokens. It may differ from the whole, which decides.
    tail = decode(tokenizer, tokens[-4 * max(map(len, stops)) - 16 :])
    if not any(stop in tail for stop in stops):
        return False
    whole = added_text(tokenizer, rendered, tokens)
    return any(stop in whole for stop in stops)


class RowEnds(StoppingCriteria):
    """A criterion that ends each row of ``model.generate`` at a stop text or a limit of its own.

    The ``stop_strings`` of Transformers apply to all rows, match across the prompt's end, and need a vocabulary that
    can spell "abcdef". Here the reply's own text decides.

    Args:
        tokenizer: The model's tokenizer.
        batch: A request for each row.
        decoding: The decoding, with the stop texts of all requests.
        prompt_length: The number of columns before the first generated token.

    Attributes:
        limits: The largest number of tokens of each reply.
        lengths: The tokens of each reply up to the end of its stop text, or to its limit; null before.
        ended: Rows with a length, (rows,) on the CPU.
    """

    def __init__(
        self, tokenizer: "PreTrainedTokenizerBase", batch: Sequence[Rendered], decoding: Decoding, prompt_length: int
    ) -> None:
        self._tokenizer = tokenizer
        self._batch = batch
        self._decoding = decoding
        self._prompt_length = prompt_length
        self.limits = [prompt.request.limit(decoding) for prompt in batch]
        self.lengths: list[int | None] = [None] * len(batch)
        self.ended = torch.zeros(len(batch), dtype=torch.bool)

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor, **_: object) -> torch.BoolTensor:  # noqa: ARG002
        """Return the rows that have ended as booleans, (rows,); ``input_ids`` is (rows, columns)."""
        for place, tokens in enumerate(input_ids[:, self._prompt_length :].tolist()):
            if self.lengths[place] is None and self._has_ended(place, tokens):
                self.lengths[place] = len(tokens)
                self.ended[place] = True
        return cast("torch.BoolTensor", self.ended.to(input_ids.device))

    def _has_ended(self, place: int, tokens: Sequence[int]) -> bool:
        if len(tokens) >= self.limits[place]:
            return True
        return has_stop(self._tokenizer, self._batch[place], tokens, self._decoding)
