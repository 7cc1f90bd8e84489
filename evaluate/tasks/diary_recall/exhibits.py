"""Sample answers of diary recall, cut into pieces that a page can colour: right, wrong, beyond the end, quoted."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from selfknow.evaluate.tasks.diary_recall.documents import Document, cut, parse_title
from selfknow.evaluate.tasks.diary_recall.matching import Fate, match
from selfknow.evaluate.tasks.diary_recall.typography import is_remark, read_answer, undressed
from selfknow.report.labels import labelled_rows
from selfknow.report.shape import Example, ExampleGroup, Exhibit, Piece, Row, ShownReply, Verdict
from selfknow.report.text import LONGEST_REPLY, visible
from selfknow.sql.connection import Connection
from selfknow.sql.queries import find_query

if TYPE_CHECKING:
    from selfknow.portraits import Portrait

_COHORTS = 6
_LEGEND = (
    Piece("Right", "right"),
    Piece("wrong", "wrong"),
    Piece("beyond the last entry", "beyond"),
    Piece("another diarist's title", "foreign"),
    Piece("repeated", "repeated"),
)


def exhibits(connection: Connection) -> list[Exhibit]:
    """Right and wrong answers of each cohort; quoted spans are marked by the first of the portraits."""
    name, portrait = next(iter(connection.portraits.items()), (None, None))
    found: dict[str, list[Example]] = {}
    for row in labelled_rows(connection, "sample_answers"):
        found.setdefault(row["label"], []).append(_example(row, portrait))
    if not found:
        return []
    groups = [ExampleGroup(label, examples) for label, examples in list(found.items())[:_COHORTS]]
    quoted = [] if name is None else [Piece(f"quoted from {name}", quoted=True)]
    legend = [piece for mark in (*_LEGEND, *quoted) for piece in (mark, Piece(" "))][:-1]
    title = "What do right and wrong answers look like?"
    return [Exhibit("answers", title, legend, groups, find_query("sample_answers", connection.tasks))]


def _example(row: Row, portrait: "Portrait | None") -> Example:
    verdict = Verdict(row["reason"], row["reason"] == "right")
    return Example(row["diarist"], [_reply(row, portrait)], verdict, [f"one of {row['n']:,}"], row["target"])


def _reply(row: Row, portrait: "Portrait | None") -> ShownReply:
    whole = row["generation"] or ""
    text = whole[:LONGEST_REPLY]
    kinds = list(_kinds(text, cut(row["target"])[1]))
    spans = [(span.start, span.end) for span in portrait.quotes(text)] if portrait is not None and text else []
    return ShownReply("", tuple(_pieces(text, kinds, spans)), len(whole) - len(text), error=row["error"])


def _kinds(text: str, target: tuple[Document, ...]) -> Iterator[str]:
    """What each line of an answer is; empty where it only sets the others, or speaks of them."""
    answer = read_answer(text, target)
    wanted = {(document.diarist, document.number): document.sentences for document in answer.target}
    fates = [one.fate for one in match(answer.recalled, answer.target) if one.place is not None]
    documents = iter(zip(answer.recalled, fates, strict=True))
    fate: Fate | None = None
    rest: Iterator[str] = iter(())
    for line in text.split("\n") if text else []:
        bare = undressed(line) if answer.is_dressed else line
        if parse_title(bare):
            document, fate = next(documents)
            rest = iter(wanted.get((document.diarist, document.number), ()))
            yield "right" if fate in (Fate.correct, Fate.wrong) else fate.value
        elif answer.is_dressed and (not bare or is_remark(bare)):
            yield ""
        elif fate in (Fate.correct, Fate.wrong):
            yield "right" if bare == next(rest, None) else "wrong"
        else:
            yield "wrong" if fate is None else fate.value


def _pieces(text: str, kinds: Sequence[str], spans: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    start = 0
    for line, kind in zip(_lines(text), kinds, strict=False):
        end = start + len(line)
        edges = sorted({start, end, *(edge for span in spans for edge in span if start < edge < end)})
        for first, last in pairwise(edges):
            quoted = any(span[0] <= first and last <= span[1] for span in spans)
            yield Piece(visible(text[first:last]), kind, quoted)
        start = end


def _lines(text: str) -> Iterator[str]:
    """The lines as cutting has them, each with its newline."""
    lines = text.split("\n")
    yield from (f"{line}\n" for line in lines[:-1])
    if lines[-1]:
        yield lines[-1]
