"""Names of cells, made from their block's name or from all of their settings."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from selfknow.models.address import without_credentials
from selfknow.reproduce.located import Value
from selfknow.reproduce.plan import Block

OUT = "OUT/"
"""The prefix of values that are files in the plan's folder."""

_LONGEST_NAME = 120
_HASH_DIGITS = 8


def block_name(
    block: Block, settings: Mapping[str, Sequence[Value]], chosen: Mapping[str, Value], *parts: str
) -> str | None:
    """Return a cell's name from its block's name and the settings in which the block's cells differ.

    Args:
        block: The block.
        settings: The values of all settings of the block.
        chosen: The settings of one cell.
        parts: Further parts of the name, such as the training that made the cell's model.

    Returns:
        The name; null if the block has no name.
    """
    if block.name is None:
        return None
    differences = [_label(name, value) for name, value in chosen.items() if len(settings[name]) > 1]
    return _safe("-".join([block.name, *parts, *differences]))


def _label(name: str, value: Value) -> str:
    return value.rpartition("/")[2].rpartition(":")[2] if isinstance(value, str) else f"{name}-{value}"


def _safe(text: str) -> str:
    return re.sub(r"[^\w.=+-]+", "-", text).strip("-")


def settings_name(parts: Sequence[str], options: Sequence[str], folder: Path) -> str:
    """Return a cell's name from its settings that can be a folder's name, such as ``opt-125m_32k_scratch_seed-0``.

    Switches and the seed come first. A name that would be too long, or that leaves out folders, ends in a hash of all
    settings.

    Args:
        parts: The parts before the options.
        options: The words of the options.
        folder: The plan's folder, which does not change the name.
    """
    parts = [part.replace(f"{folder}/", OUT) for part in parts]
    options = [without_credentials(word).replace(f"{folder}/", OUT) for word in options]
    settings: list[list[str]] = []
    for word in options:
        if word.startswith("--"):
            settings.append([word.removeprefix("--")])
        else:
            settings[-1].append(_tail(word))
    settings.sort(key=lambda words: (len(words) > 1, words[0] != "seed", words[0]))
    full = [*map(_tail, parts), *("-".join(words).replace("_", "-") for words in settings)]
    safe = [_safe(part) for part in full]
    is_lossy = any(_is_path(part) for part in (*parts, *options))
    if len("_".join(safe)) <= _LONGEST_NAME and not is_lossy:
        return "_".join(safe)
    while len("_".join(safe)) > _LONGEST_NAME - _HASH_DIGITS - 1 and len(safe) > 1:
        safe.pop()
    digest = hashlib.sha256("\n".join([*parts, *options]).encode()).hexdigest()[:_HASH_DIGITS]
    return "_".join([*safe, digest])[-_LONGEST_NAME:]


def _tail(part: str) -> str:
    """Return the last part of a path. A Hub id is no path and stays."""
    return Path(part).name if _is_path(part) else part


def _is_path(part: str) -> bool:
    return part.startswith(("/", "./", "../", "~")) or part.count("/") > 1
