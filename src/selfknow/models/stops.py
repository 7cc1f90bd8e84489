"""Ends of local replies: at the token that completes a stop text, or at the request's limit."""

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
    # First only the tail, as that is fast; a character takes at most four tokens. The tail may decode differently than
    # the whole text, so the whole text decides.
    tail = decode(tokenizer, tokens[-4 * max(map(len, stops)) - 16 :])
    if not any(stop in tail for stop in stops):
        return False
    text = added_text(tokenizer, rendered, tokens)
    return any(stop in text for stop in stops)


class RowEnds(StoppingCriteria):
    """A criterion that ends each row of ``model.generate`` at its own stop texts or limit.

    The ``stop_strings`` of ``transformers`` apply to all rows, match across the prompt's end, and need a vocabulary
    that can spell "abcdef". This criterion reads only the text of the reply.

    Args:
        tokenizer: The model's tokenizer.
        batch: A request for each row.
        decoding: The decoding, with the stop texts of all requests.
        prompt_length: The number of columns before the first generated token.

    Attributes:
        limits: The largest number of tokens of each reply.
        lengths: The number of tokens of each reply up to the end of its stop text, or to its limit; null until then.
        ended: True for rows that have a length, (rows,) on the CPU.
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
        """Return true for each row that has ended, (rows,); ``input_ids`` is (rows, columns)."""
        for row, tokens in enumerate(input_ids[:, self._prompt_length :].tolist()):
            if self.lengths[row] is None and self._has_ended(row, tokens):
                self.lengths[row] = len(tokens)
                self.ended[row] = True
        return cast("torch.BoolTensor", self.ended.to(input_ids.device))

    def _has_ended(self, row: int, tokens: Sequence[int]) -> bool:
        if len(tokens) >= self.limits[row]:
            return True
        return has_stop(self._tokenizer, self._batch[row], tokens, self._decoding)
