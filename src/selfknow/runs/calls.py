"""The last attempt of every call of a run, read in batches, with judges' calls apart."""

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
from selfknow.runs.schema import CALL_COLUMNS, GENERATIONS, generation_files

_LARGEST_CODE = 2**62


@dataclass(frozen=True)
class Calls:
    """A selection of a run's generations.

    Each iteration reads them from the files, in order, in tables of a few thousand rows.

    Attributes:
        folder: The run folder.
        is_selected: Shape (rows of all files,): true for the selected rows.
        columns: The columns to read; null: all.

    Example:
        >>> for batch in Calls(Path("runs/model"), is_selected):  # doctest: +SKIP
        ...     print(len(batch))
    """

    folder: Path
    is_selected: NDArray[np.bool_] = field(repr=False)
    columns: Sequence[str] | None = None

    def select(self, *columns: str) -> "Calls":
        """Return the same rows with only these columns."""
        return replace(self, columns=columns)

    def __len__(self) -> int:
        return int(self.is_selected.sum())

    def __iter__(self) -> Iterator[pa.Table]:
        start = 0
        for batch in _batches(self.folder, self.columns):
            selected = self.is_selected[start : start + len(batch)]
            start += len(batch)
            if selected.all():
                yield batch
            elif selected.any():
                yield batch.filter(pa.array(selected))


class RunCalls(NamedTuple):
    """The last attempts of a run's calls.

    Attributes:
        model_calls: The calls to the run's models.
        judge_calls: The calls to judges of their replies (stage ``grade``).
        example_ids: The ids of the examples with a call, each once, in the order of their first calls.
    """

    model_calls: Calls
    judge_calls: Calls
    example_ids: pa.Array


def read_calls(folder: Path) -> RunCalls:
    """Return the last attempt of every call of a run.

    Only the columns that identify calls are read. This needs about 100 bytes of memory a row, plus each parent's id.

    Raises:
        UserError: The run has no generations, or a part cannot be read or has other columns.
    """
    if not generation_files(folder):
        raise UserError(f"{folder} holds no generations: run `selfknow evaluate` into it first")
    columns: dict[str, list[pa.Array]] = {name: [] for name in CALL_COLUMNS}
    attempts = [np.zeros(0, np.int32)]
    for batch in _batches(folder, [*CALL_COLUMNS, "attempt"]):
        for name, chunks in columns.items():
            chunks += batch[name].dictionary_encode().chunks
        attempts.append(batch["attempt"].to_numpy())
    codes = np.zeros(sum(map(len, attempts)), np.int64)
    is_grade, example_ids = np.zeros(len(codes), np.bool_), pa.array([], pa.string())
    for name, chunks in columns.items():
        column, values = _codes(chunks)
        chunks.clear()
        codes = _join_codes(codes, column, len(values) + 1)
        if name == "stage":
            grade_codes = [code for code, value in enumerate(values.to_pylist(), start=1) if value == GRADE]
            is_grade = np.isin(column, grade_codes)
        elif name == "example_id":
            example_ids = values
    is_last = _is_last_attempt(codes, np.concatenate(attempts))
    return RunCalls(Calls(folder, is_last & ~is_grade), Calls(folder, is_last & is_grade), example_ids)


def _batches(folder: Path, columns: Sequence[str] | None) -> Iterator[pa.Table]:
    for path in generation_files(folder):
        yield from read_batches(path, GENERATIONS, columns)


def _codes(chunks: list[pa.DictionaryArray]) -> tuple[NDArray[np.int64], pa.Array]:
    """Return a code for each row of a column, 0 for null, and the distinct values: code 1 is the first value."""
    if not chunks:
        return np.zeros(0, np.int64), pa.array([], pa.string())
    unified = pa.chunked_array(chunks).unify_dictionaries()
    indices = [chunk.indices.fill_null(-1).to_numpy() for chunk in unified.chunks]
    return np.concatenate(indices).astype(np.int64) + 1, unified.chunk(0).dictionary


def _join_codes(codes: NDArray[np.int64], column: NDArray[np.int64], num_values: int) -> NDArray[np.int64]:
    """Return a code for each row's pair of a code and a column's code, which is less than ``num_values``."""
    if int(codes.max(initial=0) + 1) * num_values > _LARGEST_CODE:
        codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    return codes * num_values + column


def _is_last_attempt(codes: NDArray[np.int64], attempts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return true for the last attempt of each call; if two attempts have the same number, for the later row."""
    order = np.lexsort((np.arange(len(codes)), attempts, codes))
    is_last_of_its_call = np.ones(len(codes), np.bool_)
    is_last_of_its_call[:-1] = codes[order][1:] != codes[order][:-1]
    is_last = np.zeros(len(codes), np.bool_)
    is_last[order[is_last_of_its_call]] = True
    return is_last
