"""The corpora of a plan. They are built once in the plan's folder, before a cell needs them, and used by every cell."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from selfknow.evaluate.dataset import CACHE_VARIABLE, open_dataset
from selfknow.reproduce.cells import TRAIN, Cell


@contextmanager
def corpora_in(folder: Path) -> Iterator[None]:
    """Let corpora be built in ``FOLDER/data`` while the block runs, by this process and the processes it starts."""
    previous_cache = os.environ.get(CACHE_VARIABLE)
    os.environ[CACHE_VARIABLE] = previous_cache or str(folder / "data")
    try:
        yield
    finally:
        if previous_cache is None:
            del os.environ[CACHE_VARIABLE]


def corpus_folders(cells: Sequence[Cell]) -> list[Path]:
    """Return the dataset folder of every corpus that the cells train on; build or fetch missing corpora.

    Raises:
        UserError: There is no such corpus, or it is not available.
    """
    names = dict.fromkeys(cell.data for cell in cells if cell.kind == TRAIN)
    return list(dict.fromkeys(open_dataset(name).folder for name in names))
