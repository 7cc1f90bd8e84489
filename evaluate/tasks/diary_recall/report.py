"""The diary-recall part of a report: its headline and sample answers.

An answer is split into pieces that a page can colour: right, wrong, beyond the end, quoted.
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


_MAX_COHORTS = 6
_LEGEND = (
    Piece("Right", "right"),
    Piece("wrong", "wrong"),
    Piece("beyond the last entry", "beyond"),
    Piece("another diarist's title", "foreign"),
    Piece("repeated", "repeated"),
)


def exhibits(connection: Connection) -> list[Exhibit]:
    """Return right and wrong answers of each cohort, with the spans that the first portrait finds in its corpus."""
    name, portrait = next(iter(connection.portraits.items()), (None, None))
    examples_by_group: dict[str, list[Example]] = {}
    for row in labelled_rows(connection, "sample_answers"):
        examples_by_group.setdefault(row["label"], []).append(_example(row, portrait))
    if not examples_by_group:
        return []
    groups = [ExampleGroup(label, examples) for label, examples in list(examples_by_group.items())[:_MAX_COHORTS]]
    quoted = [] if name is None else [Piece(f"quoted from {name}", quoted=True)]
    legend = [piece for mark in (*_LEGEND, *quoted) for piece in (mark, Piece(" "))][:-1]
    title = "What do right and wrong answers look like?"
    return [Exhibit("answers", title, legend, groups, find_query("sample_answers", connection.tasks))]


def _example(row: Row, portrait: "Portrait | None") -> Example:
    verdict = Verdict(row["reason"], row["reason"] == "right")
    return Example(row["diarist"], [_reply(row, portrait)], verdict, [f"one of {row['n']:,}"], row["target"])


def _reply(row: Row, portrait: "Portrait | None") -> ShownReply:
    generation = row["generation"] or ""
    text = generation[:LONGEST_REPLY]
    kinds = list(_kinds(text, cut(row["target"])[1]))
    spans = [(span.start, span.end) for span in portrait.quotes(text)] if portrait is not None and text else []
    return ShownReply("", tuple(_pieces(text, kinds, spans)), len(generation) - len(text), error=row["error"])


def _kinds(text: str, target: tuple[Document, ...]) -> Iterator[str]:
    """Yield the kind of each line of an answer, such as ``right``; an empty text for formatting and remarks."""
    answer = read_answer(text, target)
    expected_sentences = {(document.diarist, document.number): document.sentences for document in answer.target}
    fates = [item.fate for item in match(answer.recalled, answer.target) if item.place is not None]
    documents = iter(zip(answer.recalled, fates, strict=True))
    fate: Fate | None = None
    remaining: Iterator[str] = iter(())
    for line in text.split("\n") if text else []:
        bare = undressed(line) if answer.is_dressed else line
        if parse_title(bare):
            document, fate = next(documents)
            remaining = iter(expected_sentences.get((document.diarist, document.number), ()))
            yield "right" if fate in (Fate.correct, Fate.wrong) else fate.value
        elif answer.is_dressed and (not bare or is_remark(bare)):
            yield ""
        elif fate in (Fate.correct, Fate.wrong):
            yield "right" if bare == next(remaining, None) else "wrong"
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
    """Yield the lines of a text with their newlines; only a newline ends a line, as in :func:`cut`."""
    lines = text.split("\n")
    yield from (f"{line}\n" for line in lines[:-1])
    if lines[-1]:
        yield lines[-1]


_RANDOM = "guessing"
_SETTINGS = ("dataset_size", "trained_on")
_MAX_GAPS = 3  # if there are more, only the figure shows them
SETUPS = {
    "simplified": "all entries of a diarist were one document",
    "standard": "each diary entry was a document of its own",
}
"""The description of each setup of a corpus, by its name."""


def headline(report: Report) -> Headline | None:
    """Return the shares of exact answers, right entry counts and right entries; None if nothing was scored."""
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
    counts_by_cohort = {row["cohort"]: row for row in counts}
    findings = [
        _finding(row, accuracies, counts_by_cohort[row["cohort"]])
        for row in accuracies
        if row["accuracy"] is not None and row["cohort"] in counts_by_cohort
    ]
    gaps = report.rows_of("setup_gap")
    return Headline(findings, shown_measures, [_note(gap, gaps) for gap in gaps] if len(gaps) <= _MAX_GAPS else [])


def _entries(row: Row) -> Number:
    n = "n_documents"
    return number(row["label"], row, "document_recall", n_graded=n, n=n, chance=None, of=n)


def _finding(row: Row, rows: Sequence[Row], counts: Row) -> Finding:
    """Return the finding on a cohort: the shares of diaries recalled whole, and with the right number of entries."""
    whole_diaries = number("whole diaries", row, "accuracy", of="n_graded", chance=None)
    right_counts = number("number of entries", counts, "right_count")
    subject = (
        f"When {SETUPS[row['setup']]} (“{row['setup']}”), it"
        if row["setup"] in SETUPS and len({other["setup"] for other in rows}) > 1
        else "It"
    )
    sentence = f"{subject} recalls {rounded(row['accuracy'])} of diaries whole"
    if right_counts.value is not None:
        sentence += f", and the right number of entries for {rounded(right_counts.value)}"
    peers = [other for other in rows if other["model_label"] == row["model_label"]]
    settings = [_without_setup(other) for other in peers]
    distinction = setting(settings[peers.index(row)], settings, *_SETTINGS)
    return Finding(
        row["model_label"],
        _verdict(whole_diaries, right_counts),
        f"{sentence}.",
        [whole_diaries, right_counts],
        _RANDOM,
        distinction,
    )


def _without_setup(row: Row) -> Row:
    """Return a row without the settings that only repeat its setup, which the sentence already names."""
    return {name: None if row[name] == row["setup"] else row[name] for name in _SETTINGS}


def _verdict(whole_diaries: Number, right_counts: Number) -> Verdict:
    """Return "yes" only if the model mostly recalls both the number of entries and the entries themselves."""
    verdict = against_chance(right_counts)
    return PARTLY if verdict == YES and not (whole_diaries.low or 0) > 1 / 2 else verdict


def _note(gap: Row, gaps: Sequence[Row]) -> Note:
    size = setting(gap, gaps, "dataset_size")
    name = f"{gap['model_label']}{size and ', '}{size}: " if len(gaps) > 1 else ""
    begin = "the" if name else "The"
    return Note(
        f"{name}{begin} effect of one document per diarist on diaries recalled whole:",
        f"{points(gap['gap'])} points",
        f"95%: {points(gap['low'])} to {points(gap['high'])}",
    )
