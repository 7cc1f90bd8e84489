"""Five queries over diary runs in plain DuckDB and in polars: one share or count of each cell, without intervals.

The runs have no repeated tries. The functions return a number that our query must return, too.
"""

from collections.abc import Sequence
from typing import Any

import duckdb

SUMS = {
    "accuracy_by_documents": "sum(accuracy)",
    "document_accuracy": "sum(document_accuracy)",
    "metrics": "sum(mean)",
    "overview": "sum(n_graded)",
    "recalled_sentences": "sum(share * recalled_sentences)",
}
"""The number of each query as an SQL expression over its rows."""

_CELLS = {
    "accuracy_by_documents": """
        select avg(value) as number
        from calls
        inner join scores using (generation_id)
        inner join examples on calls.run = examples.run and example_id = id
        where stage = 'answer' and metric = 'exact_match'
        group by run_id, model, num_documents
    """,
    "document_accuracy": """
        select avg((fate = 'correct')::integer) as number
        from calls
        inner join documents using (generation_id)
        where stage = 'answer' and fate in ('correct', 'wrong')
        group by run_id, model, target_sentences
    """,
    "metrics": """
        select avg(value) as number
        from calls
        inner join scores using (generation_id)
        group by run_id, model, stage, regexp_replace(variant, '^after-[0-9]+$', 'after-*'), metric
    """,
    "overview": """
        select
            count(*) filter (where generation_id in (select generation_id from scores where value is not null))
                as number,
            count(*) filter (where finish_reason = 'length'), count(*) filter (where generation = '')
        from calls
        group by run_id, model, stage
    """,
    "recalled_sentences": """
        select recalled_sentences * count(*) / sum(count(*)) over (partition by run_id, model, target_sentences)
            as number
        from calls
        inner join documents using (generation_id)
        where stage = 'answer' and fate in ('correct', 'wrong')
        group by run_id, model, target_sentences, recalled_sentences
    """,
}


def ask_duckdb(name: str, runs: Sequence[str]) -> float:
    """Return the number of a query, as one would write it in DuckDB."""

    def files(pattern: str) -> str:
        return f"read_parquet({[f'{run}/{pattern}' for run in runs]}, filename = true)"

    [[total]] = duckdb.sql(
        f"""
        with calls as (select *, split_part(filename, '/', -3) as run from {files("generations/*.parquet")}),
        scores as (from {files("scores/*.parquet")}),
        documents as (from {files("parsed/diary_documents.parquet")}),
        examples as (select *, split_part(filename, '/', -2) as run from {files("examples.parquet")})
        select sum(number) from ({_CELLS[name]})
        """
    ).fetchall()
    return float(total)


def ask_polars(name: str, runs: Sequence[str]) -> float:
    """Return the number of a query, as one would write it in polars."""
    import polars as pl  # type: ignore[import-not-found,unused-ignore]

    def scan(pattern: str) -> Any:
        return pl.scan_parquet([f"{run}/{pattern}" for run in runs], include_file_paths="file")

    def run_of(place: int) -> Any:
        return pl.col("file").str.split("/").list.get(place).alias("run")

    calls = scan("generations/*.parquet").with_columns(run_of(-3)).drop("file")
    scores = scan("scores/*.parquet").drop("file")
    cohort = ["run_id", "model"]
    answers = calls.filter(pl.col("stage") == "answer").select("generation_id", "run", "example_id", *cohort)
    documents = scan("parsed/diary_documents.parquet").filter(pl.col("fate").is_in(["correct", "wrong"]))
    if name == "accuracy_by_documents":
        examples = scan("examples.parquet").select(run_of(-2), pl.col("id").alias("example_id"), "num_documents")
        scored = answers.join(scores.filter(pl.col("metric") == "exact_match"), on="generation_id")
        cells = scored.join(examples, on=["run", "example_id"]).group_by(*cohort, "num_documents")
        numbers = cells.agg(number=pl.col("value").mean())
    elif name == "document_accuracy":
        cells = answers.join(documents, on="generation_id").group_by(*cohort, "target_sentences")
        numbers = cells.agg(number=(pl.col("fate") == "correct").mean())
    elif name == "metrics":
        variant = pl.col("variant").str.replace("^after-[0-9]+$", "after-*")
        stages = calls.select("generation_id", *cohort, "stage", variant)
        cells = scores.join(stages, on="generation_id").group_by(*cohort, "stage", "variant", "metric")
        numbers = cells.agg(number=pl.col("value").mean())
    elif name == "overview":
        graded = scores.filter(pl.col("value").is_not_null()).select("generation_id").unique()
        graded = graded.with_columns(is_graded=pl.lit(True))
        cells = calls.join(graded, on="generation_id", how="left").group_by(*cohort, "stage")
        cut_off, empty = pl.col("finish_reason") == "length", pl.col("generation") == ""
        numbers = cells.agg(number=pl.col("is_graded").count(), n_cut_off=cut_off.sum(), n_empty=empty.sum())
    else:
        lengths = [*cohort, "target_sentences"]
        cells = answers.join(documents, on="generation_id").group_by(*lengths, "recalled_sentences").len()
        share = pl.col("len") / pl.col("len").sum().over(lengths)
        numbers = cells.select(number=share * pl.col("recalled_sentences"))
    return float(numbers.select(pl.col("number").sum()).collect().item())
