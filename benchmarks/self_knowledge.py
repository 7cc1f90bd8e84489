"""SQL over a million generations of self-knowledge; five of the queries against plain DuckDB and polars.

python -m benchmarks.self_knowledge [SAMPLES]    (9 samples of each instance make a million generations)

The peers compute one share of each cell, without intervals, prompts and texts that nobody was asked about. If the sum
of the shares differs from ours, the benchmark stops. One query is also measured part by part.
"""

import sys
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa

from benchmarks.queries import print_queries
from benchmarks.tables import print_table
from benchmarks.timing import Measurement, measure, timed
from selfknow.evaluate.connection import connect, queries
from selfknow.evaluate.tasks.self_knowledge.protocols import PROTOCOLS
from selfknow.evaluate.tasks.self_knowledge.replies import REPLY_KINDS
from selfknow.evaluate.tasks.self_knowledge.task import SELF_KNOWLEDGE
from selfknow.files import write_json, write_parquet
from selfknow.models.facts import ModelFacts
from selfknow.models.interface import GREEDY
from selfknow.runs.description import DatasetReference, RunDescription
from selfknow.runs.schema import GENERATIONS, SCORES, write_scores
from selfknow.sql.queries import run_query

FOLDER = Path("out/benchmarks/self_knowledge")
MODELS = tuple(f"org/model-{number}b" for number in (1, 2, 4, 8, 16))
TASKS = tuple(task for task in REPLY_KINDS if not task.startswith("image-"))
INSTANCES, SAMPLES = 100, 9
METRICS = ("reply_parsed", "verification_correct", "self_consistent", "all_correct")


@dataclass(frozen=True)
class Share:
    """A share of each cell of a query, which the peers also compute.

    Attributes:
        column: The share's column in the query.
        metric: The metric whose mean it is.
        protocols: The protocols and stages that count, as in ``variant`` and ``stage``; null for all.
        by_task: True if each task is a cell.
    """

    column: str
    metric: str
    protocols: tuple[tuple[str, str], ...] | None = None
    by_task: bool = True


_SEPARATE = ("separate", "verify")
SHARES = {
    "self_knowledge_matrix": Share("consistent", "self_consistent"),
    "self_knowledge_protocols": Share(
        "read",
        "verification_correct",
        (_SEPARATE, ("in-context", "verify"), ("in-context-noise", "verify")),
    ),
    "self_knowledge_styles": Share("true", "all_correct", (_SEPARATE,)),
    "self_knowledge_inconsistency": Share(
        "read", "verification_correct", (_SEPARATE, ("inconsistency", "verify-broken"))
    ),
    "self_knowledge_summary": Share("consistent", "self_consistent", by_task=False),
}


def make_runs(folder: Path, samples: int) -> int:
    """Write a run of five models for every task and protocol; return the number of generations."""
    random, count = np.random.default_rng(0), 0
    for number, (task, protocol) in enumerate(product(TASKS, PROTOCOLS)):
        count += _write_run(folder / f"{task}-{protocol}", f"run{number:03d}", task, protocol, samples, random)
    return count


def _write_run(folder: Path, run_id: str, task: str, protocol: str, samples: int, random: np.random.Generator) -> int:
    calls = pd.DataFrame(product(range(INSTANCES), range(samples), MODELS), columns=["instance", "sample", "model"])
    parents, generations, scores = {}, [], []
    for stage in ("generate", *PROTOCOLS[protocol][1]):
        ids = f"{run_id}-{stage}-" + calls.index.astype(str)
        parents[stage] = ids
        about = {"generate": None, "verify-dual": "dual"}.get(stage, "generate")
        table = {
            "generation_id": ids,
            "run_id": run_id,
            "stage": stage,
            "variant": f"{protocol}/ours",
            "attempt": 0,
            "example_id": [f"{task}-{instance:03d}-plain" for instance in calls["instance"]],
            "sample": calls["sample"],
            "model": calls["model"],
            "revision": "1",
            "parent_generation_id": parents[about] if about else None,
            "prompt": "How many words are there?",
            "generation": "There are 42 words.",
            "finish_reason": "stop",
            "created_at": datetime.now(UTC),
        }
        columns = [_column(table.get(field.name), field.type, len(calls)) for field in GENERATIONS]
        generations.append(pa.Table.from_arrays(columns, schema=GENERATIONS))
        for metric in METRICS if stage.startswith("verify") else ("generation_correct", "leaks_answer"):
            values = (random.random(len(calls)) < 0.6).astype(float)
            values[random.random(len(calls)) < 0.05] = np.nan
            reasons = np.where(np.isnan(values), "no number", None)
            columns = {"generation_id": ids, "metric": metric, "value": values, "reason": reasons}
            scores.append(pa.Table.from_pandas(pd.DataFrame(columns), SCORES, preserve_index=False))
    reference = DatasetReference("self-knowledge", task, "test")
    description = RunDescription(SELF_KNOWLEDGE.name, reference, GREEDY).as_json()
    models = [{"name": model, "revision": "1", **ModelFacts().as_json()} for model in MODELS]
    write_json(folder / "run.json", {"run_id": run_id, **description, "models": models})
    ids = sorted(set(generations[0]["example_id"].to_pylist()))
    write_parquet(folder / "examples.parquet", pa.table({"id": ids}))
    written = pa.concat_tables(generations)
    write_parquet(folder / "generations" / "part-00000.parquet", written)
    write_scores(folder, SELF_KNOWLEDGE.name, pa.concat_tables(scores))
    return len(written)


def _column(value: object, type_: pa.DataType, length: int) -> pa.Array:
    """Return a column of a list of values, or of one value (or null) repeated."""
    if isinstance(value, pd.Series | pd.Index | list):
        return pa.array(value, type_)
    return pa.repeat(pa.scalar(value, type_), length)


def ask_sql(name: str, runs: list[str]) -> tuple[int, float]:
    """Fetch every row of a query; return their number, and the sum of the share that the peers also compute."""
    with connect(runs) as connection:
        rows = run_query(connection, name).fetchdf()
    return len(rows), float(rows[SHARES[name].column].sum()) if name in SHARES else 0.0


def ask_duckdb(name: str, runs: list[str]) -> float:
    """Return the sum of a share, computed by plain SQL in DuckDB."""
    share = SHARES[name]
    condition = " or ".join(
        f"(variant = '{protocol}/ours' and stage = '{stage}')" for protocol, stage in share.protocols or ()
    )
    task = "regexp_extract(example_id, '^(.*)-[0-9]{3}-[a-z]+$', 1)" if share.by_task else "null"
    [[total]] = duckdb.sql(
        f"""
        select sum(share) from (
            select {task} as task, model, variant, stage, avg(value) as share
            from read_parquet({[f"{run}/scores/*.parquet" for run in runs]}) as scores
            inner join read_parquet({[f"{run}/generations/*.parquet" for run in runs]}) using (generation_id)
            where metric = '{share.metric}' and ({condition or "true"})
            group by all
        )
        """
    ).fetchall()
    return float(total)


def ask_polars(name: str, runs: list[str]) -> float:
    """Return the sum of a share, computed by polars."""
    import polars as pl  # type: ignore[import-not-found,unused-ignore]

    share = SHARES[name]
    calls = pl.scan_parquet([f"{run}/generations/*.parquet" for run in runs])
    scores = pl.scan_parquet([f"{run}/scores/*.parquet" for run in runs])
    scores = scores.filter(pl.col("metric") == share.metric, pl.col("value").is_not_null())
    if share.protocols is not None:
        conditions = (
            (pl.col("variant") == f"{protocol}/ours") & (pl.col("stage") == stage)
            for protocol, stage in share.protocols
        )
        calls = calls.filter(pl.any_horizontal(*conditions))
    task = pl.col("example_id").str.extract(r"^(.*)-[0-9]{3}-[a-z]+$") if share.by_task else pl.lit(None)
    calls = calls.select("generation_id", "model", "variant", "stage", task.alias("task"))
    cells = scores.join(calls, on="generation_id").group_by("task", "model", "variant", "stage")
    return float(cells.agg(pl.col("value").mean()).select(pl.col("value").sum()).collect().item())


def steps_of_the_matrix(runs: list[str]) -> dict[str, Measurement]:
    """Measure parts of the matrix. Each part but the first two contains the parts before it."""
    parts = {
        "planning the matrix": "explain from self_knowledge_cells",
        "reading the calls": "select count(model), count(example_id), count(parent_generation_id) from calls",
        "joining texts with what was said and scored": (
            "select sum(generation_correct), sum(self_consistent) from self_knowledge_replies"
        ),
        "the whole matrix": "select sum(columns('_low$|_high$')) from self_knowledge_cells",
    }
    stack = ExitStack()
    opening = timed(lambda: stack.enter_context(connect(runs)))
    with stack:
        steps = {part: replace(timed(opening.value.rows, sql), value=None) for part, sql in parts.items()}
    return {f"opening {len(runs)} runs": replace(opening, value=None), **steps}


def main(samples: int = SAMPLES) -> None:
    """Make the runs, run every query, and print the tables of docs/benchmarks.md."""
    folder = FOLDER / str(samples)
    if not folder.is_dir():
        print(f"{make_runs(folder, samples):,} generations", file=sys.stderr)
    runs = [str(run) for run in sorted(folder.iterdir())]
    names = [name for name, query in queries().items() if query.task == "self-knowledge"]
    print_queries(names, runs, ask_sql, dict.fromkeys(SHARES, (ask_duckdb, ask_polars)))
    print()
    parts = measure(steps_of_the_matrix, runs).value.items()
    rows = ([part, f"{step.cpu_seconds:.2f}"] for part, step in parts)
    print_table(["part of `self_knowledge_matrix`", "CPU (s)"], rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
