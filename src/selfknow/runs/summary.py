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
_ROWS_AT_A_TIME = 500_000  # large, as every batch of scores is looked up among all ids


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
    ids, kinds, names = _kinds_of_calls(folder)
    counts: dict[tuple[str | None, str], _Counts] = {}
    start = 0
    for table in _tables(scores):
        kind = kinds.take(pc.index_in(table["generation_id"], value_set=ids))
        row_numbers = pa.array(np.arange(start, start + len(table)))
        start += len(table)
        numbered = pa.table({"kind": kind, "metric": table["metric"], "value": table["value"], "place": row_numbers})
        grouped = numbered.group_by(["kind", "metric"]).aggregate(
            [("place", "count"), ("value", "count"), ("value", "sum"), ("place", "min")]
        )
        for row in grouped.sort_by("place_min").to_pylist():
            name = None if row["kind"] is None else names[row["kind"]]
            metric_counts = counts.setdefault((name, row["metric"]), _Counts())
            metric_counts.num_rows += row["place_count"]
            metric_counts.num_graded += row["value_count"]
            metric_counts.total += row["value_sum"] or 0.0
    rows = [_row(name, metric, metric_counts) for (name, metric), metric_counts in counts.items()]
    return sorted(rows, key=lambda row: (row["model"] is None, str(row["model"])))


def _kinds_of_calls(folder: Path) -> tuple[pa.ChunkedArray, pa.Array, list[str]]:
    """Return the ids of all generations, the number of each generation's kind, and the names of the kinds.

    A kind is a model, stage and variant; its name joins them by ``_SEPARATOR``.
    """
    ids, kinds = [], []
    for path in generation_files(folder):
        for batch in read_batches(path, GENERATIONS, ["generation_id", "model", "stage", "variant"]):
            variant = pc.replace_substring_regex(batch["variant"], r"-\d+$", "-*")
            names = pc.binary_join_element_wise(batch["model"], batch["stage"], variant, _SEPARATOR)
            ids += batch["generation_id"].chunks
            kinds += names.dictionary_encode().chunks
    unified = pa.chunked_array(kinds).unify_dictionaries()
    numbers = np.concatenate([chunk.indices.to_numpy() for chunk in unified.chunks])
    return pa.chunked_array(ids), pa.array(numbers), unified.chunk(0).dictionary.to_pylist()


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
