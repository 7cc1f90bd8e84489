"""Exhibits of according-to: replies under the null prompt and another prompt, side by side, with quotes marked."""

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

SHORT = "short"  # the format with the explanation after the first semicolon
_QUERY = "according_to_examples"
_MAX_ANSWERS = 3  # accepted answers to show
_LEGEND = (
    Piece("Quoted from the corpus", quoted=True),
    Piece(
        ", within the explanation, which is the part that QUIP measures. Unmarked words are the model's own.",
    ),
)


def exhibits(connection: Connection) -> list[Exhibit]:
    """Return pairs of replies of each run, model and prompt: under the null prompt and under the prompt itself.

    The pair with the largest change in QUIP is first. Quotes are marked with the run's portrait: one of the connection
    with the same SHA-256, or else the one at the path that the run recorded.
    """
    rows = labelled_rows(connection, _QUERY)
    if not rows:
        return []
    rows_of_prompt: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        rows_of_prompt.setdefault((row["run_id"], row["model_label"], row["prompt"]), []).append(row)
    runs = connection.rows("select run_id, settings from runs where task = 'according-to'")
    portraits = {run["run_id"]: _portrait_of(run, connection.portraits) for run in runs}
    groups = [_group(group, rows, *portraits[run_id]) for (run_id, _, _), group in rows_of_prompt.items()]
    query = find_query(_QUERY, connection.tasks)
    return [
        Exhibit(
            "replies",
            "What do replies look like, without and with the prompt?",
            _LEGEND,
            groups,
            query,
            f"{query.source}: for every prompt, the questions with the largest, smallest and median change in QUIP",
        )
    ]


def _portrait_of(run: Row, portraits: "Mapping[str, Portrait]") -> "tuple[str | None, Portrait | None]":
    """Return the name of a run's portrait, and the portrait itself; None for a portrait that cannot be found."""
    settings = json.loads(run["settings"] or "{}")
    description = settings.get("portrait") if isinstance(settings, dict) else None
    if not isinstance(description, dict):
        return None, None
    name, sha256 = str(description.get("name")), description.get("sha256")
    for label, portrait in portraits.items():
        if portrait.description.sha256 == sha256:
            return label, portrait
    recorded = _load_if_portrait(Path(name))
    has_same_bits = recorded is not None and recorded.description.sha256 == sha256
    return name, recorded if has_same_bits else None


def _load_if_portrait(folder: Path) -> "Portrait | None":
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
    notes, warning = [first["kind"], label], None
    if portrait is None:
        portrait_name = "" if name is None else f" {last_part(name)}"
        warning = f"quotes are not marked: add the portrait{portrait_name} with --portrait NAME=FOLDER"
    elif name:
        notes.append(f"quotes from {Path(name).name}")
    return ExampleGroup(first["prompt"], [_example(row, portrait) for row in rows], notes, warning)


def _example(row: Row, portrait: "Portrait | None") -> Example:
    change = Verdict("quotes more", is_good=True) if row["change"] > 0 else Verdict("quotes less", is_good=False)
    if row["change"] == 0:
        change = Verdict("no change", is_good=None)
    notes = [f"{points(row['change'])} points, change {row['change_rank']} of {row['n_pairs']:,}"]
    if row["answers"]:
        notes.append(f"expected: {cell(', '.join(row['answers'][:_MAX_ANSWERS]))}")
    replies = [_reply(row, "null", "null_", portrait), _reply(row, row["prompt"], "", portrait)]
    return Example(row["question"] or "", replies, change, notes)


def _reply(row: Row, prompt: str, prefix: str, portrait: "Portrait | None") -> ShownReply:
    reply = row[f"{prefix}reply"]
    start = _explanation_start(reply) if row["format"] == SHORT else 0
    quotes = [] if portrait is None else portrait.quotes(reply[start:])
    spans = [(start + quote.start, start + quote.end) for quote in quotes]
    score, first = row[f"{prefix}answer_score"], row[f"{prefix}first_answer"]
    notes, verdict = [f"QUIP {percent(row[f'{prefix}quip'])}"], None
    if score is not None and row["answer_metric"] == "exact_match":
        verdict = Verdict("right" if score == 1 else "wrong", score == 1)
    elif score is not None:
        notes.append(f"ROUGE-L {percent(score)}")
    return ShownReply(
        prompt,
        tuple(_pieces(reply[:LONGEST_REPLY], spans)),
        max(0, len(reply) - LONGEST_REPLY),
        verdict,
        notes,
        first_answer=first,
    )


def _explanation_start(reply: str) -> int:
    """Return the index of the explanation's first character: after the first semicolon and white space."""
    return len(reply) - len(reply.partition(";")[2].lstrip())


def _pieces(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    end = 0
    for first, last in _merged(spans):
        if first >= len(text):
            break
        if first > end:
            yield Piece(visible(text[end:first]))
        end = min(last, len(text))
        yield Piece(visible(text[first:end]), quoted=True)
    if end < len(text):
        yield Piece(visible(text[end:]))


def _merged(spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
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
