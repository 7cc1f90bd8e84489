"""The grouping of a query's rows for charts and headlines; groups are named by the columns in which they differ."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from selfknow.report.shape import Row

_MAX_GROUPS = 6  # each group becomes a chart


def preferred(rows: Sequence[Row], column: str, value: str) -> list[Row]:
    """Return the rows with this value in a column; if there are none, return those with the first row's value."""
    if matches := [row for row in rows if row[column] == value]:
        return matches
    return [row for row in rows if row[column] == rows[0][column]]


def grouped(rows: Sequence[Row], *columns: str, most: int = _MAX_GROUPS) -> dict[str, list[Row]]:
    """Group rows by the columns in which they differ, and return the first groups.

    Args:
        rows: The rows.
        columns: The columns to group by, the most important first.
        most: The largest number of groups to return.

    Returns:
        The rows of each group by its name; if no column varies, one group without a name.

    Example:
        >>> rows = [{"model": "a", "form": "x"}, {"model": "b", "form": "x"}]
        >>> list(grouped(rows, "model", "form"))
        ['a', 'b']
    """
    varying = _distinguishing_columns(rows, columns)
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(joined(*(row[column] for column in varying)), []).append(row)
    return dict(list(groups.items())[:most])


def _distinguishing_columns(rows: Sequence[Row], columns: Sequence[str]) -> list[str]:
    """Return the columns that split the groups of the columns before them."""
    columns_so_far: list[str] = []
    num_groups = 1
    for column in columns:
        groups = {tuple(row[name] for name in [*columns_so_far, column]) for row in rows}
        if len(groups) > num_groups:
            columns_so_far, num_groups = [*columns_so_far, column], len(groups)
    return columns_so_far


def joined(*parts: object) -> str:
    """Join the parts of a label, without empty and repeated parts.

    Example:
        >>> joined("OPT 7M", None, "1k"), joined("simplified", "simplified"), joined("OPT 7M, simplified", "simplified")
        ('OPT 7M · 1k', 'simplified', 'OPT 7M, simplified')
    """
    distinct_parts: list[str] = []
    known: set[str] = set()
    for part in parts:
        text = "" if part is None else str(part)
        if text and text not in known:
            distinct_parts.append(text)
            known.update([text, *text.split(", ")])
    return " · ".join(distinct_parts)


def setting(row: Row, rows: Sequence[Row], *columns: str) -> str:
    """Return the row's values in these columns as a label, without columns in which the rows do not differ.

    Paths are shortened to their last part.

    Example:
        >>> rows = [{"dataset": "texts/Bible.txt", "words": 32}, {"dataset": "texts/letters.txt", "words": 8}]
        >>> setting(rows[0], rows, "dataset", "words")
        'Bible.txt'
    """
    differing = _distinguishing_columns(rows, columns)
    return joined(*(_shortened(row[column], {other[column] for other in rows}) for column in differing))


def _shortened(value: object, values: Collection[object]) -> object:
    """Return a path's last part if the last parts of all values differ, else the value unchanged."""
    short = {path: path.rstrip("/").rpartition("/")[2] if isinstance(path, str) else path for path in values}
    return short[value] if len(set(short.values())) == len(short) else value


def dot(
    row: Row, label: str, value: str, chance: str | None = None, *, of: str | None = None, **more: Any
) -> dict[str, Any]:
    """Return a row for :func:`selfknow.report.charts.dots`, with its interval if the query has one.

    Args:
        row: A row with the column ``value``, and ``VALUE_low`` and ``VALUE_high`` or ``low`` and ``high``.
        label: The label at the left.
        value: The column of the share.
        chance: The column of its chance line; null if there is none.
        of: The column of its denominator (see :func:`counts`).
        more: Further columns with their values.
    """
    ends = {end: row.get(f"{value}_{end}", row.get(end)) for end in ("low", "high")}
    return {
        "label": label,
        value: row[value],
        **ends,
        "chance": row[chance] if chance else None,
        **counts(row, value, of),
        **more,
    }


def counts(row: Row, value: str, of: str | None = None) -> dict[str, Any]:
    """Return a share as counts, such as "2 of 41"; if the query has no such counts, return the counts of the row.

    Args:
        row: The row.
        value: The column of the share; its counts are in ``VALUE_yes`` and ``VALUE_of``.
        of: The column of the denominator; null uses ``VALUE_of``.

    Example:
        >>> counts({"read": 0.5, "read_yes": 2, "read_of": 4, "n": 9}, "read"), counts({"read": 0.5, "n": 9}, "read")
        ({'counts': '2 of 4'}, {'n': 9})
    """
    yes, total = row.get(f"{value}_yes"), row.get(of or f"{value}_of")
    if yes is not None and total is not None and yes == round(yes):
        return {"counts": f"{round(yes):,} of {total:,}"}
    return {name: row[name] for name in ("n", "n_graded", "n_pairs") if name in row}


def one_share(row: Row, label: str, value: str, name: str, **more: Any) -> dict[str, Any]:
    """Return a row for :func:`selfknow.report.charts.dots` with one of several shares in a query's row.

    Args:
        row: A row with ``VALUE``, ``VALUE_low``, ``VALUE_high``, and ``n_VALUE`` or ``n``.
        label: The label at the left.
        value: The column of the share.
        name: The column of the share in the chart, which may show shares from several columns of the query.
        more: Further columns with their values.
    """
    ends = {end: row[f"{value}_{end}"] for end in ("low", "high")}
    return {"label": label, name: row[value], **ends, "n": row.get(f"n_{value}", row.get("n")), **more}


def chart_columns(rows: Sequence[Row], *columns: str) -> list[Mapping[str, Any]]:
    """Return only the columns that a chart needs, because a page may hold a hundred thousand rows."""
    shared = ("label", "model_label", "low", "high", "chance", "n", "n_graded")
    return [{name: row[name] for name in (*shared, *columns) if name in row} for row in rows]
