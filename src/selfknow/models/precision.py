"""The precision of local models, which runs record: bfloat16 gives other texts than float32."""

from typing import TYPE_CHECKING

from selfknow.errors import UserError, nearest

if TYPE_CHECKING:
    from transformers import PreTrainedModel

SAVED = "saved"
PRECISIONS = ("float32", "bfloat16", SAVED)
# Torch's names for processors' bfloat16 instructions: AVX-512 and AMX of x86, and ARM's.
_PROCESSOR_HAS_BFLOAT16 = ("avx512_bf16", "amx_bf16", "bf16")


def choose_precision(wanted: str | None, device: str) -> str:
    """Return the precision to load a model in.

    Args:
        wanted: ``float32``, ``bfloat16``, ``saved`` (the checkpoint's own), or null: the device's fastest.
        device: The model's device: ``cpu``, ``cuda``, ``mps``.

    Returns:
        A type of torch by name, or ``auto``, which is the checkpoint's own for ``from_pretrained``.

    Raises:
        UserError: There is no such precision.

    Example:
        >>> choose_precision("float32", "cpu")
        'float32'
    """
    if wanted is None:
        return native_precision(device)
    if wanted not in PRECISIONS:
        raise UserError(f"unknown precision {wanted!r}{nearest(wanted, PRECISIONS)}")
    return "auto" if wanted == SAVED else wanted


def native_precision(device: str) -> str:
    """Return ``bfloat16`` if the device computes in it natively, without emulation, else ``float32``."""
    import torch

    if device.startswith("cuda"):
        native = torch.cuda.is_bf16_supported(including_emulation=False)
    elif device.startswith("cpu"):
        capabilities: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()  # not in older versions
        native = any(capabilities.get(name) for name in _PROCESSOR_HAS_BFLOAT16)
    else:
        native = False
    return "bfloat16" if native else "float32"


def precision_of(model: "PreTrainedModel") -> str:
    """Return the type that a loaded model computes in, such as ``float32``."""
    return str(model.dtype).removeprefix("torch.")
