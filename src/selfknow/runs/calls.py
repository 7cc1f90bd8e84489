"""The calls of a run that count, read in batches: the last attempt of each, apart from what judges said."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from selfknow.errors import UserError
from selfknow.models.interface import GRADE
from selfknow.parquet_batches import read_batches
from selfknow.runs.schema import CALL, GENERATIONS, generation_files

_LARGEST_CODE = 2**62


@dataclass(frozen=True)
class Calls:
    """Some rows of a run's generations; each iteration reads them anew, in order, in tables of a few thousand rows.

    Attributes:
        folder: The run folder.
        are_here: A value for each row of the files: true for these rows.
        columns: The columns to read; null: all.

    Example:
        >>> for batch in Calls(Path("runs/model"), are_here):  # doctest: +SKIP
        ...     print(len(batch))
    """

    folder: Path
    are_here: NDArray[np.bool_] = field(repr=False)
    columns: Sequence[str] | None = None

    def select(self, *columns: str) -> "Calls":
        """Return the same rows with these columns alone."""
        return replace(self, columns=columns)

    def __len__(self) -> int:
        return int(self.are_here.sum())

    def __iter__(self) -> Iterator[pa.Table]:
        start = 0
        for batch in _batches(self.folder, self.columns):
            chosen = self.are_here[start : start + len(batch)]
            start += len(batch)
            if chosen.all():
                yield batch
            elif chosen.any():
                yield batch.filter(pa.array(chosen))


class RunCalls(NamedTuple):
    """The calls of a run that count.

    Attributes:
        of_models: The calls of its models.
        of_judges: The calls of models that judged these (stage ``grade``).
        example_ids: The examples that any call is about, each once, in order.
    """

    of_models: Calls
    of_judges: Calls
    example_ids: pa.Array


def read_calls(folder: Path) -> RunCalls:
    """Return the last attempt of every call of a run.

    Only the columns that tell calls apart are read: the memory is about 100 bytes a row, and each parent's id once.

    Raises:
        UserError: The run has no generations, or a part cannot be read or has other columns.
    """
    if not generation_files(folder):
        raise UserError(f"{folder} holds no generations: run `selfknow evaluate` into it first")
    columns: dict[str, list[pa.Array]] = {name: [] for name in CALL}
    attempts = [np.zeros(0, np.int32)]
    for batch in _batches(folder, [*CALL, "attempt"]):
        for name, chunks in columns.items():
            chunks += batch[name].dictionary_encode().chunks
        attempts.append(batch["attempt"].to_numpy())
    codes = np.zeros(sum(map(len, attempts)), np.int64)
    is_grade, example_ids = np.zeros(len(codes), np.bool_), pa.array([], pa.string())
    for name, chunks in columns.items():
        column, values = _codes(chunks)
        chunks.clear()
        codes = _joined(codes, column, len(values) + 1)
        if name == "stage":
            is_grade = np.isin(column, [place + 1 for place, value in enumerate(values.to_pylist()) if value == GRADE])
        elif name == "example_id":
            example_ids = values
    counts = _are_last(codes, np.concatenate(attempts))
    return RunCalls(Calls(folder, counts & ~is_grade), Calls(folder, counts & is_grade), example_ids)


def _batches(folder: Path, columns: Sequence[str] | None) -> Iterator[pa.Table]:
    for path in generation_files(folder):
        yield from read_batches(path, GENERATIONS, columns)


def _codes(chunks: list[pa.DictionaryArray]) -> tuple[NDArray[np.int64], pa.Array]:
    """Return a number for each row of a column, 0 for null, and the values of the numbers from 1."""
    if not chunks:
        return np.zeros(0, np.int64), pa.array([], pa.string())
    unified = pa.chunked_array(chunks).unify_dictionaries()
    indices = [chunk.indices.fill_null(-1).to_numpy() for chunk in unified.chunks]
    return np.concatenate(indices).astype(np.int64) + 1, unified.chunk(0).dictionary


def _joined(codes: NDArray[np.int64], column: NDArray[np.int64], num_values: int) -> NDArray[np.int64]:
    """Return a number for each pair of a code and a column's number, which is less than ``num_values``."""
    if int(codes.max(initial=0) + 1) * num_values > _LARGEST_CODE:
        codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    return codes * num_values + column


def _are_last(codes: NDArray[np.int64], attempts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return true for the last attempt of each call; of two attempts with one number, for the later row."""
    order = np.lexsort((np.arange(len(codes)), attempts, codes))
    is_last_of_its_call = np.ones(len(codes), np.bool_)
    is_last_of_its_call[:-1] = codes[order][1:] != codes[order][:-1]
    are_last = np.zeros(len(codes), np.bool_)
    are_last[order[is_last_of_its_call]] = True
    return are_last
