"""A cache of keys and values in slots: the next prompt takes the slot of a finished reply, and other slots stay put.

It belongs to :mod:`selfknow.models.continuous`, which says why ``generate_batch`` of ``transformers`` is not enough.
"""

from collections.abc import Sequence
from typing import Any

import torch
from transformers import Cache
from transformers.cache_utils import DynamicLayer

_FREE_COLUMNS = 64  # the least number of columns that a full layer grows by


class Window:
    """The columns in use in all layers, from ``begin`` (inclusive) to ``end`` (exclusive).

    Every row has a first column of its own, and all rows end at ``end``. The model sees the columns from the first one
    of the longest row.
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

    def put(self, places: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> None:
        """Write prompts, (rows, heads, width, head size), into slots, up to the window's end."""
        end = self.window.end
        self.keys[places, :, end - keys.shape[2] : end] = keys
        self.values[places, :, end - keys.shape[2] : end] = values

    def move(self, old: slice, new: slice, capacity: int) -> None:
        """Reallocate the layer with its columns at new places, and zeros elsewhere.

        Memory that was not set may hold NaN, which even an attention weight of 0 would let through.
        """
        for name in ("keys", "values"):
            held = getattr(self, name)
            moved = held.new_zeros((*held.shape[:2], capacity, held.shape[3]))
            moved[:, :, new] = held[:, :, old]
            setattr(self, name, moved)


class Slots:
    """The cache of all unfinished replies.

    Args:
        prefilled: The cache of the first prompts' forward pass; they are padded on the left.
        lengths: The prompts' lengths in tokens.
    """

    def __init__(self, prefilled: Any, lengths: Sequence[int]) -> None:
        own, cross = _parts(prefilled)
        width = int(own.layers[0].keys.shape[2])
        self.window = Window(0, width)
        self.layers = [SlotLayer(self.window, layer.keys, layer.values) for layer in own.layers]
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
        """The attention mask, (slots, columns that the model sees), with the column to be written."""
        return (torch.arange(self.window.begin, self.window.end + 1) >= self.starts[:, None]).long()

    @property
    def positions(self) -> torch.Tensor:
        """The position of each row's next token, (slots, 1)."""
        return (self.window.end - self.starts)[:, None]

    def advance(self, in_use: Sequence[int]) -> None:
        """Move the window's end past the column just written, and its begin to the first column of any row in use."""
        self.window.end += 1
        idle = torch.ones(len(self), dtype=torch.bool)
        idle[list(in_use)] = False
        self.starts[idle] = self.window.end  # an idle slot sees what it writes itself, and nothing else
        self.window.begin = int(self.starts.min())
        self._make_room(0)

    def put(self, places: Sequence[int], prefilled: Any, lengths: Sequence[int]) -> None:
        """Put new prompts into slots.

        Args:
            places: The slots.
            prefilled: The cache of the prompts' forward pass.
            lengths: The prompts' lengths in tokens.
        """
        own, cross = _parts(prefilled)
        width = int(own.layers[0].keys.shape[2])
        self._make_room(width)
        where = torch.tensor(list(places), device=own.layers[0].keys.device)
        for layer, new in zip(self.layers, own.layers, strict=True):
            layer.put(where, new.keys, new.values)
        if cross is not None:
            for layer, new in zip(self.cross.layers, cross.layers, strict=True):
                layer.keys[where], layer.values[where] = (
                    _pad_states(states, layer.keys.shape[2]) for states in (new.keys, new.values)
                )
        self.starts[list(places)] = torch.tensor([self.window.end - length for length in lengths])
        self.window.begin = int(self.starts.min())

    def keep(self, places: Sequence[int]) -> None:
        """Keep these slots alone, in this order."""
        where = torch.tensor(list(places), device=self.layers[0].keys.device)
        for layer in [*self.layers, *([] if self.cross is None else self.cross.layers)]:
            layer.keys, layer.values = layer.keys[where], layer.values[where]
        self.starts = self.starts[list(places)]
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


def _parts(cache: Any) -> tuple[Any, Any]:
    """Return the self-attention cache and the cross-attention cache, which is None for a model without an encoder."""
    return (cache, None) if not hasattr(cache, "self_attention_cache") else tuple(vars(cache)[n] for n in _PARTS)


_PARTS = ("self_attention_cache", "cross_attention_cache")


def _pad_states(states: torch.Tensor, width: int) -> torch.Tensor:
    """Pad an encoder's states, (rows, heads, tokens, head size), on the left to a width."""
    return torch.nn.functional.pad(states, (0, 0, width - states.shape[2], 0))
