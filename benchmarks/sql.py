"""SQL over a million generations of diary recall, five queries beside plain DuckDB and polars, and the report.

python -m benchmarks.sql [QUESTIONS]    (8,000 questions per corpus make a million generations)

If a sum over a query's rows differs from the peers', the benchmark stops.
"""

import sys
from pathlib import Path

import duckdb
import pyarrow.parquet as pq

from benchmarks.queries import print_queries
from benchmarks.sql_peers import SUMS, ask_duckdb, ask_polars
from benchmarks.timing import measure
from selfknow.builders.catalogue import find_configs, find_dataset
from selfknow.builders.folder.write import build_folder
from selfknow.evaluate.catalogue import task_reports
from selfknow.evaluate.connection import connect, queries
from selfknow.report.write import write_html
from selfknow.runs.description import DatasetReference
from selfknow.sql.queries import run_query
from tests.sql.synthetic_runs import SyntheticModel, write_run

FOLDER = Path("out/benchmarks/sql")
SIZES = ("8k", "16k", "32k", "64k")
QUESTIONS = 8_000
DIARY_QUERIES = {  # without those that need a portrait
    name
    for name, query in queries().items()
    if query.task == "diary-recall" and not any(need.startswith("portrait ") for need in query.needs)
}
QUERIES = (*sorted(DIARY_QUERIES), "metrics", "overview")
MODELS = (
    *("opt-7m", "opt-125m", "opt-350m", "opt-1.3b", "opt-2.7b"),
    *("flan-t5-small", "flan-t5-base", "flan-t5-large", "flan-t5-xl"),
    *("pythia-70m", "pythia-160m", "pythia-410m", "pythia-1b", "pythia-1.4b", "pythia-2.8b"),
)


def make_runs(folder: Path, questions: int = QUESTIONS) -> list[Path]:
    """Write a million scored generations of 15 models, for four sizes and both setups."""
    corpus = folder / "diary-recall"
    configs = [size + setup for size in SIZES for setup in ("", "-simplified")]
    dataset = find_dataset("diary-recall")
    build_folder(dataset, find_configs(dataset, configs, seed=0), corpus, jobs=2)
    runs, count = [], 0
    for number, config in enumerate(configs):
        rows = pq.read_table(corpus / config, filters=[("kind", "=", "question")], partitioning=None)
        models = [SyntheticModel(f"runs/{name}", _shares(number, rank)) for rank, name in enumerate(MODELS)]
        reference = DatasetReference(str(corpus), config, "train", content_hash=f"{number}")
        run = folder / "runs" / config
        count += write_run(run, rows.slice(0, questions), models, reference, probes=100, stop=50, seed=number)
        runs.append(run)
    print(f"{count:,} generations in {len(runs)} runs", file=sys.stderr)
    return runs


def _shares(config: int, rank: int) -> dict[str, float]:
    wrong = 0.9 - 0.05 * rank - 0.02 * config
    kinds = ("fewer", "beyond", "repeated", "foreign", "another entry", "another diarist", "invented", "cut off")
    return {**{kind: max(0.01, wrong / len(kinds)) for kind in kinds}, "empty": 0.01, "failed": 0.01}


def ask_sql(name: str, runs: list[str]) -> tuple[int, float]:
    """Fetch every row of a query; return the number of rows, and the number that the peers also compute."""
    with connect(runs) as connection:
        rows = run_query(connection, name).to_arrow_table()
    [[total]] = duckdb.sql(f"select {SUMS.get(name, 'count(*)')} from rows").fetchall()
    return len(rows), float(total)


def write_report(runs: list[str], path: str) -> float:
    """Write the page, and return its size in megabytes."""
    with connect(runs) as connection:
        write_html(connection, task_reports(), Path(path), title="A million generations", figures=None, progress=False)
    return Path(path).stat().st_size / 1e6


def main(questions: int = QUESTIONS) -> None:
    """Make the runs, run every query and the report, and print what docs/benchmarks.md shows."""
    folder = FOLDER / str(questions)
    if not (folder / "runs").is_dir():
        make_runs(folder, questions)
    runs = [str(run) for run in sorted((folder / "runs").iterdir())]
    print_queries(QUERIES, runs, ask_sql, dict.fromkeys(SUMS, (ask_duckdb, ask_polars)))
    report = measure(write_report, runs, str(folder / "report.html"))
    size = f"{report.value:.1f} MB of HTML"
    print(f"\nthe report: {report.cpu_seconds:.1f} CPU s, {report.peak_memory_in_mb:,.0f} MB, {size}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
