"""A cache of keys and values in slots. A new prompt takes the slot of a finished reply; the other slots stay in place.

:mod:`selfknow.models.continuous` uses it, and explains why ``generate_batch`` of ``transformers`` is not enough.
"""

from collections.abc import Sequence
from typing import Any

import torch
from transformers import Cache
from transformers.cache_utils import DynamicLayer

_FREE_COLUMNS = 64  # a full layer grows by at least this many columns


class Window:
    """The columns in use in all layers, from ``begin`` (inclusive) to ``end`` (exclusive).

    Rows begin in different columns, and all end at ``end``. The longest row begins at ``begin``.
    """

    def __init__(self, begin: int, end: int) -> None:
        self.begin = begin
        self.end = end


class SlotLayer(DynamicLayer):
    """One layer's keys and values, (slots, heads, columns, head size), written in place.

    The layers of ``transformers``, by contrast, copy their whole contents each time a token is added.

    Args:
        window: The columns in use, shared by all layers.
        keys: The keys of the first prompts, which fill the window.
        values: The values of the same prompts.
    """

    is_sliding = False  # all columns are kept: the attention mask hides those outside a sliding window

    keys: torch.Tensor
    values: torch.Tensor

    def __init__(self, window: Window, keys: torch.Tensor, values: torch.Tensor) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.window = window
        self.keys, self.values = keys, values
        self.is_initialized = True

    @property
    def capacity(self) -> int:
        """The number of columns, in use or not."""
        return int(self.keys.shape[2])

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Write one more column, (slots, heads, 1, head size), and return the columns that the model sees."""
        begin, end = self.window.begin, self.window.end
        self.keys[:, :, end : end + 1] = key_states
        self.values[:, :, end : end + 1] = value_states
        return self.keys[:, :, begin : end + 1], self.values[:, :, begin : end + 1]

    def get_seq_length(self) -> int:
        """Return the number of columns that the model sees, without the one that is being written."""
        return self.window.end - self.window.begin

    def put(self, slots: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> None:
        """Write prompts, (rows, heads, width, head size), into slots, up to the window's end."""
        end = self.window.end
        self.keys[slots, :, end - keys.shape[2] : end] = keys
        self.values[slots, :, end - keys.shape[2] : end] = values

    def move(self, old: slice, new: slice, capacity: int) -> None:
        """Reallocate the layer, with the columns ``old`` moved to ``new`` and zeros elsewhere.

        Memory that is not set may hold NaN, and NaN times an attention weight of 0 is still NaN.
        """
        for name in ("keys", "values"):
            states = getattr(self, name)
            new_states = states.new_zeros((*states.shape[:2], capacity, states.shape[3]))
            new_states[:, :, new] = states[:, :, old]
            setattr(self, name, new_states)


class Slots:
    """The cache of all unfinished replies.

    Args:
        prefilled: The cache of the first prompts' forward pass; they are padded on the left.
        lengths: The prompts' lengths in tokens.
    """

    def __init__(self, prefilled: Any, lengths: Sequence[int]) -> None:
        decoder, cross = _split_cache(prefilled)
        width = int(decoder.layers[0].keys.shape[2])
        self.window = Window(0, width)
        self.layers = [SlotLayer(self.window, layer.keys, layer.values) for layer in decoder.layers]
        self.cross = cross
        self.starts = torch.tensor([width - length for length in lengths])
        self.cache: Any = Cache(layers=list(self.layers))
        if cross is not None:
            from transformers import EncoderDecoderCache

            self.cache = EncoderDecoderCache(self.cache, cross)
        self._make_room(0)

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def mask(self) -> torch.Tensor:
        """The attention mask, (slots, columns that the model sees), including the column that is written next."""
        return (torch.arange(self.window.begin, self.window.end + 1) >= self.starts[:, None]).long()

    @property
    def positions(self) -> torch.Tensor:
        """The position of each row's next token, (slots, 1)."""
        return (self.window.end - self.starts)[:, None]

    def advance(self, in_use: Sequence[int]) -> None:
        """Move the window's end past the column just written, and its begin to the first column of the rows in use."""
        self.window.end += 1
        idle = torch.ones(len(self), dtype=torch.bool)
        idle[list(in_use)] = False
        self.starts[idle] = self.window.end  # an idle slot sees only its own new tokens
        self.window.begin = int(self.starts.min())
        self._make_room(0)

    def put(self, slots: Sequence[int], prefilled: Any, lengths: Sequence[int]) -> None:
        """Put new prompts into slots.

        Args:
            slots: The numbers of the slots.
            prefilled: The cache of the prompts' forward pass.
            lengths: The prompts' lengths in tokens.
        """
        decoder, cross = _split_cache(prefilled)
        width = int(decoder.layers[0].keys.shape[2])
        self._make_room(width)
        indices = torch.tensor(list(slots), device=decoder.layers[0].keys.device)
        for layer, new_layer in zip(self.layers, decoder.layers, strict=True):
            layer.put(indices, new_layer.keys, new_layer.values)
        if cross is not None:
            for layer, new_layer in zip(self.cross.layers, cross.layers, strict=True):
                encoder_width = layer.keys.shape[2]
                layer.keys[indices] = _pad_states(new_layer.keys, encoder_width)
                layer.values[indices] = _pad_states(new_layer.values, encoder_width)
        self.starts[list(slots)] = torch.tensor([self.window.end - length for length in lengths])
        self.window.begin = int(self.starts.min())

    def keep(self, slots: Sequence[int]) -> None:
        """Keep only these slots, in this order."""
        indices = torch.tensor(list(slots), device=self.layers[0].keys.device)
        for layer in [*self.layers, *([] if self.cross is None else self.cross.layers)]:
            layer.keys, layer.values = layer.keys[indices], layer.values[indices]
        self.starts = self.starts[list(slots)]
        self.window.begin = int(self.starts.min())

    def _make_room(self, width: int) -> None:
        """Make room for one more column at the end, and for a prompt of ``width`` columns before it."""
        window, used = self.window, self.window.end - self.window.begin
        if width <= window.end < self.layers[0].capacity:
            return
        begin = max(0, width - used)
        capacity = begin + used + max(_FREE_COLUMNS, used // 2)
        for layer in self.layers:
            layer.move(slice(window.begin, window.end), slice(begin, begin + used), capacity)
        self.starts += begin - window.begin
        window.begin, window.end = begin, begin + used


def _split_cache(cache: Any) -> tuple[Any, Any]:
    """Return the self-attention cache and the cross-attention cache, which is None for a model without an encoder."""
    if not hasattr(cache, "self_attention_cache"):
        return cache, None
    return cache.self_attention_cache, cache.cross_attention_cache


def _pad_states(states: torch.Tensor, width: int) -> torch.Tensor:
    """Pad an encoder's states, (rows, heads, tokens, head size), on the left to a width."""
    return torch.nn.functional.pad(states, (0, 0, width - states.shape[2], 0))
