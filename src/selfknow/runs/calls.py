"""The last attempt of every call of a run, read in batches, with judges' calls apart."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from selfknow.errors import UserError
from selfknow.models.interface import GRADE
from selfknow.parquet_batches import read_batches
from selfknow.runs.schema import CALL_COLUMNS, GENERATIONS, Call, generation_files


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

    Only the columns that identify calls are read. This needs about 50 bytes of memory a row.

    Raises:
        UserError: The run has no generations, or a part cannot be read or has other columns.
    """
    if not generation_files(folder):
        raise UserError(f"{folder} holds no generations: run `selfknow evaluate` into it first")
    digests, attempts, is_grade = bytearray(), [np.zeros(0, np.int32)], [np.zeros(0, np.bool_)]
    example_ids: dict[str, None] = {}
    for batch in _batches(folder, [*CALL_COLUMNS, "attempt"]):
        calls = zip(*(batch[name].to_pylist() for name in CALL_COLUMNS), strict=True)
        digests += b"".join(map(_digest, calls))
        attempts.append(batch["attempt"].to_numpy())
        is_grade.append(pc.equal(batch["stage"], GRADE).to_numpy())
        example_ids |= dict.fromkeys(batch["example_id"].unique().to_pylist())
    is_last = _is_last_attempt(np.frombuffer(digests, np.uint64).reshape(-1, 2), np.concatenate(attempts))
    is_judge_call = np.concatenate(is_grade)
    return RunCalls(
        Calls(folder, is_last & ~is_judge_call),
        Calls(folder, is_last & is_judge_call),
        pa.array(example_ids, pa.string()),
    )


def _batches(folder: Path, columns: Sequence[str] | None) -> Iterator[pa.Table]:
    for path in generation_files(folder):
        yield from read_batches(path, GENERATIONS, columns)


def _digest(call: Call) -> bytes:
    """Return 16 bytes that stand for a call. In a billion calls, two share them with a probability of 1e-21."""
    return hashlib.blake2b(repr(call).encode(), digest_size=16).digest()


def _is_last_attempt(digests: NDArray[np.uint64], attempts: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return true for the last attempt of each call; if two attempts have the same number, for the later row.

    Args:
        digests: The digest of each row's call, shape (rows, 2).
        attempts: The number of each row's attempt, shape (rows,).
    """
    order = np.lexsort((attempts, *digests.T))  # a stable sort
    sorted_digests = digests[order]
    is_last_of_its_call = np.ones(len(order), np.bool_)
    is_last_of_its_call[:-1] = (sorted_digests[1:] != sorted_digests[:-1]).any(axis=1)
    is_last = np.zeros(len(order), np.bool_)
    is_last[order[is_last_of_its_call]] = True
    return is_last
