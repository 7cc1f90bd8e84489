"""Portraits: the first calls of a mapped portrait of 1 GB in a fresh process, and a million rows of SQL.

python -m benchmarks.portraits_queries

Seconds are CPU seconds. SQL is compared with rbloom in a Python function of DuckDB, timed on some of the rows, and with
a function that returns zeros without reading the text.
"""

import dataclasses
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import rbloom
from duckdb import func, sqltypes

from benchmarks.portraits import PEER, RATE, WIDTH, xxh3
from benchmarks.tables import print_table
from benchmarks.timing import timed
from selfknow.portraits import Portrait, sql
from selfknow.portraits.filter.layout import FilterShape
from selfknow.portraits.storage import count_ones, sha256_of

RUNS = 5
ROWS, ROWS_OF_RBLOOM = 1_000_000, 20_000
REPETITIONS = 3
_FIRST = """
import json, sys, time
import numpy, pyarrow, pyarrow.compute
from selfknow.portraits import Portrait
from selfknow.portraits.filter import asking, ngrams, redisbloom, texts as batches
text = "The quick brown fox jumps over the lazy dog, and then it naps. " * 17
start = time.process_time()
portrait = Portrait.load(sys.argv[1])
portrait.quip([text[:1080]])
small = time.process_time() - start
texts = [text] * 2000
start = time.process_time()
portrait.quip(texts)
large = time.process_time() - start
start = time.process_time()
portrait.quip(texts)
again = time.process_time() - start
print(json.dumps([small, large, again]))
"""


def main() -> None:
    """Print the table of ``docs/benchmarks.md``."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large"
        write_large(path)
        warm = [first_questions(path, {}) for _ in range(RUNS)]
        cold = [first_questions(path, {"NUMBA_CACHE_DIR": str(Path(folder) / f"cache{i}")}) for i in range(2)]
        steps = [
            ("load and score one text of 1,080 characters (1,056 n-grams)", f"{middle(warm, 0):.3f}"),
            ("then the first large call (2.1 M n-grams), kernel compiled before", f"{middle(warm, 1):.2f}"),
            ("the same, kernel compiled in this call", f"{middle(cold, 1):.2f}"),
            ("the second large call", f"{middle(warm, 2):.2f}"),
        ]
        print_table(["mapped portrait of 1 GB, file cached, imports done", "CPU (s)"], steps)
        print()
        seconds = sql_seconds(Path(folder) / "small")
        slow = seconds[PEER]
        head = [f"{ROWS:,} rows of 60 characters in one query, median of {REPETITIONS}", "CPU (s)", "times"]
        rows = ([name, f"{cpu_seconds:.2f}", f"{slow / cpu_seconds:.1f}"] for name, cpu_seconds in seconds.items())
        print_table(head, rows)


def middle(rows: list[list[float]], column: int) -> float:
    """Return the median of a column."""
    return statistics.median(row[column] for row in rows)


def write_large(path: Path) -> None:
    """Write a portrait of 1 GB of random bits; half of them are set, as in a full portrait."""
    small = Portrait.build(["The quick brown fox jumps over the lazy dog."]).description
    shape = FilterShape(8_000_000_000, small.hashes)
    array = np.frombuffer(np.random.default_rng(0).bytes(shape.size_in_bytes), np.uint8)
    description = dataclasses.replace(
        small,
        size_in_bits=shape.size_in_bits,
        capacity=620_000_000,
        ones=count_ones(array),
        sha256=sha256_of(small.header, array),
    )
    Portrait(description, array).save(path)


def first_questions(path: Path, environment: dict[str, str]) -> list[float]:
    """Return the seconds of a small, a large and a second large call in a fresh process."""
    command = [sys.executable, "-c", _FIRST, str(path)]
    process = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | environment)
    return [float(value) for value in json.loads(process.stdout)]


def sql_seconds(path: Path) -> dict[str, float]:
    """Return the seconds of a query with each function over a million rows."""
    source = "The cat sat on the mat, and the dog sat by the door. Then both went out to see the bird in the tree."
    Portrait.build([source]).save(path)
    bloom = rbloom.Bloom(len(source), RATE, xxh3)
    bloom.update(source[i : i + WIDTH] for i in range(len(source) - WIDTH + 1))

    def quip_by_rbloom(text: str) -> float:
        ngrams = len(text) - WIDTH + 1
        return sum(text[i : i + WIDTH] in bloom for i in range(ngrams)) / ngrams

    queries = {
        "`avg(quip(text, 'portrait'))`": f"select avg(quip(text, '{path}')) from answers",
        "`count_if(in_corpus(text, 'portrait'))`": f"select count_if(in_corpus(text, '{path}')) from answers",
        "`sum(len(quoted(text, 'portrait')))`": f"select sum(len(quoted(text, '{path}'))) from answers",
        PEER: f"select avg(quip_by_rbloom(text)) from (from answers limit {ROWS_OF_RBLOOM})",
        "a function that returns zeros": "select avg(zeros(text)) from answers",
    }
    with duckdb.connect() as connection:
        sql.register(connection)
        text, double = [sqltypes.VARCHAR], sqltypes.DOUBLE
        connection.create_function("quip_by_rbloom", quip_by_rbloom, text, double)
        connection.create_function("zeros", lambda texts: pa.repeat(0.0, len(texts)), text, double, type=func.ARROW)
        connection.execute(f"""
            create table answers as
            select substr('{source * 2}', 1 + (i * 7) % 90, 40) || lpad(i::varchar, 20, '0') as text
            from range({ROWS}) r(i)
        """)
        rounds = [
            {
                name: timed(lambda query=query: connection.execute(query).fetchall()).cpu_seconds
                for name, query in queries.items()
            }
            for _ in range(1 + REPETITIONS)
        ][1:]
        sql.unregister(connection)
        connection.remove_function("quip_by_rbloom")
        connection.remove_function("zeros")
    seconds = {name: statistics.median(cpu_seconds[name] for cpu_seconds in rounds) for name in queries}
    return seconds | {PEER: seconds[PEER] * ROWS / ROWS_OF_RBLOOM}


if __name__ == "__main__":
    main()
