"""Exhibits of self-aware: replies to questions with and without an answer, and how they were read."""

import re
from collections.abc import Iterator, Sequence

from selfknow.report.grouping import joined, setting
from selfknow.report.labels import labelled_rows
from selfknow.report.shape import Example, ExampleGroup, Exhibit, Piece, Row, ShownReply, Verdict
from selfknow.report.text import LONGEST_REPLY, cell, visible
from selfknow.sql.connection import Connection
from selfknow.sql.queries import find_query

_QUERY = "self_aware_examples"
_MAX_GROUPS = 8
_MAX_ANSWERS = 3  # accepted answers to show
_LEGEND = (
    Piece("The sentence that the reading rests on", quoted=True),
    Piece(" is marked. Each verdict compares the reading with the question: can anybody answer it, and with what?"),
)


def exhibits(connection: Connection) -> list[Exhibit]:
    """Return a few replies of each model, form and verdict."""
    rows = labelled_rows(connection, _QUERY)
    if not rows:
        return []
    groups: dict[str, list[Example]] = {}
    for row in rows:
        label = joined(row["label"], setting(row, rows, "model", "form"))
        groups.setdefault(label, []).append(_example(row))
    groups_to_show = [ExampleGroup(label, examples) for label, examples in list(groups.items())[:_MAX_GROUPS]]
    query = find_query(_QUERY, connection.tasks)
    source = "Up to six replies of every verdict, chosen only by the hash of their ids"
    return [Exhibit("self-aware-replies", query.title, _LEGEND, groups_to_show, query, source)]


def _example(row: Row) -> Example:
    notes = [f"one of {row['n']:,}"]
    if row["answerable"]:
        notes.append(f"expected: {cell(', '.join(row['answers'][:_MAX_ANSWERS]))}")
    else:
        notes.append(f"nobody can answer it: {row['category']}" if row["category"] else "nobody can answer it")
    if row["hedged"]:
        notes.append("the answer is hedged")
    if row["reason"] and row["error"] is None:
        notes.append(row["reason"])
    reply_text = row["generation"] or ""
    text = reply_text[:LONGEST_REPLY]
    reply = ShownReply("", tuple(_pieces(text, row["evidence"])), len(reply_text) - len(text), error=row["error"])
    verdict = Verdict(row["outcome"], row["is_right"])
    prompt = row["prompt"] and visible(row["prompt"][:LONGEST_REPLY])
    return Example(row["question"] or "", [reply], verdict, notes, prompt=prompt)


def _pieces(text: str, evidence: str | None) -> Iterator[Piece]:
    """Yield the reply in pieces, with the evidence marked."""
    start, end = _place(text, evidence)
    for piece, is_evidence in ((text[:start], False), (text[start:end], True), (text[end:], False)):
        if piece:
            yield Piece(visible(piece), quoted=is_evidence)


# The scorer leaves out what stands in parentheses, but not in every sentence.
_BETWEEN_WORDS = (r"\W++", r"\W++(?:(?<=\()[^()]*\)\W++)?+")


def _place(text: str, evidence: str | None) -> tuple[int, int]:
    words: Sequence[str] = re.findall(r"\w+", evidence or "")
    searches = (re.search(between.join(words), text, flags=re.IGNORECASE) for between in _BETWEEN_WORDS if words)
    match = next(filter(None, searches), None)
    return match.span() if match else (0, 0)
