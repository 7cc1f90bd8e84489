"""Marked replies as Markdown: each group is a folded table with a column for each reply. All texts are escaped."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from selfknow.report.shape import Example, ExampleGroup, Exhibit, Piece, ShownReply
from selfknow.report.text import cell, plain

_ELEMENTS: Mapping[str, str] = {"wrong": "s", "beyond": "ins", "foreign": "i", "repeated": "samp", "aside": "small"}


def exhibit_parts(exhibit: Exhibit) -> Iterator[str]:
    """Yield the parts of an exhibit: its heading, its legend, and each group behind a fold."""
    yield f"## {exhibit.title}\n\n{_marked(exhibit.legend)}\n"
    for group in exhibit.groups:
        more = f" ({escape(', '.join(group.notes))})" if group.notes else ""
        yield f"<details><summary>{escape(group.label)}{more}</summary>\n"
        if group.lacking:
            yield f"{plain(group.lacking)}\n"
        yield "\n".join(_table(group))


def _table(group: ExampleGroup) -> Iterator[str]:
    headings = [reply.heading for reply in group.examples[0].replies]
    yield "<table>"
    if any(headings):
        yield "<tr><th></th>" + "".join(f"<th>{_inline(heading)}</th>" for heading in headings) + "</tr>"
    for example in group.examples:
        replies = "".join(f"<td>{_reply_cell(reply)}</td>" for reply in example.replies)
        yield f"<tr><td>{_question(example)}</td>{replies}</tr>"
    yield "</table>\n\n</details>\n"


def _question(example: Example) -> str:
    """Return the question, its verdict, and the true answer behind a fold."""
    parts = [_inline(example.heading), *([escape(example.verdict.text)] if example.verdict else [])]
    target = ""
    if example.target is not None:
        target = f"<details><summary>The true answer</summary>{_inline(example.target)}</details>"
    return "<br>".join(parts) + target


def _reply_cell(reply: ShownReply) -> str:
    """Return a reply with its marks and its grades."""
    first_answer = f"{_inline(cell(reply.first_answer))}; " if reply.first_answer is not None else ""
    replacement = ""
    if reply.error is not None:
        replacement = _inline(reply.error)
    elif not reply.pieces:
        replacement = "(an empty answer)"
    more = f"… and {reply.more_characters:,} more characters" if reply.more_characters else ""
    grades = [*reply.notes, *([reply.verdict.text] if reply.verdict else [])]
    grades_line = f"<br><i>{escape(', '.join(grades))}</i>" if grades else ""
    return f"{first_answer}{replacement}{_marked(reply.pieces)}{more}{grades_line}"


def _marked(pieces: Sequence[Piece]) -> str:
    return "".join(map(_piece, pieces))


def _piece(piece: Piece) -> str:
    text = _inline(piece.text)
    if piece.quoted:
        text = f"<mark>{text}</mark>"
    element = _ELEMENTS.get(piece.kind)
    return f"<{element}>{text}</{element}>" if element else text


def _inline(text: str) -> str:
    """Escape a text for a line of HTML within Markdown."""
    return "".join(f"&#{ord(char)};" if char in "`*_[]|\\" else char for char in escape(text)).replace("\n", "<br>")
