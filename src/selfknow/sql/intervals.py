"""A connection's functions of numbers, for a program that has only numbers."""

from pathlib import Path


def wilson_interval(successes: float, n: int) -> tuple[float, float]:
    """Wilson's 95% interval for a share of independent trials, as the queries have it.

    Wilson, Probable inference, the law of succession, and statistical inference, 1927.

    Args:
        successes: How many trials succeeded; several samples of one question may add up to a part of one.
        n: The number of trials, at least 1.

    Example:
        >>> [round(end, 3) for end in wilson_interval(8, 10)]
        [0.49, 0.943]
    """
    import duckdb

    with duckdb.connect() as connection:
        connection.execute((Path(__file__).parent / "functions" / "wilson.sql").read_text(encoding="utf-8"))
        found = connection.execute("select wilson_low(?, ?), wilson_high(?, ?)", [successes, n] * 2).fetchone()
    assert found is not None, "a select without a table gives one row"
    return found[0], found[1]
