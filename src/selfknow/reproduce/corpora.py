"""The corpora of a plan: built once below its folder, before any cell needs them, and found there by every cell."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from selfknow.evaluate.dataset import CACHE_VARIABLE, open_dataset
from selfknow.reproduce.cells import TRAIN, Cell


@contextmanager
def corpora_in(folder: Path) -> Iterator[None]:
    """Build corpora in ``FOLDER/data`` while the block runs, in this process and in those that it starts."""
    before = os.environ.get(CACHE_VARIABLE)
    os.environ[CACHE_VARIABLE] = before or str(folder / "data")
    try:
        yield
    finally:
        if before is None:
            del os.environ[CACHE_VARIABLE]


def corpus_folders(cells: Sequence[Cell]) -> list[Path]:
    """Return the dataset folder of every corpus that these cells train on; build or fetch those that are missing.

    Raises:
        UserError: There is no such corpus, or it is not available.
    """
    names = dict.fromkeys(cell.data for cell in cells if cell.kind == TRAIN)
    return list(dict.fromkeys(open_dataset(name).folder for name in names))
