"""SQL over a million generations against the same analysis in pandas, and the report on them.

python -m benchmarks.sql [QUESTIONS]    (8,000 questions per corpus make a million generations)
"""

import sys
from pathlib import Path

import duckdb
import pyarrow.parquet as pq

from benchmarks.sql_in_pandas import IN_PANDAS
from benchmarks.tables import print_table
from benchmarks.timing import check_same, measure
from selfknow.builders.catalogue import find_configs, find_dataset
from selfknow.builders.folder.write import build_folder
from selfknow.evaluate.catalogue import task_reports
from selfknow.evaluate.connection import connect
from selfknow.report.write import write_html
from selfknow.runs.description import DatasetReference
from selfknow.sql.queries import run_query
from tests.sql.synthetic_runs import SyntheticModel, write_run

FOLDER = Path("out/benchmarks/sql")
SIZES = ("8k", "16k", "32k", "64k")
QUESTIONS = 8_000
ONLY_IN_SQL = (
    *("recalled_sentences", "sample_answers", "setup_gap", "stop_curve", "wrong_answers", "wrong_documents"),
)
QUERIES = sorted((*IN_PANDAS, *ONLY_IN_SQL))
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


def ask_sql(name: str, runs: list[str], check: str) -> tuple[int, float]:
    """Fetch every row of a query; return the number of rows, and the number that pandas also computes."""
    with connect(runs) as connection:
        rows = run_query(connection, name).to_arrow_table()
    return len(rows), float(duckdb.sql(f"select {check} from rows").fetchall()[0][0]) if len(rows) else 0.0


def ask_pandas(name: str, runs: list[str]) -> float:
    """Return the same number, computed by pandas."""
    return float(IN_PANDAS[name][0](runs))


def write_report(runs: list[str], path: str) -> float:
    """Write the page, and return its size in megabytes."""
    with connect(runs) as connection:
        write_html(connection, task_reports(), Path(path), title="A million generations", figures=None, progress=False)
    return Path(path).stat().st_size / 1e6


def _row(name: str, runs: list[str]) -> list[str]:
    in_pandas = IN_PANDAS.get(name)
    by_sql = measure(ask_sql, name, runs, "0" if in_pandas is None else in_pandas[1])
    num_rows, number = by_sql.value
    cells = [f"`{name}`", f"{num_rows:,}", f"{by_sql.seconds:.1f}", f"{by_sql.peak_memory_in_mb:,.0f}"]
    if in_pandas is None:
        return [*cells, "", ""]
    by_pandas = measure(ask_pandas, name, runs)
    check_same(name, number, by_pandas.value)
    times = f"{by_pandas.seconds:.1f} ({by_pandas.seconds / by_sql.seconds:.1f})"
    return [*cells, times, f"{by_pandas.peak_memory_in_mb:,.0f}"]


def main(questions: int = QUESTIONS) -> None:
    """Make the runs, run every query, and print the table of docs/benchmarks.md."""
    folder = FOLDER / str(questions)
    if not (folder / "runs").is_dir():
        make_runs(folder, questions)
    runs = [str(run) for run in sorted((folder / "runs").iterdir())]
    print_table(
        ["query", "rows", "SQL (s)", "SQL peak (MB)", "pandas (s), times the SQL's", "pandas peak (MB)"],
        (_row(name, runs) for name in QUERIES),
    )
    report = measure(write_report, runs, str(folder / "report.html"))
    print(f"\nthe report: {report.seconds:.1f} s, {report.peak_memory_in_mb:,.0f} MB, {report.value:.1f} MB of HTML")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
