"""Saves the progress of a portrait's build now and then, so that a killed build resumes.

::

    PORTRAIT/.building/progress.json     what is built, the pass, the texts that are done
    PORTRAIT/.building/HEX.npz           the counter, or the bits, as they were after those texts
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
"""The most that a kill costs, but for a filter so large that to write it takes a twentieth of that."""
_TIMES_A_WRITE = 20
_FOLDER = ".building"
_FORMAT_VERSION = 1
_WHAT_CANNOT_BE_READ = (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile)

Pass = Literal["counting", "portraying"]
Arrays = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Progress:
    """Where a build stood.

    Attributes:
        doing: Which of the two passes it was in.
        texts: How many texts of the corpus it had done.
        numbers: What else it had counted.
        arrays: The counter's, or the bits.
    """

    doing: Pass
    texts: int
    numbers: Mapping[str, int]
    arrays: Arrays


@dataclass
class Checkpoint:
    """Keeps how far a build has come.

    Attributes:
        folder: Where; a hidden one in the portrait's.
        key: What is built and how: progress of another build is not gone on with.
    """

    folder: Path
    key: str
    _last: float = field(default_factory=time.monotonic)
    _wait: float = -1.0

    @classmethod
    def of(cls, portrait: Path, what: object) -> "Checkpoint":
        """The checkpoint of a portrait's folder.

        Args:
            portrait: The folder that the portrait will be written to.
            what: All that its bits depend on, as JSON.
        """
        text = json.dumps([_FORMAT_VERSION, what], sort_keys=True, default=str)
        return cls(portrait / _FOLDER, hashlib.sha256(text.encode()).hexdigest())

    def progress(self) -> Progress | None:
        """Where this same build stood when it was killed; null where there is nothing to go on with."""
        try:
            said = read_json(self.folder / "progress.json")
            if said["key"] != self.key:
                return None
            with np.load(self.folder / str(said["arrays"]), allow_pickle=False) as arrays:
                kept = {name: arrays[name] for name in arrays.files}
            numbers: Any = said["numbers"]
            return Progress(
                "portraying" if said["doing"] == "portraying" else "counting", int(str(said["texts"])), numbers, kept
            )
        except (UserError, *_WHAT_CANNOT_BE_READ):
            return None

    def is_used(self) -> bool:
        """Whether anything was kept."""
        return (self.folder / "progress.json").exists()

    def is_due(self) -> bool:
        """Whether it is time to keep the progress."""
        return time.monotonic() - self._last >= max(SECONDS_BETWEEN, self._wait)

    def keep(self, progress: Progress) -> None:
        """Keep the progress in place of what was kept before.

        Raises:
            UserError: The disk is full, or the folder cannot be written.
        """
        started = time.monotonic()
        name = f"{uuid.uuid4().hex}.npz"
        with written_whole(self.folder / name) as file:
            arrays: Any = dict(progress.arrays)  # numpy takes them by name, beside options of its own
            np.savez(file, **arrays)
        said = {"key": self.key, "doing": progress.doing, "texts": progress.texts, "numbers": dict(progress.numbers)}
        write_json(self.folder / "progress.json", {**said, "arrays": name})
        for path in self.folder.glob("*.npz"):
            if path.name != name:
                path.unlink(missing_ok=True)
        remove_unfinished(self.folder)
        self._last = time.monotonic()
        self._wait = _TIMES_A_WRITE * (self._last - started)


def discard_checkpoint(portrait: Path) -> None:
    """Remove what a build kept in a portrait's folder."""
    with suppress(OSError):
        shutil.rmtree(portrait / _FOLDER)
