"""The tables of ``datasets_src``: UTF-8, tabs between columns, names in the first line, no quoting."""

from collections.abc import Mapping
from functools import cache

from selfknow.builders.sources import read_lines

Row = dict[str, str]
LIST_SEPARATOR = " | "


@cache
def read_table(path: str) -> tuple[Row, ...]:
    """Read the rows of a table, named relative to ``datasets_src``."""
    header, *lines = (line.split("\t") for line in read_lines(path))
    return tuple(dict(zip(header, cells, strict=True)) for cells in lines)


@cache
def read_groups(path: str, column: str) -> Mapping[str, tuple[Row, ...]]:
    """Read the rows of a table and group them by the value of a column, in the order of the table."""
    groups: dict[str, list[Row]] = {}
    for row in read_table(path):
        groups.setdefault(row[column], []).append(row)
    return {name: tuple(rows) for name, rows in groups.items()}


def items_of(cell: str) -> list[str]:
    """Return the items of a cell that holds a list; an empty cell has none.

    >>> items_of("Lisbon | Lisboa")
    ['Lisbon', 'Lisboa']
    """
    return cell.split(LIST_SEPARATOR) if cell else []
