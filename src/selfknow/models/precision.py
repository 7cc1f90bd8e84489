"""What a local model computes in: part of who was asked, since bfloat16 gives other texts than float32."""

from typing import TYPE_CHECKING

from selfknow.errors import UserError, nearest

if TYPE_CHECKING:
    from transformers import PreTrainedModel

SAVED = "saved"
PRECISIONS = ("float32", "bfloat16", SAVED)
# As torch calls what processors compute in: AVX-512 and AMX of x86, and ARM's.
_PROCESSOR_HAS_BFLOAT16 = ("avx512_bf16", "amx_bf16", "bf16")


def choose_precision(wanted: str | None, device: str) -> str:
    """What a model should be loaded in: what is wanted, or where nothing is what the machine is fastest in.

    Args:
        wanted: ``float32``, ``bfloat16``, ``saved`` (what the checkpoint was saved in) or null.
        device: Where the model computes: ``cpu``, ``cuda``, ``mps``.

    Returns:
        A name of torch's, or ``auto``, as ``from_pretrained`` calls what a checkpoint was saved in.

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
    """``bfloat16`` where the processor or card computes in it itself and does not imitate it, else ``float32``."""
    import torch

    if device.startswith("cuda"):
        native = torch.cuda.is_bf16_supported(including_emulation=False)
    elif device.startswith("cpu"):
        capabilities: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()  # an older torch does not tell
        native = any(capabilities.get(name) for name in _PROCESSOR_HAS_BFLOAT16)
    else:
        native = False
    return "bfloat16" if native else "float32"


def precision_of(model: "PreTrainedModel") -> str:
    """What a model in memory computes in, such as ``float32``."""
    return str(model.dtype).removeprefix("torch.")
