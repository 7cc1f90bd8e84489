"""The memory that fine-tuning takes, computed without loading the weights.

With adapters (LoRA) the model's own weights are frozen: 2 bytes each in bfloat16. The adapters, their gradients and
AdamW's two moments take 16 bytes for each weight of the adapters. A forward pass over tensors without contents
(PyTorch's device ``meta``) counts the bytes that the backward pass needs, so the number is exact for this network. A
GPU may need less, since its attention may not keep attention weights. CUDA's own memory (about half a GiB) and
fragmentation are not counted.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from selfknow.models import checkpoints
from selfknow.train.job import with_adapters
from selfknow.train.recipe import Recipe

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

GIB = 1024**3
_BYTES_OF_FLOAT32 = 4


@dataclass(frozen=True)
class TuningMemory:
    """The memory of fine-tuning, in bytes.

    Attributes:
        num_parameters: Parameters of the model, without adapters.
        num_trained: Trained parameters: those of the adapters with LoRA, otherwise all.
        weights: Bytes of the weights of model and adapters.
        gradients: Bytes of the gradients.
        optimizer: Bytes of AdamW's two moments.
        activations: Bytes that the backward pass of the largest micro-batch needs, with the gradient of its logits.
    """

    num_parameters: int
    num_trained: int
    weights: int
    gradients: int
    optimizer: int
    activations: int

    @property
    def total(self) -> int:
        """The sum of weights, gradients, optimizer and activations, in bytes."""
        return self.weights + self.gradients + self.optimizer + self.activations

    def as_gib(self) -> dict[str, float]:
        """Return the parts in GiB, by names such as ``weights_gib``."""
        parts = ("weights", "gradients", "optimizer", "activations", "total")
        return {f"{part}_gib": getattr(self, part) / GIB for part in parts}


def tuning_memory(model: str, recipe: Recipe, num_tokens: int, num_rows: int) -> TuningMemory:
    """Compute the memory that fine-tuning takes.

    Args:
        model: A folder, a GGUF file or a Hub id; only its configuration is read.
        recipe: The recipe of the fine-tuning.
        num_tokens: Tokens of the longest example, including its question.
        num_rows: Examples that go through the model at once.

    Raises:
        UserError: The model is not available.
    """
    network = _empty_model(model, recipe)
    trained_parameters = [parameter for parameter in network.parameters() if parameter.requires_grad]
    num_trained = sum(parameter.numel() for parameter in trained_parameters)
    num_all = sum(parameter.numel() for parameter in network.parameters())
    return TuningMemory(
        num_parameters=num_all - (num_trained if recipe.lora_rank else 0),
        num_trained=num_trained,
        weights=sum(parameter.numel() * parameter.element_size() for parameter in network.parameters()),
        gradients=num_trained * _BYTES_OF_FLOAT32,
        optimizer=2 * num_trained * _BYTES_OF_FLOAT32,
        activations=_activations(model, network, recipe, num_tokens, num_rows),
    )


def _empty_model(model: str, recipe: Recipe) -> "PreTrainedModel":
    """Make the network, with its adapters if there are any, on the device ``meta``, which stores no weights."""
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    config = checkpoints.load_config(model)
    model_class: Any = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
    is_half_precision = recipe.precision == "bfloat16" and recipe.lora_rank > 0
    with torch.device("meta"):
        network = model_class.from_config(config, dtype=torch.bfloat16 if is_half_precision else torch.float32)
        adapted = with_adapters(network, recipe)
    adapted.train()
    return adapted


def _activations(model: str, network: "PreTrainedModel", recipe: Recipe, num_tokens: int, num_rows: int) -> int:
    saved_bytes, logits_gradient_bytes = _saved_bytes(network, num_tokens, num_rows)
    if recipe.gradient_checkpointing:  # the backward pass recomputes one layer at a time
        plain = _empty_model(model, replace(recipe, gradient_checkpointing=False))
        num_layers = max(1, int(getattr(network.config.get_text_config(), "num_hidden_layers", 1)))
        plain_bytes, _ = _saved_bytes(plain, num_tokens, num_rows)
        saved_bytes += plain_bytes // num_layers
    return saved_bytes + logits_gradient_bytes


def _saved_bytes(model: "PreTrainedModel", num_tokens: int, num_rows: int) -> tuple[int, int]:
    """Return two counts of bytes: what the forward pass keeps (no weights), and the logits' gradient."""
    import torch

    sizes: dict[object, int] = {}
    tensors: list[torch.Tensor] = []

    def keep(tensor: "torch.Tensor") -> "torch.Tensor":
        storage = tensor.untyped_storage()
        sizes[storage._cdata] = storage.nbytes()  # the storage's address identifies it
        tensors.append(tensor)  # keep it alive: a reused storage would be counted once instead of twice
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        logits = model(**_inputs(model, num_tokens, num_rows), use_cache=False).logits
        flat = logits.reshape(-1, logits.shape[-1]).float()
        torch.nn.functional.cross_entropy(flat, torch.zeros(len(flat), dtype=torch.long, device="meta"))
    weights = {parameter.untyped_storage()._cdata for parameter in model.parameters()}
    activations = sum(size for storage, size in sizes.items() if storage not in weights)
    # The logits have a gradient in float32, for the loss, and one in the model's type.
    return activations, flat.numel() * (flat.element_size() + logits.element_size())


def _inputs(model: "PreTrainedModel", num_tokens: int, num_rows: int) -> "dict[str, torch.Tensor]":
    import torch

    tokens = torch.zeros((num_rows, num_tokens), dtype=torch.long, device="meta")
    # Training too masks each pair of tokens (:func:`.packing.model_inputs`), which costs more than a mask of tokens.
    mask = torch.zeros((num_rows, 1, num_tokens, num_tokens), dtype=model.dtype, device="meta")
    if model.config.is_encoder_decoder:
        masks = {"attention_mask": mask, "decoder_attention_mask": mask}
        return {"input_ids": tokens, "decoder_input_ids": tokens, **masks}
    positions = torch.arange(num_tokens, device="meta").expand(num_rows, -1)
    return {"input_ids": tokens, "attention_mask": mask, "position_ids": positions}
