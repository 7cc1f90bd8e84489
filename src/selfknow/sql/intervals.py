"""Python versions of SQL's intervals, for programs without a connection."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb


def wilson_interval(successes: float, n: int) -> tuple[float, float]:
    """Return Wilson's 95% interval for a share of independent trials, by the same SQL function as the queries.

    Wilson, Probable inference, the law of succession, and statistical inference, 1927.

    Args:
        successes: The number of successes; not whole if it is a mean over several samples per question.
        n: The number of trials, at least 1.

    Example:
        >>> [round(end, 3) for end in wilson_interval(8, 10)]
        [0.49, 0.943]
    """
    with _connection().cursor() as connection:  # a cursor of its own for each thread
        row = connection.execute("select wilson_low(?, ?), wilson_high(?, ?)", [successes, n] * 2).fetchone()
    assert row is not None, "a select without a table gives one row"
    return row[0], row[1]


@cache
def _connection() -> "duckdb.DuckDBPyConnection":
    """Open a connection with the functions, once, as that takes sixteen times as long as an interval."""
    import duckdb

    connection = duckdb.connect()
    connection.execute((Path(__file__).parent / "functions" / "wilson.sql").read_text(encoding="utf-8"))
    return connection
