"""SQL over a million generations of according-to, and five of its queries beside plain DuckDB and polars.

    python -m benchmarks.according_to_sql [MODELS]    (24 models make a million generations)

Each model is a run of its own: 3,610 questions under all twelve prompts, with six random metrics. The peers compute one
number of each row of a query, without its interval; if the sums differ, the benchmark stops.
"""

import shutil
import sys
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.according_to import scores
from benchmarks.queries import print_queries
from selfknow.evaluate.connection import connect
from selfknow.evaluate.tasks.according_to.prompts import NULL, PROMPTS, Setup
from selfknow.files import read_json, read_parquet, write_json, write_parquet
from selfknow.runs.schema import GENERATIONS, SCORES, generation_files
from selfknow.sql.queries import run_query
from tests.sql.according_to_runs import write_run

FOLDER = Path("out/benchmarks/according_to_sql")
QUESTIONS, MODELS = 3_610, 24
QUERIES = (
    *("according_to_table", "according_to_changes", "according_to_kinds", "according_to_popularity"),
    *("according_to_by_size", "according_to_examples"),
)
SUMS = {
    "according_to_table": "sum(score)",
    "according_to_changes": "sum(difference)",
    "according_to_kinds": "sum(score)",
    "according_to_by_size": "sum(difference)",
    "according_to_examples": "sum(change) filter (change_rank = 1)",
}
"""The number of each query that the peers compute, too."""
_KINDS = dict(zip(PROMPTS, [template["kind"] for template in map(Setup().templates.__getitem__, PROMPTS)], strict=True))


def make_runs(folder: Path, models: int) -> None:
    """Write a run of each model, of a size of its own."""
    counts = [10 ** (number % 5) for number in range(QUESTIONS)]
    first = write_run(folder / "m", scores(QUESTIONS), counts=counts, facts={"num_parameters": 1})
    description, examples = read_json(first / "run.json"), read_parquet(first / "examples.parquet")
    calls = pa.concat_tables([read_parquet(path, GENERATIONS) for path in generation_files(first)])
    scored = read_parquet(first / "scores" / "according-to.parquet", SCORES)
    shutil.rmtree(first)
    for number in range(models):
        name, run = f"m{number}", folder / f"m{number}"
        own = {**description["models"][0], "name": name, "num_parameters": 10 ** (6 + number % 5)}
        write_json(run / "run.json", {**description, "run_id": name, "models": [own]})
        write_parquet(run / "examples.parquet", examples)
        new = {"run_id": pa.repeat(name, len(calls)), "model": pa.repeat(name, len(calls))}
        new["generation_id"] = _ids(calls, name)
        columns = [new.get(column.name, calls[column.name]) for column in GENERATIONS]
        write_parquet(run / "generations" / "part-00000.parquet", pa.Table.from_arrays(columns, schema=GENERATIONS))
        values = scored["value"].take(np.random.default_rng(number).permutation(len(scored)))
        columns = [_ids(scored, name), scored["metric"], values, scored["reason"]]
        write_parquet(run / "scores" / "according-to.parquet", pa.Table.from_arrays(columns, schema=SCORES))


def _ids(table: pa.Table, name: str) -> pa.ChunkedArray:
    return pc.binary_join_element_wise(name, table["generation_id"], "-")


def ask_sql(name: str, runs: list[str]) -> tuple[int, float]:
    """Fetch every row of a query; return their number, and the sum that the peers compute, too."""
    with connect(runs) as connection:
        rows = run_query(connection, name).to_arrow_table()
    [[total]] = duckdb.sql(f"select {SUMS.get(name, 'count(*)')} from rows").fetchall()
    return len(rows), float(total)


def ask_duckdb(name: str, runs: list[str]) -> float:
    """Return the sum, as one would write it in DuckDB."""
    kinds = pa.table({"variant": list(_KINDS), "kind": list(_KINDS.values())})  # noqa: F841  # the query reads it
    replies = f"""
        select model, example_id, variant as prompt, kind, metric, value
        from read_parquet({[f"{run}/generations/*.parquet" for run in runs]})
        inner join read_parquet({[f"{run}/scores/*.parquet" for run in runs]}) using (generation_id)
        inner join kinds using (variant)
    """
    if name == "according_to_kinds":
        replies = f"select model, example_id, kind as prompt, metric, avg(value) as value from ({replies}) group by all"
    of_cell = {
        "according_to_table": "avg(replies.value)",
        "according_to_kinds": "avg(replies.value) filter (plain.value is not null)",
        "according_to_examples": "max(replies.value - plain.value)",
    }.get(name, "avg(replies.value - plain.value)")
    some = "true" if name in ("according_to_table", "according_to_kinds") else f"replies.prompt <> '{NULL}'"
    some += " and metric = 'quip'" if name in ("according_to_by_size", "according_to_examples") else ""
    plain = f"inner join replies as plain on plain.prompt = '{NULL}' and {_SAME_QUESTION}"
    [[total]] = duckdb.sql(
        f"""
        with replies as ({replies})
        select sum(cell) from (
            select {of_cell} as cell
            from replies {"" if name == "according_to_table" else plain}
            where {some.replace("metric", "replies.metric")}
            group by replies.model, replies.metric, replies.prompt
        )
        """
    ).fetchall()
    return float(total)


_SAME_QUESTION = " and ".join(f"replies.{name} = plain.{name}" for name in ("model", "metric", "example_id"))


def ask_polars(name: str, runs: list[str]) -> float:
    """Return the sum, as one would write it in polars."""
    import polars as pl  # type: ignore[import-not-found,unused-ignore]

    calls = pl.scan_parquet([f"{run}/generations/*.parquet" for run in runs])
    calls = calls.select("generation_id", "model", "example_id", pl.col("variant").alias("prompt"))
    replies = pl.scan_parquet([f"{run}/scores/*.parquet" for run in runs]).join(calls, on="generation_id")
    if name == "according_to_kinds":
        kinds = pl.col("prompt").replace_strict(_KINDS)
        replies = replies.group_by("model", "metric", "example_id", prompt=kinds).agg(pl.col("value").mean())
    if name in ("according_to_by_size", "according_to_examples"):
        replies = replies.filter(pl.col("metric") == "quip")
    if name == "according_to_table":
        of_cell = pl.col("value").mean()
    else:
        plain = replies.filter(pl.col("prompt") == NULL).select("model", "metric", "example_id", plain="value")
        replies = replies.join(plain, on=["model", "metric", "example_id"])
        change = pl.col("value") - pl.col("plain")
        of_cell = {
            "according_to_kinds": pl.col("value").filter(pl.col("plain").is_not_null()).mean(),
            "according_to_examples": change.max(),
        }.get(name, change.mean())
        replies = replies if name == "according_to_kinds" else replies.filter(pl.col("prompt") != NULL)
    cells = replies.group_by("model", "metric", "prompt").agg(cell=of_cell)
    return float(cells.select(pl.col("cell").sum()).collect().item())


def main(models: int = MODELS) -> None:
    """Make the runs, ask every query once, and print the table of docs/benchmarks.md."""
    folder = FOLDER / str(models)
    if not folder.is_dir():
        make_runs(folder, models)
    runs = [str(run) for run in sorted(folder.iterdir())]

    print_queries(QUERIES, runs, ask_sql, dict.fromkeys(SUMS, (ask_duckdb, ask_polars)), repetitions=1)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
