"""A check that SQL cannot change anything, by DuckDB's own parser.

A read-only database is not enough: DuckDB may write every file that it may read. The kind of a statement is not enough
either: ``with x as (copy …) select 1`` is a SELECT, ``explain analyze copy …`` runs the copy, and two functions run a
text as SQL.
"""

import re
from typing import TYPE_CHECKING

from selfknow.errors import UserError

if TYPE_CHECKING:
    import duckdb

_EXPLAIN = re.compile(r"(?:\s|--[^\n]*|/\*.*?\*/)*+explain\b(?:\s*\(\s*format\s+\w+\s*\))?", re.IGNORECASE | re.DOTALL)
_START_OF_PIVOT = re.compile(r"(?:\s|--[^\n]*|/\*.*?\*/|\()*+(?:pivot|select|from|with)\b", re.IGNORECASE | re.DOTALL)
# The only words in a SELECT that can write: the statements that a CTE may hold, and two functions that run a text.
_WRITING_WORD = re.compile(r"\b(copy|insert|update|delete|merge|query|json_execute_serialized_sql)\b", re.IGNORECASE)
# The same in a parsed statement. Its texts have escaped quotation marks, so none of them can look like this.
_WRITING_PART = re.compile(
    r'"type":"(copy|insert|update|delete|merge)\w*_node"|"function_name":"(query|json_execute_serialized_sql)"',
    re.IGNORECASE,
)


def check_select_only(connection: "duckdb.DuckDBPyConnection", sql: str) -> None:
    """Check that every statement of a text is a SELECT or PIVOT, or an EXPLAIN of one without ANALYZE.

    Args:
        connection: A connection for its parser; nothing is run.
        sql: One statement, or several.

    Raises:
        UserError: A statement is of another kind, or holds one that could write.
        duckdb.Error: DuckDB cannot parse the text.

    Example:
        >>> import duckdb
        >>> check_select_only(duckdb.connect(), "install spatial")
        Traceback (most recent call last):
        ...
        selfknow.errors.UserError: LOAD could change something: only SELECT, PIVOT and EXPLAIN are allowed here
    """
    from duckdb import StatementType

    for statement in connection.extract_statements(sql):
        match statement.type:
            case StatementType.SELECT:
                reason = _reason_in_select(connection, statement.query)
            case StatementType.EXPLAIN:
                reason = _reason_in_explain(connection, statement.query)
            case StatementType.MULTI if _EXPLAIN.match(statement.query):
                reason = _reason_in_explain(connection, statement.query)
            case StatementType.MULTI:
                reason = _reason_in_pivot(statement.query)
            case kind:
                reason = f"{kind.name.replace('_', ' ')} could change something"
        if reason:
            raise UserError(f"{reason}: only SELECT, PIVOT and EXPLAIN are allowed here")


def _reason_in_explain(connection: "duckdb.DuckDBPyConnection", sql: str) -> str | None:
    """Return the reason to refuse an EXPLAIN, if any; ANALYZE after it does not parse and is refused.

    Raises:
        UserError: The explained statement is not a SELECT or PIVOT.
    """
    import duckdb

    head = _EXPLAIN.match(sql)
    try:
        check_select_only(connection, sql[head.end() :] if head else "analyze")
    except duckdb.Error:
        return "EXPLAIN ANALYZE runs what it explains"
    return None


def _reason_in_select(connection: "duckdb.DuckDBPyConnection", sql: str) -> str | None:
    if not _WRITING_WORD.search(sql):
        return None
    # A new cursor keeps a result that is still being read.
    parsed = connection.cursor().execute("select json_serialize_sql(?)", [sql]).fetchall()[0][0]
    if not parsed.startswith('{"error":false'):
        return "a SELECT that cannot be checked could change something"
    return _reason(_WRITING_PART.search(parsed))


def _reason_in_pivot(sql: str) -> str | None:
    """Return the reason to refuse a PIVOT without IN, if any; DuckDB turns it into several unparsed statements."""
    if not _START_OF_PIVOT.match(sql):
        return "a statement around a PIVOT could change something"
    return _reason(_WRITING_WORD.search(sql))


def _reason(match: re.Match[str] | None) -> str | None:
    """Return the reason to refuse a word that writes, if any."""
    return f"{next(filter(None, match.groups())).upper()} could change something" if match else None
