"""The limits of the machine, measured right after a point: copying within memory, and writing to the disk."""

import os
import time
from pathlib import Path

import numpy as np

_BYTES = 256 << 20


def copied_mb_per_second() -> float:
    """Return the megabytes per second that one core copies in memory, outside of caches: the best of three times."""
    source, target = np.ones(_BYTES, np.uint8), np.zeros(_BYTES, np.uint8)
    times = []
    for _ in range(3):
        start = time.process_time()
        np.copyto(target, source)
        times.append(time.process_time() - start)
    return _BYTES / 1e6 / min(times)


def written_mb_per_second(folder: Path) -> float:
    """Return the megabytes per second that the disk of a folder writes and syncs."""
    path = folder / "written"
    content = os.urandom(_BYTES)  # a disk may compress repeated bytes
    start = time.perf_counter()
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    seconds = time.perf_counter() - start
    path.unlink()
    return _BYTES / 1e6 / seconds


def rates(folder: str) -> tuple[float, float]:
    """Return both rates, the copying and the writing; call this in a process of its own."""
    return copied_mb_per_second(), written_mb_per_second(Path(folder))


def size_in_mb(folder: Path) -> float:
    """Return the size of a folder's files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
