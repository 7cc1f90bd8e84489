"""Packing: a step's examples share rows, so that no time is spent on padding, but they never attend to each other.

A step still has the 32 examples that the recipe drew; only their layout in memory changes. Positions start anew with
every example and the attention mask is block-diagonal, so the loss and the gradients are those of separate rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from selfknow.train.data import Example, Tokens

IGNORED = -100
_PADDING_SEGMENT = -1


@dataclass(frozen=True)
class Collator:
    """A collator that lays out a step's examples for a model.

    Attributes:
        padding: The padding token.
        decoder_start: The first token of an encoder-decoder model's decoder; null for a causal model.
        packing: If true, examples share rows; else each has its own row, padded to the length of the longest.
    """

    padding: int
    decoder_start: int | None = None
    packing: bool = True

    def __call__(self, examples: Sequence[Example]) -> dict[str, torch.Tensor]:
        """Collate one step's examples.

        Returns:
            ``input_ids`` and ``labels``. For a causal model also ``position_ids`` and ``segments``; for an
            encoder-decoder model also ``decoder_input_ids``, ``segments`` and ``decoder_segments``. A segment is the
            number of the example that a token belongs to, or -1 for padding.
        """
        outputs = [example["labels"] for example in examples]
        if self.decoder_start is None:
            rows = self._rows([len(tokens) for tokens in outputs])
            return {
                "input_ids": self._lay_out(outputs, rows, self.padding),
                "labels": self._lay_out([_learnt(example) for example in examples], rows, IGNORED),
                "position_ids": self._lay_out([np.arange(len(tokens), dtype=np.int32) for tokens in outputs], rows, 0),
                "segments": self._segments(outputs, rows),
            }
        inputs = [example["input_ids"] for example in examples]
        rows = self._rows([len(tokens) for tokens in outputs])
        start = np.array([self.decoder_start], dtype=np.int32)
        return {
            "input_ids": self._lay_out(inputs, rows, self.padding),
            "segments": self._segments(inputs, rows),
            "decoder_input_ids": self._lay_out(
                [np.concatenate([start, tokens[:-1]]) for tokens in outputs], rows, self.padding
            ),
            "decoder_segments": self._segments(outputs, rows),
            "labels": self._lay_out(outputs, rows, IGNORED),
        }

    def _rows(self, lengths: Sequence[int]) -> list[list[int]]:
        """Put examples, the longest first, into the first row with room; a row is as long as the longest example."""
        if not self.packing:
            return [[index] for index in range(len(lengths))]
        capacity = max(lengths)
        rows: list[list[int]] = []
        room: list[int] = []
        for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
            fitting_row = next((row for row, free in enumerate(room) if free >= lengths[index]), None)
            if fitting_row is None:
                rows.append([index])
                room.append(capacity - lengths[index])
            else:
                rows[fitting_row].append(index)
                room[fitting_row] -= lengths[index]
        return rows

    @staticmethod
    def _lay_out(pieces: Sequence[Tokens], rows: list[list[int]], padding: int) -> torch.Tensor:
        width = max(sum(len(pieces[index]) for index in row) for row in rows)
        layout = np.full((len(rows), width), padding, dtype=np.int64)
        for number, row in enumerate(rows):
            tokens = np.concatenate([pieces[index] for index in row])
            layout[number, : len(tokens)] = tokens
        return torch.from_numpy(layout)

    def _segments(self, pieces: Sequence[Tokens], rows: list[list[int]]) -> torch.Tensor:
        segments = [np.full(len(piece), number, dtype=np.int32) for number, piece in enumerate(pieces)]
        return self._lay_out(segments, rows, _PADDING_SEGMENT)


def _learnt(example: Example) -> Tokens:
    """Return the labels of a causal model; the first token is never learnt, since no token precedes it."""
    labels = example["labels"].copy()
    num_unlearnt = int(example["num_unlearnt"][0]) if "num_unlearnt" in example else 1
    labels[: max(1, num_unlearnt)] = IGNORED
    return labels


def model_inputs(batch: dict[str, torch.Tensor], dtype: torch.dtype) -> dict[str, torch.Tensor]:
    """Turn segments into attention masks: a token sees its own example, and in a causal model nothing after itself.

    Args:
        batch: A batch of :class:`Collator`, on the model's device.
        dtype: The type of the masks, which are added to the attention scores.
    """
    inputs = {name: value for name, value in batch.items() if not name.endswith("segments")}
    segments = batch["segments"]
    if "decoder_segments" not in batch:
        return {**inputs, "attention_mask": _mask(segments, segments, dtype, causal=True)}
    decoder_segments = batch["decoder_segments"]
    return {
        **inputs,
        "encoder_mask": _mask(segments, segments, dtype),
        "attention_mask": _mask(decoder_segments, segments, dtype),
        "decoder_attention_mask": _mask(decoder_segments, decoder_segments, dtype, causal=True),
    }


def _mask(queries: torch.Tensor, keys: torch.Tensor, dtype: torch.dtype, *, causal: bool = False) -> torch.Tensor:
    """Return the mask, (rows, 1, queries, keys): 0 where a query sees a key, a very negative number elsewhere.

    Padding sees everything, since a softmax over nothing is not a number; its labels are ignored.
    """
    visible = (queries[:, :, None] == keys[:, None, :]) | (queries[:, :, None] == _PADDING_SEGMENT)
    if causal:
        visible = visible.tril()
    mask = torch.zeros(visible.shape, dtype=dtype, device=queries.device)
    return mask.masked_fill_(~visible, torch.finfo(dtype).min)[:, None]
