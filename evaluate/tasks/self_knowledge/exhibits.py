"""Replies of self-knowledge as they were read: the part that counts, and the rest dimmed."""

from collections.abc import Iterator

from selfknow.evaluate.report.labels import labelled_rows
from selfknow.evaluate.report.shape import Example, ExampleGroup, Exhibit, Piece, Row, ShownReply, Verdict
from selfknow.evaluate.report.text import LONGEST_REPLY, visible
from selfknow.evaluate.sql.connection import Connection
from selfknow.evaluate.sql.queries import find_query

_QUERY = "self_knowledge_readings_sample"
_GROUPS = 6
_LEGEND = (Piece("The part that was read"), Piece(" "), Piece("what was taken off", "aside"))


def exhibits(connection: Connection) -> list[Exhibit]:
    """Some replies of each verifier, those that could be read and those that could not."""
    groups: dict[str, list[Example]] = {}
    for row in labelled_rows(connection, _QUERY):
        groups.setdefault(row["verifier"], []).append(_example(row))
    if not groups:
        return []
    shown = [ExampleGroup(label, examples) for label, examples in list(groups.items())[:_GROUPS]]
    return [Exhibit("readings", "How were replies read?", _LEGEND, shown, find_query(_QUERY))]


def _example(row: Row) -> Example:
    notes = [f"{name} {row[name]}" for name in ("expected", "truth") if row[name] is not None]
    verdict = Verdict(f"read as {row['said']}" if row["said"] is not None else row["outcome"], row["said"] is not None)
    whole = row["generation"]
    reply = ShownReply("", tuple(_pieces(row)), max(0, len(whole) - LONGEST_REPLY))
    return Example(row["task"], [reply], verdict, [f"one of {row['n']:,}", *notes])


def _pieces(row: Row) -> Iterator[Piece]:
    """The reply in pieces: in front of what was read, that itself, and behind it."""
    text = row["generation"][:LONGEST_REPLY]
    start, end = row["start_character"] or 0, len(text) if row["end_character"] is None else row["end_character"]
    for piece, kind in ((text[:start], "aside"), (text[start:end], ""), (text[end:], "aside")):
        if piece:
            yield Piece(visible(piece), kind)
