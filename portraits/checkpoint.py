"""Checkpoints of a portrait's build, so that a killed build resumes.

::

    PORTRAIT/.building/progress.json     the build's key, the pass, the number of texts read
    PORTRAIT/.building/HEX.npz           the counter, or the bits, after those texts
"""

import hashlib
import json
import shutil
import time
import uuid
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from selfknow.errors import UserError
from selfknow.files import read_json, remove_unfinished, write_json, written_whole

SECONDS_BETWEEN = 60.0
"""The least time between two saves. A killed build loses about as much work."""
_WAIT_PER_SAVE = 20  # wait at least this many times as long as the last save took
_FOLDER = ".building"
_FORMAT_VERSION = 1
# A damaged checkpoint can raise any of these; it is then ignored.
_READ_ERRORS = (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile)

Phase = Literal["counting", "portraying"]
Arrays = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Progress:
    """The state of a build between two batches.

    Attributes:
        phase: The pass over the texts: ``counting`` their n-grams, or ``portraying`` them, which sets the bits.
        texts: Number of texts that the pass had read.
        numbers: Other counts, by name: ``ngrams`` while counting, ``items`` and ``capacity`` while portraying.
        arrays: The counter's arrays, or the bits.
    """

    phase: Phase
    texts: int
    numbers: Mapping[str, int]
    arrays: Arrays


@dataclass
class Checkpoint:
    """The place where a build saves its progress.

    Attributes:
        folder: The hidden folder of saved progress in the portrait's folder.
        key: A hash of the corpus and the settings; only a build with the same key resumes.
    """

    folder: Path
    key: str
    _last_save: float = field(default_factory=time.monotonic)
    _seconds_to_wait: float = 0.0

    @classmethod
    def for_build(cls, portrait: Path, inputs: object) -> "Checkpoint":
        """Return the checkpoint of a build.

        Args:
            portrait: The folder that the portrait will be written to.
            inputs: All that the portrait's bits depend on: JSON, or values with a stable ``str``.
        """
        text = json.dumps([_FORMAT_VERSION, inputs], sort_keys=True, default=str)
        return cls(portrait / _FOLDER, hashlib.sha256(text.encode()).hexdigest())

    def progress(self) -> Progress | None:
        """Read the progress that this build saved before it was killed; None if there is none to resume from."""
        try:
            state = read_json(self.folder / "progress.json")
            if state["key"] != self.key:
                return None
            with np.load(self.folder / str(state["arrays"]), allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            phase: Phase = "portraying" if state["doing"] == "portraying" else "counting"
            num_texts = int(str(state["texts"]))
            numbers: Any = state["numbers"]
            return Progress(phase, num_texts, numbers, arrays)
        except (UserError, *_READ_ERRORS):
            return None

    def has_progress(self) -> bool:
        """Return True if the folder holds saved progress."""
        return (self.folder / "progress.json").exists()

    def is_due(self) -> bool:
        """Return True if it is time to save the progress."""
        return time.monotonic() - self._last_save >= max(SECONDS_BETWEEN, self._seconds_to_wait)

    def save(self, progress: Progress) -> None:
        """Save the progress in place of any earlier one.

        Raises:
            UserError: The disk is full, or the folder cannot be written.
        """
        started = time.monotonic()
        name = f"{uuid.uuid4().hex}.npz"
        with written_whole(self.folder / name) as file:
            arrays: Any = dict(progress.arrays)  # savez takes arrays by name, beside its own options
            np.savez(file, **arrays)
        state = {
            "key": self.key,
            "doing": progress.phase,
            "texts": progress.texts,
            "numbers": dict(progress.numbers),
            "arrays": name,
        }
        write_json(self.folder / "progress.json", state)
        for path in self.folder.glob("*.npz"):
            if path.name != name:
                path.unlink(missing_ok=True)
        remove_unfinished(self.folder)
        self._last_save = time.monotonic()
        self._seconds_to_wait = _WAIT_PER_SAVE * (self._last_save - started)


def discard_checkpoint(portrait: Path) -> None:
    """Remove the progress that a build saved in a portrait's folder."""
    with suppress(OSError):
        shutil.rmtree(portrait / _FOLDER)
