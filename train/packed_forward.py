"""The forward of an encoder-decoder model that reads packed rows.

``transformers`` masks the encoder's own attention and the decoder's view of the encoder with the same mask. Packed rows
need two masks, so the encoder is called with its own. That has to happen *inside* the model's forward, because
``accelerate`` wraps the forward (autocast to bfloat16, ``torch.compile``, gradients shared between processes).
"""

from functools import wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel


def read_packed_rows(model: "PreTrainedModel") -> None:
    """Add to a model's forward the argument ``encoder_mask``, the mask of its encoder; without it nothing changes.

    Args:
        model: An encoder-decoder model, before it is wrapped.
    """
    plain = model.forward

    @wraps(plain)
    def forward(*args: Any, encoder_mask: "torch.Tensor | None" = None, **inputs: Any) -> Any:
        if encoder_mask is None:
            return plain(*args, **inputs)
        states = model.get_encoder()(inputs.pop("input_ids"), attention_mask=encoder_mask)
        return plain(encoder_outputs=states, **inputs)

    model.forward = forward
