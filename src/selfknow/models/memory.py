"""How much memory a process may still use: the system ends one that takes more, without a word of why."""

from pathlib import Path

_CONTROL_GROUP = Path("/sys/fs/cgroup")


def available_memory_in_bytes() -> int:
    """What is free on this machine, or left of this container's share, whichever is less."""
    import psutil

    available = int(psutil.virtual_memory().available)
    return available if (left := _left_of_share(_CONTROL_GROUP)) is None else min(available, left)


def _left_of_share(folder: Path) -> int | None:
    """What a container may still use (control groups, version 2); null where nothing is said."""
    try:
        limit, used = ((folder / f"memory.{name}").read_text().strip() for name in ("max", "current"))
        statistics = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        files_kept = int(statistics["active_file"]) + int(statistics["inactive_file"])
        return None if limit == "max" else int(limit) - int(used) + files_kept
    except (OSError, ValueError, KeyError):
        return None
