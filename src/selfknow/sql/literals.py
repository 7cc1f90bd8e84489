"""Python values as SQL text."""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence

# Characters that a terminal, an editor or a printing library would change or drop; a script spells them with chr().
_CONTROL = re.compile("([\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff])")


def literal(value: object) -> str:
    """Return a value as an SQL literal."""
    if value is None:
        return "null"
    if isinstance(value, float) and not math.isfinite(value):
        return f"'{value}'::double"
    if isinstance(value, bool | int | float):
        return str(value).lower()
    text = value if isinstance(value, str) else json.dumps(value)
    parts = [_text_literal(part) for part in _CONTROL.split(text) if part]
    if len(parts) > 1:
        return f"({' || '.join(parts)})"
    return parts[0] if parts else "''"


def _text_literal(part: str) -> str:
    """Return a text without control characters, or one control character, as an SQL literal."""
    if _CONTROL.fullmatch(part):
        return f"chr({ord(part)})"
    return "'" + part.replace("'", "''") + "'"


def file_list(paths: Sequence[str]) -> str:
    """Return paths as a list literal for ``read_parquet``, with the characters of patterns escaped."""
    return path_list(map(as_pattern, paths))


def as_pattern(path: str) -> str:
    """Return a pattern that matches only this path."""
    return re.sub(r"([*?\[])", r"[\1]", path)


def path_list(paths: Iterable[str]) -> str:
    """Return paths as a list literal, without escapes."""
    return "[" + ", ".join(map(literal, paths)) + "]"


def empty_query(columns: Mapping[str, str]) -> str:
    """Return a query that has these columns with their types, and no rows."""
    return "select " + ", ".join(f"null::{type_} as {name}" for name, type_ in columns.items()) + " where false"


def rows_as_query(columns: Mapping[str, str], rows: Sequence[Mapping[str, object]]) -> str:
    """Return a query of these rows, with typed columns; a value that a row lacks is null."""
    if not rows:
        return empty_query(columns)
    values = ",\n".join("(" + ", ".join(literal(row.get(name)) for name in columns) + ")" for row in rows)
    typed = ", ".join(f"{name}::{type_} as {name}" for name, type_ in columns.items())
    return f"select {typed}\nfrom (values {values}) as given ({', '.join(columns)})"
