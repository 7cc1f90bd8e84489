"""Replies under the null prompt and under another, side by side, cut into pieces so that quotes can be marked."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from selfknow.errors import UserError
from selfknow.evaluate.report.answers import LONGEST, visible
from selfknow.evaluate.report.gather import Report, Row

if TYPE_CHECKING:
    from selfknow.portraits import Portrait

SHORT = "short"  # the format whose explanation stands behind the first semicolon


@dataclass(frozen=True)
class Reply:
    """A reply to a question.

    Attributes:
        pieces: Its text, each piece with whether the corpus has it.
        more_characters: How many are not shown.
        quip: The share of its explanation that is quoted.
        first_answer: What the first of two steps answered.
        answer_score: How good its answer is, from 0 to 1.
    """

    pieces: tuple[tuple[str, bool], ...]
    more_characters: int
    quip: float
    first_answer: str | None
    answer_score: float | None


@dataclass(frozen=True)
class Pair:
    """A question's replies under both prompts.

    Attributes:
        row: The row of ``according_to_examples``.
        plain: Under the null prompt.
        prompted: Under the other one.
    """

    row: Row
    plain: Reply
    prompted: Reply


@dataclass(frozen=True)
class Replies:
    """The pairs of one run, model and prompt.

    Attributes:
        label: Run and model, as far as there are several.
        prompt: The prompt's id.
        kind: grounding, anti-grounding.
        portrait: By which quotes are marked; null where it is not at hand.
        lacking: What to do about that.
        pairs: The questions, the largest change first.
    """

    label: str
    prompt: str
    kind: str
    portrait: str | None
    lacking: str | None
    pairs: tuple[Pair, ...]


def side_by_side(report: Report, portraits: "Mapping[str, Portrait]") -> list[Replies]:
    """The pairs of a report, by run, model and prompt.

    Args:
        report: What is reported.
        portraits: Portraits by name; one with the bits of a run's own goes before the place that the run names.
    """
    found: dict[tuple[str, str, str], list[Row]] = {}
    for row in report.pairs:
        found.setdefault((row["run_id"], row["model_label"], row["prompt"]), []).append(row)
    own = {run["run_id"]: _portrait_of(run, portraits) for run in report.runs if run["task"] == "according-to"}
    labels = {key: _label(rows[0], report.pairs) for key, rows in found.items()}
    return [_replies(labels[key], rows, *own[key[0]]) for key, rows in found.items()]


def _label(row: Row, rows: Sequence[Row]) -> str:
    columns = [column for column in ("dataset", "format") if len({other[column] for other in rows}) > 1]
    return " · ".join([row["model_label"], *(str(row[column]) for column in columns)])


def _portrait_of(run: Row, portraits: "Mapping[str, Portrait]") -> "tuple[str | None, Portrait | None]":
    """The portrait that a run was made with, and what it is called; where it is not at hand the name alone."""
    settings = json.loads(run["settings"] or "{}")
    named = settings.get("portrait") if isinstance(settings, dict) else None
    if not isinstance(named, dict):
        return None, None
    name, sha256 = str(named.get("name")), named.get("sha256")
    for given, portrait in portraits.items():
        if portrait.description.sha256 == sha256:
            return given, portrait
    found = _at(Path(name))
    return name, found if found is not None and found.description.sha256 == sha256 else None


def _at(folder: Path) -> "Portrait | None":
    from selfknow.portraits import Portrait

    if not folder.is_dir():
        return None
    try:
        return Portrait.load(folder)
    except UserError:
        return None


def _replies(label: str, rows: Sequence[Row], name: str | None, portrait: "Portrait | None") -> Replies:
    lacking = None
    if portrait is None:
        lacking = f"quotes are not marked: the portrait {name} is not at hand (--portrait NAME=FOLDER names its place)"
    known = Path(name).name if name and portrait is not None else None
    pairs = tuple(Pair(row, _reply(row, "null_", portrait), _reply(row, "", portrait)) for row in rows)
    return Replies(label, rows[0]["prompt"], rows[0]["kind"], known, lacking, pairs)


def _reply(row: Row, which: str, portrait: "Portrait | None") -> Reply:
    whole = row[f"{which}reply"]
    start = _explanation_start(whole) if row["format"] == SHORT else 0
    spans = [] if portrait is None else [(start + one.start, start + one.end) for one in portrait.quotes(whole[start:])]
    return Reply(
        tuple(_pieces(whole[:LONGEST], spans)),
        max(0, len(whole) - LONGEST),
        row[f"{which}quip"],
        row[f"{which}first_answer"],
        row[f"{which}answer_score"],
    )


def _explanation_start(reply: str) -> int:
    """Where what is measured begins: behind the first semicolon and the white space after it."""
    return len(reply) - len(reply.partition(";")[2].lstrip())


def _pieces(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[str, bool]]:
    end = 0
    for first, last in _joined(spans):
        if first >= len(text):
            break
        if first > end:
            yield visible(text[end:first]), False
        end = min(last, len(text))
        yield visible(text[first:end]), True
    if end < len(text):
        yield visible(text[end:]), False


def _joined(spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Spans that overlap, as one."""
    first = last = 0
    for start, end in sorted(spans):
        if start > last:
            if last > first:
                yield first, last
            first = start
        last = max(last, end)
    if last > first:
        yield first, last
