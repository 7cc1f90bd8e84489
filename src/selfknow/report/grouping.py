"""Rows of a query sorted for charts and headlines: by what sets them apart, each under a name that says so."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from selfknow.report.shape import Row

_GROUPS = 6  # charts of one model each


def preferred(rows: Sequence[Row], column: str, value: str) -> list[Row]:
    """The rows with this value, or where there is none with the first one that there is."""
    values = list(dict.fromkeys(row[column] for row in rows))
    wanted = value if value in values else next(iter(values), None)
    return [row for row in rows if row[column] == wanted]


def grouped(rows: Sequence[Row], *columns: str, most: int = _GROUPS) -> dict[str, list[Row]]:
    """Rows by what these columns say, as far as they differ and the columns before them do not tell; the first few.

    Args:
        rows: The rows.
        columns: What may set them apart, what matters most first.
        most: How many groups.

    Returns:
        By the name of each group its rows; one group without a name where nothing differs.

    Example:
        >>> rows = [{"model": "a", "form": "x"}, {"model": "b", "form": "x"}]
        >>> list(grouped(rows, "model", "form"))
        ['a', 'b']
    """
    varying = _telling(rows, columns)
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(joined(*(row[column] for column in varying)), []).append(row)
    return dict(list(found.items())[:most])


def _telling(rows: Sequence[Row], columns: Sequence[str]) -> list[str]:
    """The columns that tell rows apart which those before them do not."""
    telling: list[str] = []
    told = 1
    for column in columns:
        groups = len({tuple(row[one] for one in [*telling, column]) for row in rows})
        if groups > told:
            telling, told = [*telling, column], groups
    return telling


def joined(*parts: object) -> str:
    """Parts of a label, those that there are, each said once.

    Example:
        >>> joined("OPT 7M", None, "1k"), joined("simplified", "simplified"), joined("OPT 7M, simplified", "simplified")
        ('OPT 7M · 1k', 'simplified', 'OPT 7M, simplified')
    """
    said: list[str] = []
    for part in (str(part) for part in parts if part not in (None, "")):
        if part not in (piece for one in said for piece in (one, *one.split(", "))):
            said.append(part)
    return " · ".join(said)


def setting(row: Row, rows: Sequence[Row], *columns: str) -> str:
    """Of these columns what the row says, as far as they tell rows apart; of a path its last part.

    Example:
        >>> rows = [{"dataset": "texts/Bible.txt", "words": 32}, {"dataset": "texts/letters.txt", "words": 8}]
        >>> setting(rows[0], rows, "dataset", "words")
        'Bible.txt'
    """
    return joined(*(_shortened(row[column], {other[column] for other in rows}) for column in _telling(rows, columns)))


def _shortened(value: object, values: Collection[object]) -> object:
    """A path's last part, where it still tells it from the others."""
    short = {one: one.rstrip("/").rpartition("/")[2] if isinstance(one, str) else one for one in values}
    return short[value] if len(set(short.values())) == len(short) else value


def dot(row: Row, label: str, value: str, chance: str | None = None, **more: Any) -> dict[str, Any]:
    """A row as the chart of dots wants it, with its interval where the query gives one.

    Args:
        row: With ``value``, and ``VALUE_low`` and ``VALUE_high`` or ``low`` and ``high``.
        label: What stands at the left.
        value: The share.
        chance: The column of its chance line.
        more: Further columns.
    """
    ends = {end: row.get(f"{value}_{end}", row.get(end)) for end in ("low", "high")}
    counts = {name: row[name] for name in ("n", "n_graded", "n_pairs") if name in row}
    return {"label": label, value: row[value], **ends, "chance": row[chance] if chance else None, **counts, **more}


def one_share(row: Row, label: str, value: str, name: str, **more: Any) -> dict[str, Any]:
    """Return a dot for one of several shares of a row, all under the same name so that one chart shows them.

    Args:
        row: With ``VALUE``, ``VALUE_low``, ``VALUE_high``, and ``n_VALUE`` or ``n``.
        label: What stands at the left.
        value: The share.
        name: What the chart calls it.
        more: Further columns.
    """
    ends = {end: row[f"{value}_{end}"] for end in ("low", "high")}
    return {"label": label, name: row[value], **ends, "n": row.get(f"n_{value}", row.get("n")), **more}


def only(rows: Sequence[Row], *columns: str) -> list[Mapping[str, Any]]:
    """The columns that a chart needs: what is drawn a hundred thousand times should be small."""
    shared = ("label", "model_label", "low", "high", "chance", "n", "n_graded")
    return [{name: row[name] for name in (*shared, *columns) if name in row} for row in rows]
