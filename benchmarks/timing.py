"""The wall time, CPU time and peak memory of a function, in a process of its own or in this one.

The peak is the resident memory of one process with all its threads, shared pages included.
"""

import ctypes
import math
import multiprocessing
import re
import resource
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True)
class Measurement:
    """A measured call. The time does not include starting Python and importing.

    Attributes:
        seconds: The wall time in seconds.
        cpu_seconds: The CPU time in seconds, over all threads.
        peak_memory_in_mb: The peak memory of the process.
        value: The return value of the call.
    """

    seconds: float
    cpu_seconds: float
    peak_memory_in_mb: float
    value: Any = None


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


def measure_in_turn(works: Mapping[str, Sequence[Any]], repetitions: int) -> dict[str, Measurement]:
    """Measure several functions in turn: each once, then each again.

    Args:
        works: The functions by name, each with its arguments.
        repetitions: The number of measurements of each.

    Returns:
        The median times and the largest peak of each function, by name.
    """
    measurements: dict[str, list[Measurement]] = {name: [] for name in works}
    for _ in range(repetitions):
        for name, (function, *arguments) in works.items():
            measurements[name].append(measure(function, *arguments))
    return {name: _median(each) for name, each in measurements.items()}


def _median(measurements: Sequence[Measurement]) -> Measurement:
    return Measurement(
        statistics.median(measurement.seconds for measurement in measurements),
        statistics.median(measurement.cpu_seconds for measurement in measurements),
        max(measurement.peak_memory_in_mb for measurement in measurements),
    )


def timed(function: Callable[..., object], *arguments: object) -> Measurement:
    """Call a function in this process, and measure it."""
    start, cpu_start = time.perf_counter(), time.process_time()
    value = function(*arguments)
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    return Measurement(seconds, cpu_seconds, peak_memory_in_bytes() / 1e6, value)


def peak_memory_in_bytes() -> int:
    """Return the peak of this process's resident memory.

    On Linux, a new process inherits the peak of ``getrusage`` from the one that starts it, so this reads ``VmHWM``.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in bytes on macOS
    return int(re.findall(r"VmHWM:\s*(\d+) kB", status.read_text())[0]) * 1024


def _call(queue: multiprocessing.SimpleQueue, function: Callable[..., object], arguments: tuple[object, ...]) -> None:
    queue.put(timed(function, *arguments))


def check_same(name: str, ours: float, baseline: float) -> None:
    """Stop the benchmark if its two sides do not compute the same number."""
    if not math.isclose(ours, baseline, rel_tol=1e-9):
        raise SystemExit(f"{name}: SQL says {ours}, the baseline {baseline}")


def adopt_orphans() -> None:
    """Become the parent of all descendants whose own parent ends, so that their time is counted (Linux)."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
