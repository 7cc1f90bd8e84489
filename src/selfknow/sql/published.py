"""The numbers that papers print, as one query over ``datasets_src/published``, which has a file for each paper."""

from functools import cache

from selfknow.builders.sources import DATASETS_SRC
from selfknow.builders.tables import read_table
from selfknow.sql.literals import rows_as_query

FOLDER = "published"
_COLUMNS = {
    "paper": "varchar",
    '"table"': "varchar",
    '"row"': "varchar",
    '"column"': "varchar",
    "model": "varchar",
    "value": "double",
    "unit": "varchar",
    "n": "bigint",
    "provenance": "varchar",
    "note": "varchar",
}
_NUMBER_TYPES = {"value": float, "n": int}


@cache
def published() -> str:
    """Return a query of all published numbers, a row for each; an empty cell is null.

    Example:
        >>> published().startswith("select paper::varchar as paper")
        True
    """
    files = sorted((DATASETS_SRC / FOLDER).glob("*.tsv"))
    rows = [_row(row) for file in files for row in read_table(f"{FOLDER}/{file.name}")]
    return rows_as_query(_COLUMNS, rows)


def _row(cells: dict[str, str]) -> dict[str, object]:
    """Return a row with typed values, by the names in ``_COLUMNS``."""
    typed = {name: _NUMBER_TYPES.get(name, str)(cell) if cell else None for name, cell in cells.items()}
    return {name: typed[name.strip('"')] for name in _COLUMNS}
