"""The memory that this process may still use; the system kills a process that uses more, without a message."""

from pathlib import Path

_CONTROL_GROUP = Path("/sys/fs/cgroup")


def available_memory_in_bytes() -> int:
    """Return the free memory of this machine, or of this container if that is less."""
    import psutil

    available = int(psutil.virtual_memory().available)
    free_in_container = _free_in_container(_CONTROL_GROUP)
    return available if free_in_container is None else min(available, free_in_container)


def _free_in_container(folder: Path) -> int | None:
    """Return the free memory of a container (control groups, version 2); null if it has no limit."""
    try:
        limit, used = ((folder / f"memory.{name}").read_text().strip() for name in ("max", "current"))
        statistics = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        # The system frees its cache of files before it kills a process.
        file_cache = int(statistics["active_file"]) + int(statistics["inactive_file"])
        return None if limit == "max" else int(limit) - int(used) + file_cache
    except (OSError, ValueError, KeyError):
        return None
