"""The forward of an encoder-decoder model that reads packed rows.

``transformers`` masks the encoder's own attention and the decoder's view of the encoder with one mask. In packed rows
these are two, so the encoder is called with its own. That has to happen *inside* the model's forward: what
``accelerate`` wraps (autocast to bfloat16, ``torch.compile``, gradients shared between processes) is the forward.
"""

from functools import wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel


def read_packed_rows(model: "PreTrainedModel") -> None:
    """Let a model's forward take ``encoder_mask``, the mask of its encoder; without one it is as it was.

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

    model.forward = forward  # type: ignore[method-assign]
