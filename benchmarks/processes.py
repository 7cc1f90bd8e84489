"""Runs a function in a process of its own and measures its wall time and its peak memory."""

import multiprocessing
import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Measurement:
    """What one call took; the time does not include starting Python and importing."""

    seconds: float
    peak_memory_in_mb: float
    value: Any = None  # what the call returned


def measure(function: Callable[..., object], *arguments: object) -> Measurement:
    """Call a function of a module in a fresh process.

    Raises:
        RuntimeError: The process failed.
    """
    context = multiprocessing.get_context("spawn")
    queue = context.SimpleQueue()
    process = context.Process(target=_call, args=(queue, function, arguments))
    process.start()
    process.join()
    if process.exitcode:
        raise RuntimeError(f"{function.__name__} failed with exit code {process.exitcode}")
    return queue.get()


def median(measurements: list[Measurement]) -> Measurement:
    """The median time, and the largest memory."""
    return Measurement(
        statistics.median(each.seconds for each in measurements), max(each.peak_memory_in_mb for each in measurements)
    )


def _call(queue: multiprocessing.SimpleQueue, function: Callable[..., object], arguments: tuple[object, ...]) -> None:
    start = time.perf_counter()
    value = function(*arguments)
    seconds = time.perf_counter() - start
    queue.put(Measurement(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6, value))
