"""The tokens that all prompts begin with, such as a system message or worked examples, computed only once.

:mod:`selfknow.models.continuous` uses them.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from transformers import DynamicCache

from selfknow.models.rendering import Rendered

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_SHORTEST_IN_TOKENS = 16  # a shorter prefix is not worth its own forward pass


def shared_tokens(prompts: Sequence[Rendered]) -> list[int]:
    """Return the tokens that all prompts begin with; every prompt has at least one more token.

    The result is empty if the shared tokens are too few to save time.
    """
    rows = [prompt.tokens for prompt in prompts]
    if len(rows) < 2:
        return []
    first, last = min(rows), max(rows)  # all rows sort between these two, so they share the beginning of both
    differences = (index for index, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1])
    length = min(next(differences, len(first)), *(len(row) - 1 for row in rows))
    return first[:length] if length >= _SHORTEST_IN_TOKENS else []


class SharedPrefix:
    """The keys and values of tokens that all prompts begin with.

    Args:
        model: A causal model that takes positions and has full attention in all layers.
        tokens: The shared tokens.
    """

    def __init__(self, model: "PreTrainedModel", tokens: Sequence[int]) -> None:
        cache = DynamicCache()
        forward: Any = model
        forward(input_ids=torch.tensor([tokens], device=model.device), past_key_values=cache, use_cache=True)
        layers: Any = cache.layers
        self._layers: list[tuple[torch.Tensor, torch.Tensor]] = [(layer.keys, layer.values) for layer in layers]
        self._length = len(tokens)

    def __len__(self) -> int:
        return self._length

    def cache(self, num_rows: int) -> DynamicCache:
        """Return a cache that holds the prefix for each of this many rows."""
        cache = DynamicCache()
        for number, states in enumerate(self._layers):
            keys, values = (tensor.expand(num_rows, -1, -1, -1) for tensor in states)
            cache.update(keys, values, number)
        return cache

    def close_gaps(self, cache: DynamicCache, paddings: Sequence[int]) -> None:
        """Copy each row's prefix to the right, over the padding between it and the rest of the row.

        Args:
            cache: A cache from :meth:`cache` after a forward pass over the rest of the rows, padded on the left.
            paddings: The number of padding columns in each row.
        """
        device = self._layers[0][0].device
        rows = torch.arange(len(paddings), device=device)[:, None]
        columns = torch.tensor(list(paddings), device=device)[:, None] + torch.arange(len(self), device=device)
        layers: Any = cache.layers
        for layer, states in zip(layers, self._layers, strict=True):
            for row_states, prefix in zip((layer.keys, layer.values), states, strict=True):
                row_states[rows, :, columns] = prefix.transpose(1, 2)
