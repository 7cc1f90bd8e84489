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
from selfknow.report.numbers import PARTLY, YES, against_chance, measures, number
from selfknow.report.shape import (
    Example,
    ExampleGroup,
    Exhibit,
    Finding,
    Headline,
    Note,
    Number,
    Piece,
    Row,
    ShownReply,
    Verdict,
)
from selfknow.report.text import LONGEST_REPLY, points, rounded, visible
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


_RANDOM = "guessing"
_SETTINGS = ("dataset_size", "trained_on")
_GAPS = 3  # if there are more, only the figure shows them
SETUPS = {
    "simplified": "all entries of a diarist were one document",
    "standard": "each diary entry was a document of its own",
}
"""The setups of a corpus, in words."""


def headline(report: Report) -> Headline | None:
    """Return the shares of exact answers, right entry counts and right entries; null if nothing was scored."""
    accuracies, counts = report.rows_of("accuracy_by_size"), report.rows_of("count_and_content")
    if not accuracies:
        return None
    shown_measures = [
        *measures(
            report,
            (
                "The right number of entries",
                "count_and_content",
                [number(row["label"], row, "right_count") for row in counts],
            ),
            chance_name=_RANDOM,
        ),
        *measures(
            report,
            (
                "Whole diaries exactly right (the paper's number)",
                "accuracy_by_size",
                [number(row["label"], row, "accuracy", of="n_graded") for row in accuracies],
            ),
            (
                "Entries right, whatever their formatting",
                "count_content_and_documents",
                [_entries(row) for row in report.rows_of("count_content_and_documents")],
            ),
            chance_name="with every entry right, but a random number of them",
        ),
    ]
    count_of = {row["cohort"]: row for row in counts}
    findings = [
        _finding(row, accuracies, count_of[row["cohort"]])
        for row in accuracies
        if row["accuracy"] is not None and row["cohort"] in count_of
    ]
    gaps = report.rows_of("setup_gap")
    return Headline(findings, shown_measures, [_note(gap, gaps) for gap in gaps] if len(gaps) <= _GAPS else [])


def _entries(row: Row) -> Number:
    n = "n_documents"
    return number(row["label"], row, "document_recall", n_graded=n, n=n, chance=None, of=n)


def _finding(row: Row, rows: Sequence[Row], counts: Row) -> Finding:
    """Return how many diaries are recalled whole, and how often their number of entries is right."""
    whole = number("whole diaries", row, "accuracy", of="n_graded", chance=None)
    right = number("number of entries", counts, "right_count")
    when = (
        f"When {SETUPS[row['setup']]} (“{row['setup']}”), it"
        if row["setup"] in SETUPS and len({other["setup"] for other in rows}) > 1
        else "It"
    )
    sentence = f"{when} recalls {rounded(row['accuracy'])} of diaries whole"
    if right.value is not None:
        sentence += f", and the right number of entries for {rounded(right.value)}"
    peers = [other for other in rows if other["model_label"] == row["model_label"]]
    settings = [_without_setup(other) for other in peers]
    more = setting(settings[peers.index(row)], settings, *_SETTINGS)
    return Finding(row["model_label"], _verdict(whole, right), f"{sentence}.", [whole, right], _RANDOM, more)


def _without_setup(row: Row) -> Row:
    """Return a row without the settings that only repeat its setup, which the sentence says."""
    return {name: None if row[name] == row["setup"] else row[name] for name in _SETTINGS}


def _verdict(whole: Number, right: Number) -> Verdict:
    """Return "yes" only for a model that mostly recalls both the number of entries and the entries themselves."""
    verdict = against_chance(right)
    return PARTLY if verdict == YES and not (whole.low or 0) > 1 / 2 else verdict


def _note(gap: Row, gaps: Sequence[Row]) -> Note:
    size = setting(gap, gaps, "dataset_size")
    name = f"{gap['model_label']}{size and ', '}{size}: " if len(gaps) > 1 else ""
    begin = "the" if name else "The"
    return Note(
        f"{name}{begin} effect of one document per diarist on diaries recalled whole:",
        f"{points(gap['gap'])} points",
        f"95%: {points(gap['low'])} to {points(gap['high'])}",
    )
