"""Markdown tables for the documents."""

from collections.abc import Collection, Iterable, Iterator, Sequence


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, left: Collection[int] = (0,)) -> None:
    """Print a table, each row as soon as it is measured (see :func:`table`)."""
    for line in _lines(columns, rows, left):
        print(line, flush=True)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, left: Collection[int] = (0,)) -> str:
    """Return a table.

    Args:
        columns: The heads.
        rows: The cells of each row.
        left: The indices of the columns that are aligned to the left, from 0; the others are numbers.

    Example:
        >>> print(table(["query", "seconds"], [["`overview`", "2.1"]]))
        | query | seconds |
        | --- | ---: |
        | `overview` | 2.1 |
    """
    return "\n".join(_lines(columns, rows, left))


def _lines(columns: Sequence[str], rows: Iterable[Sequence[object]], left: Collection[int]) -> Iterator[str]:
    yield _line(columns)
    yield _line("---" if place in left else "---:" for place in range(len(columns)))
    yield from map(_line, rows)


def _line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"
