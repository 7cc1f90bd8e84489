"""The mean of each metric for each model, stage and variant of a run. The scores are read in batches."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from selfknow.parquet_batches import read_batches
from selfknow.runs.schema import GENERATIONS, SCORES, generation_files

_SEPARATOR = "\0"
_ROWS_AT_A_TIME = 500_000  # large, as a batch of calls is indexed anew for each table


@dataclass
class _Counts:
    num_rows: int = 0
    num_graded: int = 0
    total: float = 0.0


def summarize(folder: Path, scores: Sequence[Path]) -> list[dict[str, object]]:
    """Return the mean of every metric, for each model, stage and variant of a run.

    Args:
        folder: The run folder.
        scores: The files of scores to summarize; metrics are listed in their order.

    Returns:
        Rows of model, stage, variant, metric, ``n`` (all scores), ``n_graded`` (scores with a value) and their mean.
        Numbered variants are counted together: ``after-1``, ``after-2``, … as ``after-*``.
    """
    kinds = _Kinds(folder)
    counts: dict[tuple[str | None, str], _Counts] = {}
    start = 0
    for table in _tables(scores):
        kind = kinds.numbers(table["generation_id"])
        row_numbers = pa.array(np.arange(start, start + len(table)))
        start += len(table)
        numbered = pa.table({"kind": kind, "metric": table["metric"], "value": table["value"], "place": row_numbers})
        grouped = numbered.group_by(["kind", "metric"]).aggregate(
            [("place", "count"), ("value", "count"), ("value", "sum"), ("place", "min")]
        )
        for row in grouped.sort_by("place_min").to_pylist():
            name = None if row["kind"] is None else kinds.names[row["kind"]]
            metric_counts = counts.setdefault((name, row["metric"]), _Counts())
            metric_counts.num_rows += row["place_count"]
            metric_counts.num_graded += row["value_count"]
            metric_counts.total += row["value_sum"] or 0.0
    rows = [_row(name, metric, metric_counts) for (name, metric), metric_counts in counts.items()]
    return sorted(rows, key=lambda row: (row["model"] is None, str(row["model"])))


class _Kinds:
    """The kinds of a run's calls: a kind is a model, stage and variant, whose names ``_SEPARATOR`` joins.

    Scores stand in the order of the calls, so each search goes on from the batch of calls where the last one ended.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers: dict[str | None, int] = {}
        self._batches: Iterator[pa.Table] = iter(())
        self._batch = GENERATIONS.empty_table()

    @property
    def names(self) -> list[str | None]:
        """The names of the kinds so far, in the order of their numbers."""
        return list(self._numbers)

    def numbers(self, ids: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return the number of each call's kind; null for a call that is not in the run."""
        numbers, num_ends = self._look_up(ids), 0
        while numbers.null_count and num_ends < 2:
            batch = next(self._batches, None)
            if batch is None:
                self._batches, num_ends = self._read(), num_ends + 1
            else:
                self._batch = batch
                numbers = pc.coalesce(numbers, self._look_up(ids))
        return numbers

    def _read(self) -> Iterator[pa.Table]:
        for path in generation_files(self._folder):
            yield from read_batches(path, GENERATIONS, ["generation_id", "model", "stage", "variant"])

    def _look_up(self, ids: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return the number of each call's kind; null for a call that is not in the current batch."""
        variants = pc.replace_substring_regex(self._batch["variant"], r"-\d+$", "-*")
        names = pc.binary_join_element_wise(self._batch["model"], self._batch["stage"], variants, _SEPARATOR)
        encoded = names.combine_chunks().dictionary_encode()
        values = [self._numbers.setdefault(name, len(self._numbers)) for name in encoded.dictionary.to_pylist()]
        kinds = pa.array(values, pa.int32()).take(encoded.indices)
        return kinds.take(pc.index_in(ids, value_set=self._batch["generation_id"]))


def _tables(scores: Sequence[Path]) -> Iterator[pa.Table]:
    """Yield the scores of the files in order, in tables of at least ``_ROWS_AT_A_TIME`` rows."""
    waiting: list[pa.Table] = []
    for path in scores:
        for batch in read_batches(path, SCORES, ["generation_id", "metric", "value"]):
            waiting.append(batch)
            if sum(map(len, waiting)) >= _ROWS_AT_A_TIME:
                yield pa.concat_tables(waiting)
                waiting = []
    if waiting:
        yield pa.concat_tables(waiting)


def _row(name: str | None, metric: str, counts: _Counts) -> dict[str, object]:
    model, stage, variant = (None, None, None) if name is None else name.split(_SEPARATOR)
    return {
        "model": model,
        "stage": stage,
        "variant": variant,
        "metric": metric,
        "n": counts.num_rows,
        "n_graded": counts.num_graded,
        "mean": counts.total / counts.num_graded if counts.num_graded else None,
    }
