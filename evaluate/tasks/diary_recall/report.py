"""The part of a report on diary recall: how many diaries are recalled exactly, its charts, and sample answers.

An answer is cut into pieces that a page can colour: right, wrong, beyond the end, quoted.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from selfknow.evaluate.tasks.diary_recall.documents import Document, Fate, cut, match, parse_title
from selfknow.evaluate.tasks.diary_recall.typography import is_remark, read_answer, undressed
from selfknow.report.gather import Report
from selfknow.report.grouping import setting
from selfknow.report.labels import labelled_rows
from selfknow.report.numbers import beside_chance, measures, number
from selfknow.report.shape import (
    Example,
    ExampleGroup,
    Exhibit,
    Headline,
    Note,
    Number,
    Piece,
    Row,
    ShownReply,
    Verdict,
)
from selfknow.report.text import LONGEST_REPLY, visible
from selfknow.sql.connection import Connection
from selfknow.sql.queries import find_query

if TYPE_CHECKING:
    from selfknow.portraits import Portrait


_MOST_COHORTS = 6
_LEGEND = (
    Piece("Right", "right"),
    Piece("wrong", "wrong"),
    Piece("beyond the last entry", "beyond"),
    Piece("another diarist's title", "foreign"),
    Piece("repeated", "repeated"),
)


def exhibits(connection: Connection) -> list[Exhibit]:
    """Show right and wrong answers of each cohort; mark the spans that the first portrait finds in its corpus."""
    name, portrait = next(iter(connection.portraits.items()), (None, None))
    examples_by_group: dict[str, list[Example]] = {}
    for row in labelled_rows(connection, "sample_answers"):
        examples_by_group.setdefault(row["label"], []).append(_example(row, portrait))
    if not examples_by_group:
        return []
    groups = [ExampleGroup(label, examples) for label, examples in list(examples_by_group.items())[:_MOST_COHORTS]]
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
    """Yield the kind of each line of an answer; an empty text if it is only formatting or a remark."""
    answer = read_answer(text, target)
    wanted = {(document.diarist, document.number): document.sentences for document in answer.target}
    fates = [item.fate for item in match(answer.recalled, answer.target) if item.place is not None]
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
    """Yield the lines with their newlines, split as :func:`cut` splits them."""
    lines = text.split("\n")
    yield from (f"{line}\n" for line in lines[:-1])
    if lines[-1]:
        yield lines[-1]


_GAPS = 3  # if there are more, only the figure shows them


def headline(report: Report) -> Headline | None:
    """Return the shares of exact answers, right entry counts and right entries; null if nothing was scored."""
    exact = [number(row["label"], row, "accuracy") for row in report.rows_of("accuracy_by_size")]
    graded = [item for item in exact if item.value is not None]
    counts = [number(row["label"], row, "right_count") for row in report.rows_of("count_and_content")]
    entries = [
        number(row["label"], row, "document_recall", n_graded="n_documents", n="n_documents", chance=None)
        for row in report.rows_of("count_content_and_documents")
    ]
    if not exact:
        return None
    shown_measures = measures(
        report,
        ("Whole answers exactly right", "accuracy_by_size", exact),
        ("The right number of entries", "count_and_content", counts),
        ("Entries right, whatever their formatting", "count_content_and_documents", entries),
    )
    gaps = report.rows_of("setup_gap")
    return Headline(
        _sentence(graded, gaps),
        None if exact[0].value is None else f"recalls {_share(exact[0])} of diaries exactly{beside_chance(exact[0])}",
        shown_measures,
        [_note(gap, gaps) for gap in gaps] if len(gaps) <= _GAPS else [],
        first_is_large=True,
    )


def _sentence(numbers: Sequence[Number], gaps: Sequence[Row]) -> str:
    if not numbers:
        return "Nothing has been scored yet."
    if len(gaps) == 1 and len(numbers) == 2:
        together, apart = (_find_number(numbers, gaps[0][f"accuracy_{setup}"]) for setup in ("simplified", "standard"))
        return (
            f"{_share(together)} of diaries recalled exactly when each was one document{beside_chance(together)}, "
            f"{_share(apart)} when each entry was a document of its own{beside_chance(apart)}."
        )
    best = max(numbers, key=_value)
    if len(numbers) == 1:
        return f"{best.label} recalls {_share(best)} of diaries exactly{beside_chance(best)}."
    below = sum(item.is_below_chance for item in numbers)
    return f"{best.label} recalls the most: {_share(best)} of diaries exactly{beside_chance(best)}." + (
        f" {below} of {len(numbers)} are below chance." if below else ""
    )


def _find_number(numbers: Sequence[Number], value: float) -> Number:
    return next(item for item in numbers if item.value == value)


def _share(number: Number) -> str:
    return f"{_value(number):.0%}"


def _value(number: Number) -> float:
    assert number.value is not None, "a headline number has a value"
    return number.value


def _note(gap: Row, gaps: Sequence[Row]) -> Note:
    size = setting(gap, gaps, "dataset_size")
    return Note(
        f"{gap['model_label']}{size and ', '}{size}: one document per diary instead of several changes accuracy by",
        f"{gap['gap'] * 100:+.0f} points",
        f"{gap['low'] * 100:+.0f} to {gap['high'] * 100:+.0f}",
    )
