"""Scoring of a run folder: its task's scorer judges every call, and the result is Parquet again."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from selfknow.errors import UserError
from selfknow.evaluate.catalogue import task_of_run
from selfknow.evaluate.replies import Excerpt, up_to_next_question
from selfknow.evaluate.task import FinishedRun, ScoreOptions
from selfknow.files import read_json, write_parquet
from selfknow.models.interface import GRADE
from selfknow.row_table import Row, RowTable
from selfknow.runs.failures import explain_no_replies
from selfknow.runs.schema import (
    CALL,
    KEPT,
    KEPT_FILE,
    last_attempts,
    read_examples,
    read_generations,
    write_scores,
)


class ScoreSummary(RowTable):
    """The mean of every metric, for each model, stage and variant of a run (see :func:`summarize`).

    Attributes:
        scores: The rows behind it, one a metric of a call, in the shape of :data:`selfknow.runs.schema.SCORES`.
    """

    def __init__(self, rows: Sequence[Row], scores: pa.Table) -> None:
        super().__init__(rows)
        self.scores = scores


def score_run(folder: Path, options: ScoreOptions | None = None) -> pa.Table:
    """Score the last attempt of every call of a run, and write ``scores/`` and ``parsed/`` anew.

    Args:
        folder: The run folder, this package's own or made elsewhere in the same shape.
        options: Options of the task's scorer; null: the defaults.

    Returns:
        All scores, in the shape of :data:`selfknow.runs.schema.SCORES`.

    Raises:
        UserError: It is not a run folder, no scorer knows its task, or a call is about no example.
    """
    description = read_json(folder / "run.json")
    run = finished_run(folder, description)
    task = task_of_run(folder, description)
    chosen: Any = options or task.score_options()
    scores = task.score(run, chosen)
    del run  # a large one makes room for writing
    if scores.excerpts:
        write_parquet(folder / KEPT_FILE, _kept_table(scores.excerpts))
    for name, table in scores.parsed.items():
        write_parquet(folder / "parsed" / f"{name}.parquet", table)
    for name, table in scores.tables.items():
        write_scores(folder, name, table)
    return pa.concat_tables(scores.tables.values())


def check_replies(folder: Path) -> None:
    """Refuse a run without a single reply: there is nothing to score or to judge.

    Raises:
        UserError: No call has a reply, with why most of them failed; or it is not a run folder.
    """
    calls = last_attempts(read_generations(folder, [*CALL, "attempt", "error"]))
    if not calls["error"].null_count and (reason := explain_no_replies(str(folder), calls["error"].to_pylist())):
        raise UserError(reason)


def finished_run(folder: Path, description: Mapping[str, Any]) -> FinishedRun:
    """Return a run for scoring: the last attempts of its calls, and apart from them the replies of judges.

    Raises:
        UserError: It is not a run folder, holds no generation of its models, or a call is about no example.
    """
    calls = last_attempts(read_generations(folder))
    examples = read_examples(folder)
    _check_examples(folder, calls, examples)
    is_grade = pc.equal(calls["stage"], GRADE)
    grades = calls.filter(is_grade)
    if len(grades):  # else a large run need not be copied
        calls = calls.filter(pc.invert(is_grade))
    if not len(calls):
        raise UserError(f"{folder} holds no generations: run `selfknow evaluate` into it first")
    calls, whole = up_to_next_question(calls)
    return FinishedRun(folder, description, calls, examples, grades, whole)


def _kept_table(excerpts: Mapping[str, Excerpt]) -> pa.Table:
    rows = [
        {"generation_id": generation_id, "start_character": part.start, "end_character": part.end}
        for generation_id, part in excerpts.items()
    ]
    return pa.Table.from_pylist(rows, schema=KEPT)


def _check_examples(folder: Path, calls: pa.Table, examples: pa.Table) -> None:
    known = pc.is_in(calls["example_id"], value_set=examples["id"].combine_chunks())
    unknown = calls["example_id"].filter(pc.invert(known))
    if len(unknown):
        raise UserError(f"{folder} holds generations about {unknown[0].as_py()!r}, which is not an example")


def summarize(folder: Path, scores: pa.Table) -> list[dict[str, object]]:
    """Return the mean of every metric, for each model, stage and variant of a run.

    Returns:
        Rows of model, stage, variant, metric, ``n`` (all), ``n_graded`` (those with a value) and their mean. Numbered
        variants, such as ``after-1``, ``after-2``, …, stand together as ``after-*``.
    """
    generations = read_generations(folder, ["generation_id", "model", "stage", "variant"])
    variant = pc.replace_substring_regex(generations["variant"], r"-\d+$", "-*")
    generations = generations.set_column(3, "variant", variant)
    keys = ["model", "stage", "variant", "metric"]
    joined = scores.append_column("order", pa.array(range(len(scores)), pa.int64())).join(generations, "generation_id")
    grouped = joined.group_by(keys).aggregate(
        [("generation_id", "count"), ("value", "count"), ("value", "mean"), ("order", "min")]
    )
    return [
        {
            **{key: row[key] for key in keys},
            "n": row["generation_id_count"],
            "n_graded": row["value_count"],
            "mean": row["value_mean"],
        }
        for row in grouped.sort_by([("model", "ascending"), ("order_min", "ascending")]).to_pylist()
    ]
