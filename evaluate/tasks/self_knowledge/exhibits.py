"""Exhibits of self-knowledge: texts that models wrote, with the replies about them and how these were read."""

from collections.abc import Iterator, Mapping

from selfknow.report.labels import labelled_rows
from selfknow.report.shape import Example, ExampleGroup, Exhibit, Piece, Row, ShownReply, Verdict
from selfknow.report.text import LONGEST_REPLY, visible
from selfknow.sql.connection import Connection
from selfknow.sql.queries import find_query

_QUERY = "self_knowledge_readings_sample"
_MAX_GROUPS = 6
_LONGEST_HEADING = 300  # in characters
_LEGEND = (Piece("The part of a reply that was read; "), Piece("the rest", "aside"), Piece(" is pale."))
_UNREAD = "could not be read"
_IS_GOOD: Mapping[str, bool | None] = {"agrees": True, "disagrees": False}


def exhibits(connection: Connection) -> list[Exhibit]:
    """Return a sample of texts for each verifier, with its replies about them."""
    groups: dict[str, list[Example]] = {}
    for row in labelled_rows(connection, _QUERY):
        groups.setdefault(row["verifier"], []).append(_example(row))
    if not groups:
        return []
    groups_to_show = [ExampleGroup(label, examples) for label, examples in list(groups.items())[:_MAX_GROUPS]]
    query = find_query(_QUERY, connection.tasks)
    source = "Up to two examples of every task and verdict, chosen only by the hash of their ids"
    return [Exhibit("readings", query.title, _LEGEND, groups_to_show, query, source)]


def _example(row: Row) -> Example:
    notes = [row["task"], f"one of {row['n']:,}"]
    names = {"said": "read as", "expected": "expected", "truth": "true of its text"}
    notes += [f"{label}: {row[name]}" for name, label in names.items() if row[name] is not None]
    verdict = Verdict(row["grade"] or _UNREAD, _IS_GOOD.get(row["grade"] or ""))
    if row["outcome"] != "read":
        notes.append(row["outcome"])
    prompt = visible(row["generate_prompt"] or row["task"])
    heading = prompt if len(prompt) <= _LONGEST_HEADING else f"{prompt[:_LONGEST_HEADING]}…"
    replies = [
        ShownReply("What it wrote", *_cut(row["text"] or "")),
        ShownReply("What it said about it", tuple(_pieces(row)), max(0, len(row["generation"]) - LONGEST_REPLY)),
    ]
    question = row["verify_prompt"] and visible(row["verify_prompt"][:LONGEST_REPLY])
    return Example(heading, replies, verdict, notes, prompt=question)


def _cut(text: str) -> tuple[tuple[Piece, ...], int]:
    shown = text[:LONGEST_REPLY]
    return (Piece(visible(shown)),) if shown else (), len(text) - len(shown)


def _pieces(row: Row) -> Iterator[Piece]:
    """Yield the reply in three pieces: the text before the part that was read, that part, and the text after it."""
    text = row["generation"][:LONGEST_REPLY]
    start, end = row["start_character"] or 0, len(text) if row["end_character"] is None else row["end_character"]
    for piece, kind in ((text[:start], "aside"), (text[start:end], ""), (text[end:], "aside")):
        if piece:
            yield Piece(visible(piece), kind)
