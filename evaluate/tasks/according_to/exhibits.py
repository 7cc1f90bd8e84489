"""Replies to according-to under the null prompt and under another, side by side, their quotes marked."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from selfknow.errors import UserError
from selfknow.report.grouping import joined, setting
from selfknow.report.labels import labelled_rows
from selfknow.report.paths import last_part
from selfknow.report.shape import Example, ExampleGroup, Exhibit, Piece, Row, ShownReply, Verdict
from selfknow.report.text import LONGEST_REPLY, cell, percent, points, visible
from selfknow.sql.connection import Connection
from selfknow.sql.queries import find_query

if TYPE_CHECKING:
    from selfknow.portraits import Portrait

SHORT = "short"  # the format whose explanation stands after the first semicolon
_QUERY = "according_to_examples"
_ANSWERS = 3  # accepted answers that are named
_LEGEND = (
    Piece("Quoted from the corpus", quoted=True),
    Piece(
        ", as far as QUIP measures it: a reply's explanation. What is not marked are the model's own words.",
    ),
)


def exhibits(connection: Connection) -> list[Exhibit]:
    """Return the replies of each run, model and prompt beside those under the null prompt, the largest change first.

    If the connection has a portrait with a run's SHA-256, that one is used; otherwise the one at the path that the run
    recorded.
    """
    rows = labelled_rows(connection, _QUERY)
    if not rows:
        return []
    rows_of_prompt: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        rows_of_prompt.setdefault((row["run_id"], row["model_label"], row["prompt"]), []).append(row)
    runs = connection.rows("select run_id, settings from runs where task = 'according-to'")
    own = {run["run_id"]: _portrait_of(run, connection.portraits) for run in runs}
    groups = [_group(of_prompt, rows, *own[run_id]) for (run_id, _, _), of_prompt in rows_of_prompt.items()]
    query = find_query(_QUERY, connection.tasks)
    return [
        Exhibit(
            "replies",
            "What do replies look like, without and with the prompt?",
            _LEGEND,
            groups,
            query,
            f"{query.source}: of every prompt the questions whose QUIP changes most, least, and in the middle",
        )
    ]


def _portrait_of(run: Row, portraits: "Mapping[str, Portrait]") -> "tuple[str | None, Portrait | None]":
    """Return the name of the portrait that a run was made with, and the portrait, or None if it is not at hand."""
    settings = json.loads(run["settings"] or "{}")
    named = settings.get("portrait") if isinstance(settings, dict) else None
    if not isinstance(named, dict):
        return None, None
    name, sha256 = str(named.get("name")), named.get("sha256")
    for label, portrait in portraits.items():
        if portrait.description.sha256 == sha256:
            return label, portrait
    portrait_there = _at(Path(name))
    return name, portrait_there if portrait_there is not None and portrait_there.description.sha256 == sha256 else None


def _at(folder: Path) -> "Portrait | None":
    from selfknow.portraits import Portrait

    if not folder.is_dir():
        return None
    try:
        return Portrait.load(folder)
    except UserError:
        return None


def _group(rows: Sequence[Row], all_rows: Sequence[Row], name: str | None, portrait: "Portrait | None") -> ExampleGroup:
    first = rows[0]
    label = joined(first["model_label"], setting(first, all_rows, "dataset", "format"))
    notes, lacking = [first["kind"], label], None
    if portrait is None:
        called = "" if name is None else f" {last_part(name)}"
        lacking = f"quotes are not marked: the portrait{called} is not at hand (--portrait NAME=FOLDER names its place)"
    elif name:
        notes.append(f"quotes from {Path(name).name}")
    return ExampleGroup(first["prompt"], [_example(row, portrait) for row in rows], notes, lacking)


def _example(row: Row, portrait: "Portrait | None") -> Example:
    change = Verdict("quotes more", is_good=True) if row["change"] > 0 else Verdict("quotes less", is_good=False)
    if row["change"] == 0:
        change = Verdict("no change", is_good=None)
    notes = [f"{points(row['change'])} points, change {row['change_rank']} of {row['n_pairs']:,}"]
    if row["answers"]:
        notes.append(f"wanted: {cell(', '.join(row['answers'][:_ANSWERS]))}")
    replies = [_reply(row, "null", "null_", portrait), _reply(row, row["prompt"], "", portrait)]
    return Example(row["question"] or "", replies, change, notes)


def _reply(row: Row, prompt: str, which: str, portrait: "Portrait | None") -> ShownReply:
    whole = row[f"{which}reply"]
    start = _explanation_start(whole) if row["format"] == SHORT else 0
    spans = (
        []
        if portrait is None
        else [(start + quote.start, start + quote.end) for quote in portrait.quotes(whole[start:])]
    )
    score, first = row[f"{which}answer_score"], row[f"{which}first_answer"]
    notes, verdict = [f"QUIP {percent(row[f'{which}quip'])}"], None
    if score is not None and row["answer_metric"] == "exact_match":
        verdict = Verdict("right" if score == 1 else "wrong", score == 1)
    elif score is not None:
        notes.append(f"ROUGE-L {percent(score)}")
    return ShownReply(
        prompt,
        tuple(_pieces(whole[:LONGEST_REPLY], spans)),
        max(0, len(whole) - LONGEST_REPLY),
        verdict,
        notes,
        first_answer=first,
    )


def _explanation_start(reply: str) -> int:
    """Return the start of the measured part: after the first semicolon and white space."""
    return len(reply) - len(reply.partition(";")[2].lstrip())


def _pieces(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    end = 0
    for first, last in _joined(spans):
        if first >= len(text):
            break
        if first > end:
            yield Piece(visible(text[end:first]))
        end = min(last, len(text))
        yield Piece(visible(text[first:end]), quoted=True)
    if end < len(text):
        yield Piece(visible(text[end:]))


def _joined(spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the spans in order, with overlapping and adjacent ones merged."""
    first = last = 0
    for start, end in sorted(spans):
        if start > last:
            if last > first:
                yield first, last
            first = start
        last = max(last, end)
    if last > first:
        yield first, last
