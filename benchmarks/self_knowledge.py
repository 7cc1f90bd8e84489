"""SQL over a million generations of self-knowledge, one query of it against pandas and part by part.

python -m benchmarks.self_knowledge [SAMPLES]    (9 samples of each instance make a million generations)
"""

import os
import sys
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from benchmarks.tables import print_table
from benchmarks.timing import Measurement, check_same, measure, timed
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
    """Return a column of these values, of a repeated value, or of nulls."""
    if isinstance(value, pd.Series | pd.Index | list):
        return pa.array(value, type_)
    return pa.repeat(pa.scalar(value, type_), length)


def ask_sql(name: str, runs: list[str]) -> tuple[int, float]:
    """Fetch every row of a query; return their number, and for the matrix the sum of its shares."""
    with connect(runs) as connection:
        rows = run_query(connection, name).fetchdf()
    return len(rows), float(rows["consistent"].sum()) if name.endswith("_matrix") else 0.0


def ask_pandas(runs: list[str]) -> float:
    """Return the matrix's sum of self-consistent shares, as one would write it in pandas."""
    total = 0.0
    for run in runs:
        calls = pd.read_parquet(f"{run}/generations", columns=["generation_id", "stage", "model"])
        scores = pd.read_parquet(f"{run}/scores")
        consistent = scores[scores["metric"] == "self_consistent"].merge(calls, on="generation_id")
        total += float(consistent.groupby(["stage", "model"])["value"].mean().sum())
    return total


def steps_of_the_matrix(runs: list[str]) -> dict[str, Measurement]:
    """Measure parts of the matrix; each but the first two contains those before it."""
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
    """Make the runs, ask every question, and print the tables of docs/benchmarks.md."""
    folder = FOLDER / str(samples)
    if not folder.is_dir():
        print(f"{make_runs(folder, samples):,} generations", file=sys.stderr)
    runs = [str(run) for run in sorted(folder.iterdir())]
    print(f"load before: {os.getloadavg()[0]:.1f}\n", file=sys.stderr)
    matrix: list[Measurement] = []

    def row(name: str) -> list[str]:
        measurement = measure(ask_sql, name, runs)
        if name == "self_knowledge_matrix":
            matrix.append(measurement)
        num_rows, _ = measurement.value
        seconds = [f"{measurement.seconds:.1f}", f"{measurement.cpu_seconds:.1f}"]
        return [f"`{name}`", f"{num_rows:,}", *seconds, f"{measurement.peak_memory_in_mb:,.0f}"]

    names = (name for name, query in queries().items() if query.task == "self-knowledge")
    print_table(["query", "rows", "SQL (s)", "SQL CPU (s)", "SQL peak (MB)"], map(row, names))
    pandas, [whole] = measure(ask_pandas, runs), matrix
    check_same("self_knowledge_matrix", whole.value[1], pandas.value)
    ratio = pandas.seconds / whole.seconds
    print(f"\none column of the matrix in pandas: {pandas.seconds:.1f} s, {ratio:.1f} times the whole matrix in SQL\n")
    parts = measure(steps_of_the_matrix, runs).value.items()
    rows = ([part, f"{step.seconds:.2f}", f"{step.cpu_seconds:.2f}"] for part, step in parts)
    print_table(["part of `self_knowledge_matrix`", "seconds", "CPU (s)"], rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
