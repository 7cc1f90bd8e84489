"""One model, all questions: the first numbers of every task in one plot, and as a section of a model card.

Each number is a task's own (:class:`selfknow.report.shape.Headline`), with its interval and chance line. What
a paper printed stands beside it only where a query finds the same model, asked the same questions in the same way:
those queries are called ``…_published``, and say it in ``is_same_model``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfknow.errors import UserError
from selfknow.report import charts
from selfknow.report.gather import Report
from selfknow.report.shape import Measure, Number, Panel
from selfknow.report.text import percent, points
from selfknow.sql.connection import Connection
from selfknow.sql.queries import queries, query_rows
from selfknow.version import __version__

_LONGEST_LABEL = 360  # in pixels
_MODEL, _PAPER = "this model", "the paper's number"


@dataclass(frozen=True)
class Printed:
    """A number that a paper prints of the same model, the same questions and the same setting.

    Attributes:
        task: The task's name.
        name: What it measures, and where it stands.
        value: A share.
        n: How many questions it is over; null where the paper does not say.
    """

    task: str
    name: str
    value: float
    n: int | None


def printed_numbers(connection: Connection) -> list[Printed]:
    """The papers' numbers of the models that were asked here, where setting and data are the same."""
    tasks = {row["task"] for row in connection.rows("select distinct task from runs")}
    found = []
    for name, query in queries(connection.tasks).items():
        if not name.endswith("_published") or query.task not in tasks:
            continue
        try:
            rows = query_rows(connection, name)
        except UserError:  # what it needs is not there: then nothing can be compared
            continue
        for row in rows:
            is_same = row.get("is_same_model") and row.get("is_same_setting", False)
            if is_same and row["published"] is not None:
                what = f"{row['column']}, {row['table'].replace('-', ' ')}"
                found.append(Printed(str(query.task), what, float(row["published"]), row["published_n"]))
    return found


def panels(report: Report, printed: Sequence[Printed] = ()) -> list[Panel]:
    """A chart a task: a dot a measure, with its interval and a tick for chance; changes stand apart from shares."""
    found = []
    for task in report.tasks:
        headline = task.headline(report)
        if headline is None:
            continue
        for is_change in (False, True):
            rows = [
                _dot(measure, number, headline.measures)
                for measure in headline.measures
                if measure.goes_below_zero == is_change
                for number in measure.numbers
                if number.value is not None
            ]
            if not is_change:
                rows += [_printed_dot(one) for one in printed if one.task == task.name]
            if rows:
                title = "change" if is_change else "share"
                chart = charts.dots(rows, "share", hue="whose", hues=(_MODEL, _PAPER), title=title, narrow=is_change)
                found.append(Panel("" if is_change else task.question, chart, group=""))
    return found


def _dot(measure: Measure, number: Number, measures: Sequence[Measure]) -> dict[str, Any]:
    several = any(len(one.numbers) > 1 for one in measures)
    return {
        "label": f"{measure.name} · {number.label}" if several else measure.name,
        "share": _float(number.value),
        "low": _float(number.low),
        "high": _float(number.high),
        "chance": 0.0 if measure.is_change and number.chance is None else _float(number.chance),
        "n": number.n,
        "n_graded": number.n_graded,
        "whose": _MODEL,
    }


def _float(value: float | None) -> float | None:
    """SQL's decimal literals, such as a chance line of 0.0, are no numbers to a chart."""
    return None if value is None else float(value)


def _printed_dot(one: Printed) -> dict[str, Any]:
    return {
        "label": f"{one.name} (printed)",
        "share": one.value,
        "low": None,
        "high": None,
        "chance": None,
        "n": one.n,
        "whose": _PAPER,
    }


def write_plot(report: Report, printed: Sequence[Printed], path: Path) -> None:
    """Write the plot as SVG or PNG, as the file's name ends.

    Raises:
        UserError: Nothing was graded.
    """
    from selfknow.report.pictures import composed, write_picture

    drawn = panels(report, printed)
    if not drawn:
        raise UserError("nothing was graded, so there is nothing to plot")
    chart = composed(report.queries["overview"], drawn)
    subtitle = "with 95% intervals; the tick is chance, and for a change no change"
    wide = {"axisY": {"labelLimit": _LONGEST_LABEL}}
    write_picture({**chart, "title": {"text": _title(report), "subtitle": subtitle}, "config": wide}, path)


def _title(report: Report) -> str:
    names = sorted(set(report.labels.models.values()))
    return f"What {names[0] if len(names) == 1 else f'{len(names)} models'} knows about what it knows"


def card(report: Report, printed: Sequence[Printed], *, command: str, not_asked: Sequence[str] = ()) -> str:
    """The section of a model card, in Markdown.

    Args:
        report: What was asked.
        printed: The papers' numbers beside it.
        command: What was run.
        not_asked: Why a question was not asked, a line each.
    """
    lines = [
        "## What the model knows about what it knows",
        "",
        (
            f"Measured with selfknow {__version__}: `{command}`. Brackets hold 95% intervals; chance is what could be "
            "had without knowing anything."
        ),
        "",
        "| question | measure | result | chance | n |",
        "| --- | --- | --- | --- | --- |",
        *_rows(report, printed),
        "",
        *_how(report),
        *(f"- Not asked: {line}" for line in not_asked),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _rows(report: Report, printed: Sequence[Printed]) -> Iterator[str]:
    for task in report.tasks:
        headline = task.headline(report)
        for measure in headline.measures if headline else ():
            shown = points if measure.goes_below_zero else percent
            for number in measure.numbers:
                if number.value is None:
                    continue
                ends = "" if number.low is None else f" [{shown(number.low)}, {shown(number.high)}]"
                unit = " points" if shown is points else ""
                chance = "" if number.chance is None else shown(number.chance)
                of = f"{number.n_graded:,}" + ("" if number.n == number.n_graded else f" of {number.n:,}")
                yield _line(task.question, _named(measure, number), f"{shown(number.value)}{unit}{ends}", chance, of)
        for one in printed:
            if one.task == task.name:
                yield _line(task.question, f"{one.name} (printed)", percent(one.value), "", str(one.n or ""))


def _named(measure: Measure, number: Number) -> str:
    return measure.name if len(measure.numbers) == 1 else f"{measure.name} ({number.label})"


def _line(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _how(report: Report) -> Iterator[str]:
    """How each task was asked: its questions, and how replies were drawn."""
    for run in report.runs:
        asked = f"{run['task']}: {run['dataset']}{':' + run['config'] if run['config'] else ''}"
        content = f", content {run['content_hash'][:12]}" if run["content_hash"] else ""
        yield f"- {asked}{content}; decoding {run['decoding']}"
