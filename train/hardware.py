"""The defaults that depend on the machine: precision and compilation."""

import torch

_FIRST_WITH_TRITON = (7, 0)


def best_precision() -> str:
    """Return ``bfloat16`` if the GPU supports it, else ``float32``."""
    return "bfloat16" if torch.cuda.is_available() and torch.cuda.is_bf16_supported() else "float32"


def gpu_memory_in_bytes() -> int | None:
    """Return the memory of this machine's GPU in bytes; null without one."""
    return int(torch.cuda.get_device_properties(0).total_memory) if torch.cuda.is_available() else None


def compiles() -> bool:
    """Return true if ``torch.compile`` is worth its time: on an NVIDIA GPU that its compiler supports."""
    from importlib.util import find_spec

    return (
        torch.cuda.is_available()
        and torch.cuda.get_device_capability() >= _FIRST_WITH_TRITON
        and find_spec("triton") is not None
    )
