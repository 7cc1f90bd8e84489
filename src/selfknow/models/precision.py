"""The precision of local models. Runs record it, as replies in bfloat16 differ from replies in float32."""

from typing import TYPE_CHECKING

from selfknow.errors import UserError, nearest

if TYPE_CHECKING:
    from transformers import PreTrainedModel

SAVED = "saved"
PRECISIONS = ("float32", "bfloat16", SAVED)
# Torch's names for processors' bfloat16 instructions: AVX-512 and AMX of x86, and ARM's.
_PROCESSOR_HAS_BFLOAT16 = ("avx512_bf16", "amx_bf16", "bf16")


def choose_precision(requested: str | None, device: str) -> str:
    """Return the precision to load a model in.

    Args:
        requested: ``float32``, ``bfloat16``, ``saved`` (the checkpoint's own), or null for the fastest one.
        device: The model's device: ``cpu``, ``cuda`` or ``mps``.

    Returns:
        The name of a torch type, or ``auto``, with which ``from_pretrained`` takes the checkpoint's own type.

    Raises:
        UserError: The precision is unknown.

    Example:
        >>> choose_precision("float32", "cpu")
        'float32'
    """
    if requested is None:
        return native_precision(device)
    if requested not in PRECISIONS:
        raise UserError(f"unknown precision {requested!r}{nearest(requested, PRECISIONS)}")
    return "auto" if requested == SAVED else requested


def native_precision(device: str) -> str:
    """Return ``bfloat16`` if the device computes in it natively, without emulation, else ``float32``."""
    import torch

    if device.startswith("cuda"):
        is_native = torch.cuda.is_bf16_supported(including_emulation=False)
    elif device.startswith("cpu"):
        capabilities: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()  # not in older versions
        is_native = any(capabilities.get(name) for name in _PROCESSOR_HAS_BFLOAT16)
    else:
        is_native = False
    return "bfloat16" if is_native else "float32"


def model_precision(model: "PreTrainedModel") -> str:
    """Return the type that a loaded model computes in, such as ``float32``."""
    return str(model.dtype).removeprefix("torch.")
