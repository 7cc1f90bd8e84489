"""The memory that a tuning takes, computed without loading the weights.

With adapters (LoRA) the model's own weights are frozen: 2 bytes each in bfloat16. The adapters, their gradients and
AdamW's two moments take 16 bytes for each weight of the adapters. A forward pass over tensors without contents
(PyTorch's device ``meta``) counts the bytes that the backward pass needs, so the number is exact for this network. A
GPU may need less, since its attention may not keep attention weights. CUDA's own memory (about half a GiB) and
fragmentation are not counted.
"""

from dataclasses import dataclass
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
    """The memory of a tuning, in bytes.

    Attributes:
        num_parameters: Parameters of the model, without adapters.
        num_trained: Parameters that are trained: the adapters', or all.
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


def tuning_memory(name: str, recipe: Recipe, num_tokens: int, num_rows: int) -> TuningMemory:
    """Compute the memory that a tuning takes.

    Args:
        name: A folder, a GGUF file or a Hub id; only its configuration is read.
        recipe: The recipe of the tuning.
        num_tokens: Tokens of the longest example, including its question.
        num_rows: Examples that go through the model at once.

    Raises:
        UserError: The model is not available.
    """
    model = _empty_model(name, recipe)
    trained_parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    num_trained = sum(parameter.numel() for parameter in trained_parameters)
    num_all = sum(parameter.numel() for parameter in model.parameters())
    return TuningMemory(
        num_parameters=num_all - (num_trained if recipe.lora_rank else 0),
        num_trained=num_trained,
        weights=sum(parameter.numel() * parameter.element_size() for parameter in model.parameters()),
        gradients=num_trained * _BYTES_OF_FLOAT32,
        optimizer=2 * num_trained * _BYTES_OF_FLOAT32,
        activations=_activations(name, model, recipe, num_tokens, num_rows),
    )


def _empty_model(name: str, recipe: Recipe) -> "PreTrainedModel":
    """Make the network, with its adapters if there are any, on the device ``meta``, which stores no weights."""
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    config = checkpoints.load_config(name)
    model_class: Any = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
    is_half_precision = recipe.precision == "bfloat16" and recipe.lora_rank > 0
    with torch.device("meta"):
        model = model_class.from_config(config, dtype=torch.bfloat16 if is_half_precision else torch.float32)
        adapted = with_adapters(model, recipe)
    adapted.train()
    return adapted


def _activations(name: str, model: "PreTrainedModel", recipe: Recipe, num_tokens: int, num_rows: int) -> int:
    saved, logits = _saved_bytes(model, num_tokens, num_rows)
    if recipe.gradient_checkpointing:  # the backward pass recomputes one layer at a time
        plain = _empty_model(name, Recipe(**{**vars(recipe), "gradient_checkpointing": False}))
        layers = max(1, int(getattr(model.config.get_text_config(), "num_hidden_layers", 1)))
        saved += _saved_bytes(plain, num_tokens, num_rows)[0] // layers
    return saved + logits


def _saved_bytes(model: "PreTrainedModel", num_tokens: int, num_rows: int) -> tuple[int, int]:
    """Return the bytes that the forward pass keeps for the backward pass, without weights, and the logits' gradient."""
    import torch

    sizes: dict[object, int] = {}

    def keep(tensor: "torch.Tensor") -> "torch.Tensor":
        storage = tensor.untyped_storage()
        sizes[storage._cdata] = storage.nbytes()
        tensors.append(tensor)  # keep it alive: a reused storage would be counted once instead of twice
        return tensor

    tensors: list[torch.Tensor] = []
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        logits = model(**_inputs(model, num_tokens, num_rows), use_cache=False).logits
        flat = logits.reshape(-1, logits.shape[-1]).float()
        torch.nn.functional.cross_entropy(flat, torch.zeros(len(flat), dtype=torch.long, device="meta"))
    weights = {parameter.untyped_storage()._cdata for parameter in model.parameters()}
    activations = sum(size for storage, size in sizes.items() if storage not in weights)
    return activations, flat.numel() * (flat.element_size() + logits.element_size())


def _inputs(model: "PreTrainedModel", num_tokens: int, num_rows: int) -> "dict[str, torch.Tensor]":
    import torch

    tokens = torch.zeros((num_rows, num_tokens), dtype=torch.long, device="meta")
    mask = torch.zeros((num_rows, 1, num_tokens, num_tokens), dtype=model.dtype, device="meta")
    if model.config.is_encoder_decoder:
        masks = {"attention_mask": mask, "decoder_attention_mask": mask}
        return {"input_ids": tokens, "decoder_input_ids": tokens, **masks}
    positions = torch.arange(num_tokens, device="meta").expand(num_rows, -1)
    return {"input_ids": tokens, "attention_mask": mask, "position_ids": positions}
