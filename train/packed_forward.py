"""The forward method of an encoder-decoder model that reads packed rows.

``transformers`` uses one mask for the encoder's attention and for the decoder's attention to the encoder. Packed rows
need two masks, so the encoder is called with a mask of its own. That must happen *inside* the model's forward, because
``accelerate`` wraps the forward (autocast to bfloat16, ``torch.compile``, gradients shared between processes).
"""

from functools import wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel


def accept_packed_rows(model: "PreTrainedModel") -> None:
    """Add to a model's forward the argument ``encoder_mask``, the mask of its encoder; without it nothing changes.

    Args:
        model: An encoder-decoder model, before it is wrapped.
    """
    original_forward = model.forward

    @wraps(original_forward)
    def forward(*args: Any, encoder_mask: "torch.Tensor | None" = None, **inputs: Any) -> Any:
        if encoder_mask is None:
            return original_forward(*args, **inputs)
        states = model.get_encoder()(inputs.pop("input_ids"), attention_mask=encoder_mask)
        return original_forward(encoder_outputs=states, **inputs)

    model.forward = forward
