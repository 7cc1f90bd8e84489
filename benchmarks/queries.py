"""Queries over runs, each measured in its own process, some beside plain DuckDB and polars.

Polars is measured if it is installed; the package does not need it.
"""

from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from statistics import median
from typing import Any

from benchmarks.tables import print_table
from benchmarks.timing import check_same, measure

Way = Callable[[str, list[str]], Any]
"""A function of a query's name and the run folders that computes the query."""


def print_queries(
    names: Iterable[str],
    runs: list[str],
    ours: Way,
    peers: Mapping[str, tuple[Way, Way]],
    *,
    repetitions: int = 3,
) -> None:
    """Measure queries one after the other, and print their table: CPU seconds, the peers' with ratios, peak memory.

    Args:
        names: The names of the queries.
        runs: The run folders.
        ours: The function that runs a query with this package; it returns the number of rows, and the number that the
            peers compute, too.
        peers: The functions in plain DuckDB and in polars, by the names of the queries that have them; they return
            that number.
        repetitions: The number of measurements of a query with peers, in turn with them; the table has the medians, and
            the largest peaks. Other queries are measured once.

    Raises:
        SystemExit: A peer computes another number.
    """
    labels = ["plain DuckDB", "polars"] if find_spec("polars") else ["plain DuckDB"]

    def row(name: str) -> list[str]:
        ways = dict(zip(["ours", *labels], [ours, *peers.get(name, ())], strict=False))
        rounds = [
            {way: measure(ask, name, runs) for way, ask in ways.items()}
            for _ in range(repetitions if name in peers else 1)
        ]
        num_rows, number = rounds[0]["ours"].value
        seconds, memory = [], []
        for way in ways:
            if way != "ours":
                check_same(f"{name} in {way}", number, rounds[0][way].value)
            ratio = median(works[way].cpu_seconds / works["ours"].cpu_seconds for works in rounds)
            cpu_seconds = f"{median(works[way].cpu_seconds for works in rounds):.1f}"
            seconds.append(cpu_seconds if way == "ours" else f"{cpu_seconds} ({ratio:.2f})")
            memory.append(f"{max(works[way].peak_memory_in_mb for works in rounds):,.0f}")
        blanks = [""] * (1 + len(labels) - len(ways))
        return [f"`{name}`", f"{num_rows:,}", *seconds, *blanks, *memory, *blanks]

    head = ["query", "rows", "CPU (s)", *(f"{label} (times ours)" for label in labels)]
    print_table([*head, "peak (MB)", *(f"{label} (MB)" for label in labels)], map(row, names))
