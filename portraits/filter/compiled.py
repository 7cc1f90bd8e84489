"""Decorators that compile the kernels: without the GIL or bounds checks, cached on disk, typed for readers."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

# Numba's number types, which kernels call to cast values. They are Any, since type checkers do not know these calls.
uint8: Any = types.uint8
uint32: Any = types.uint32
uint64: Any = types.uint64

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a function at its first call.

    ``error_model="numpy"`` skips the test for zero at each division. Indices in hot loops must be unsigned, or each
    access tests for a negative index.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "boundscheck": False}
    try:
        return cast("Function", numba.njit(cache=True, **options)(function))
    except RuntimeError:  # neither this folder nor the user's cache can be written: compile anew in each process
        return cast("Function", numba.njit(**options)(function))


def inlined(function: Function) -> Function:
    """Compile a function into every caller, so that the caller's loops can be vectorised."""
    return cast("Function", numba.njit(nogil=True, error_model="numpy", inline="always")(function))


def _multiply_wide(_typing: Any, _left: Any, _right: Any) -> Any:
    """Return the 128-bit product of two uint64, as (high, low): one machine instruction that NumPy lacks."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word, wide = ir.IntType(64), ir.IntType(128)
        product = builder.mul(builder.zext(arguments[0], wide), builder.zext(arguments[1], wide))
        high = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), word)
        return context.make_tuple(builder, signature.return_type, [high, builder.trunc(product, word)])

    pair: Any = types.UniTuple
    return pair(uint64, 2)(uint64, uint64), emit


multiply_wide: Any = intrinsic(_multiply_wide)
