"""Rows that display as a table: aligned text in a terminal, HTML in a notebook."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, overload

from selfknow.untrusted import for_terminal

if TYPE_CHECKING:
    import pandas as pd

Row = Mapping[str, object]


class RowTable(Sequence[Row]):
    """Rows with the same keys, which are the columns.

    Example:
        >>> rows = [{"metric": "f1", "n": 1200, "mean": 0.5}, {"metric": "exact_match", "n": 6, "mean": None}]
        >>> table = RowTable(rows)
        >>> table
        metric           n    mean
        -----------  -----  ------
        f1           1,200  0.5000
        exact_match      6
        >>> table[0]["mean"]
        0.5
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = tuple(rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> "RowTable": ...

    def __getitem__(self, index: int | slice) -> "Row | RowTable":
        return RowTable(self._rows[index]) if isinstance(index, slice) else self._rows[index]

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return as_text(self._rows)

    def _repr_html_(self) -> str:
        """Return the table as a notebook shows it."""
        return as_html(self._rows)

    def to_pandas(self) -> "pd.DataFrame":
        """Return the rows as a pandas table."""
        import pandas as pd

        return pd.DataFrame([dict(row) for row in self._rows])


def as_text(rows: Sequence[Row]) -> str:
    """Return rows in aligned columns, numbers on the right, with control characters made visible."""
    columns, cells, are_numbers = _cells(rows)
    widths = [max(len(line[index]) for line in [columns, *cells]) for index in range(len(columns))]
    lines = [columns, ["-" * width for width in widths], *cells] if columns else []
    return "\n".join(
        "  ".join(
            text.rjust(width) if is_number else text.ljust(width)
            for text, width, is_number in zip(line, widths, are_numbers, strict=True)
        ).rstrip()
        for line in lines
    )


def as_html(rows: Sequence[Row]) -> str:
    """Return rows as an HTML table, with every text escaped."""
    columns, cells, are_numbers = _cells(rows)
    styles = [' style="text-align: right"' if is_number else ' style="text-align: left"' for is_number in are_numbers]

    def line(texts: Sequence[str], tag: str) -> str:
        elements = (f"<{tag}{style}>{escape(text)}</{tag}>" for text, style in zip(texts, styles, strict=True))
        return f"<tr>{''.join(elements)}</tr>"

    body = "".join(line(texts, "td") for texts in cells)
    return f"<table><thead>{line(columns, 'th')}</thead><tbody>{body}</tbody></table>"


def _cells(rows: Sequence[Row]) -> tuple[list[str], list[list[str]], list[bool]]:
    """Return the columns, the text of each cell, and for each column true if it holds only numbers."""
    columns = list(rows[0]) if rows else []
    cells = [[_cell(row[column]) for column in columns] for row in rows]
    are_numbers = [all(isinstance(row[column], int | float | None) for row in rows) for column in columns]
    return columns, cells, are_numbers


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return f"{value:.4f}" if isinstance(value, float) else for_terminal(str(value))
