"""Runs a function in a process of its own and measures its time, its processor time and its peak memory.

The peak is that of the one process with all its threads (resident, shared pages included). It is no less than what the
calling process holds when it starts it, so callers stay small.
"""

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
    cpu_seconds: float = 0.0  # of all threads


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
        statistics.median(each.seconds for each in measurements),
        max(each.peak_memory_in_mb for each in measurements),
        cpu_seconds=statistics.median(each.cpu_seconds for each in measurements),
    )


def _call(queue: multiprocessing.SimpleQueue, function: Callable[..., object], arguments: tuple[object, ...]) -> None:
    start, cpu_start = time.perf_counter(), time.process_time()
    value = function(*arguments)
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    queue.put(Measurement(seconds, peak, value, cpu_seconds))
