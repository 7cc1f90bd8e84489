"""The tokens that all prompts begin with, such as a system message or worked examples: computed once for all.

It belongs to :mod:`selfknow.models.continuous`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from transformers import DynamicCache

from selfknow.models.rendering import Rendered

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_SHORTEST = 16  # tokens; a shorter prefix is not worth a forward pass of its own


def shared_tokens(prompts: Sequence[Rendered]) -> list[int]:
    """Return the tokens that all prompts begin with, each with one more after them; none if they are too few."""
    rows = [prompt.tokens for prompt in prompts]
    if len(rows) < 2:
        return []
    first, last = min(rows), max(rows)  # what these two share, all that sort between them share
    different = (place for place, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1])
    length = min(next(different, len(first)), *(len(row) - 1 for row in rows))
    return first[:length] if length >= _SHORTEST else []


class SharedPrefix:
    """The keys and values of tokens that all prompts begin with.

    Args:
        model: A causal model with full attention in all layers, which takes positions.
        tokens: The tokens.
    """

    def __init__(self, model: "PreTrainedModel", tokens: Sequence[int]) -> None:
        cache = DynamicCache()
        computed: Any = model
        computed(input_ids=torch.tensor([tokens], device=model.device), past_key_values=cache, use_cache=True)
        layers: Any = cache.layers
        self._layers: list[tuple[torch.Tensor, torch.Tensor]] = [(layer.keys, layer.values) for layer in layers]
        self._length = len(tokens)

    def __len__(self) -> int:
        return self._length

    def cache(self, num_rows: int) -> DynamicCache:
        """Return a cache that holds the prefix for each of this many rows."""
        cache = DynamicCache()
        for place, states in enumerate(self._layers):
            keys, values = (each.expand(num_rows, -1, -1, -1) for each in states)
            cache.update(keys, values, place)
        return cache

    def close_gaps(self, cache: DynamicCache, paddings: Sequence[int]) -> None:
        """Move each row's prefix to the right, over the padding between it and the row's own tokens.

        Args:
            cache: A cache of :meth:`cache` after a forward pass over the rows' own tokens, padded on the left.
            paddings: The columns of padding in each row.
        """
        device = self._layers[0][0].device
        rows = torch.arange(len(paddings), device=device)[:, None]
        columns = torch.tensor(list(paddings), device=device)[:, None] + torch.arange(len(self), device=device)
        layers: Any = cache.layers
        for layer, states in zip(layers, self._layers, strict=True):
            for held, prefix in zip((layer.keys, layer.values), states, strict=True):
                held[rows, :, columns] = prefix.transpose(1, 2)
