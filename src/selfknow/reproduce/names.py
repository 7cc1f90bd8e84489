"""Names of cells: what a block is called, or all of a cell's settings."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from selfknow.models.address import without_credentials
from selfknow.reproduce.located import Value
from selfknow.reproduce.plan import Block

OUT = "OUT/"
"""The prefix of values of a plan that are files in its folder."""

_LONGEST_NAME = 120
_HASH_DIGITS = 8


def block_name(
    block: Block, settings: Mapping[str, Sequence[Value]], chosen: Mapping[str, Value], *of: str
) -> str | None:
    """Return a block's own name with what tells its cells apart; null where it has none.

    Args:
        block: The block.
        settings: The values of all its settings.
        chosen: The settings of one cell.
        of: A further distinction of the cell, such as the training that made its model.
    """
    if block.name is None:
        return None
    apart = [_label(name, value) for name, value in chosen.items() if len(settings[name]) > 1]
    return _safe("-".join([block.name, *of, *apart]))


def _label(name: str, value: Value) -> str:
    return value.rpartition("/")[2].rpartition(":")[2] if isinstance(value, str) else f"{name}-{value}"


def _safe(text: str) -> str:
    return re.sub(r"[^\w.=+-]+", "-", text).strip("-")


def settings_name(parts: Sequence[str], options: Sequence[str], folder: Path) -> str:
    """Return a name such as ``opt-125m_32k_scratch_seed-0``: safe as a folder's, and not too long for one.

    Switches and the seed come first. What has no room is left out, with a hash of everything in its place.

    Args:
        parts: The parts before the options.
        options: The words of the options.
        folder: The plan's folder; the name is the same wherever it lies.
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
    """Return the last name of a path; a Hub id stays as it is."""
    return Path(part).name if _is_path(part) else part


def _is_path(part: str) -> bool:
    return part.startswith(("/", "./", "../", "~")) or part.count("/") > 1
