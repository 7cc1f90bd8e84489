"""The headline numbers of every task for a model, in one plot and in a section of its model card.

The numbers come from the tasks' headlines (:class:`selfknow.report.shape.Headline`), with intervals and chance lines. A
paper's printed number stands beside them only if it is about the same model, the same questions and the same setting.
The queries named ``…_published`` decide this in ``is_same_model`` and ``is_same_setting``.
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

_MODEL, _PAPER = "this model", "the paper's number"


@dataclass(frozen=True)
class Printed:
    """A number that a paper prints for the same model, the same questions and the same setting.

    Attributes:
        task: The task's name.
        name: The paper's column and table, such as ``F1, table 2``.
        value: A share.
        n: The number of questions; null if the paper does not state it.
    """

    task: str
    name: str
    value: float
    n: int | None


def printed_numbers(connection: Connection) -> list[Printed]:
    """Return the papers' numbers for the models of these runs, if settings and questions are the same."""
    tasks = {row["task"] for row in connection.rows("select distinct task from runs")}
    numbers = []
    for name, query in queries(connection.tasks).items():
        if not name.endswith("_published") or query.task not in tasks:
            continue
        try:
            rows = query_rows(connection, name)
        except UserError:  # the runs lack a view that the query reads, so there is nothing to compare
            continue
        for row in rows:
            is_same = row.get("is_same_model") and row.get("is_same_setting", False)
            if is_same and row["published"] is not None:
                label = f"{row['column']}, {row['table'].replace('-', ' ')}"
                numbers.append(Printed(str(query.task), label, float(row["published"]), row["published_n"]))
    return numbers


def panels(report: Report, printed: Sequence[Printed] = ()) -> list[Panel]:
    """Return a chart of shares and a chart of changes for each task.

    Each number is a dot with its interval and a tick for chance.
    """
    charts_of_tasks = []
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
                rows += [_printed_dot(row) for row in printed if row.task == task.name]
            if rows:
                title = "change" if is_change else "share"
                chart = charts.dots(rows, "share", hue="whose", hues=(_MODEL, _PAPER), title=title, narrow=is_change)
                charts_of_tasks.append(Panel("" if is_change else task.question, chart, group=""))
    return charts_of_tasks


def _dot(measure: Measure, number: Number, measures: Sequence[Measure]) -> dict[str, Any]:
    has_several_models = any(len(other.numbers) > 1 for other in measures)
    return {
        "label": f"{measure.name} · {number.label}" if has_several_models else measure.name,
        "share": _float(number.value),
        "low": _float(number.low),
        "high": _float(number.high),
        "chance": 0.0 if measure.is_change and number.chance is None else _float(number.chance),
        "counts": number.counts,
        "whose": _MODEL,
    }


def _float(value: float | None) -> float | None:
    """Turn a number into a float, because charts cannot read SQL's decimals, such as a chance line of 0.0."""
    return None if value is None else float(value)


def _printed_dot(printed: Printed) -> dict[str, Any]:
    return {
        "label": f"{printed.name} (printed)",
        "share": printed.value,
        "low": None,
        "high": None,
        "chance": None,
        "counts": None if printed.n is None else f"n = {printed.n:,}",
        "whose": _PAPER,
    }


def write_plot(report: Report, printed: Sequence[Printed], path: Path) -> None:
    """Write the plot as SVG or PNG, by the ending of the file's name.

    Raises:
        UserError: Nothing was graded.
    """
    from selfknow.report.pictures import compose, write_picture

    task_panels = panels(report, printed)
    if not task_panels:
        raise UserError("nothing was graded, so there is nothing to plot")
    chart = compose(report.queries["overview"], task_panels)
    subtitle = "Bars are 95% intervals. The tick marks chance, or no change."
    write_picture({**chart, "title": {"text": _title(report), "subtitle": subtitle}}, path)


def _title(report: Report) -> str:
    names = sorted(set(report.labels.models.values()))
    return f"What {names[0] if len(names) == 1 else f'{len(names)} models'} knows about what it knows"


def card(report: Report, printed: Sequence[Printed], *, command: str, not_asked: Sequence[str] = ()) -> str:
    """Return a section of a model card, in Markdown.

    Args:
        report: The report.
        printed: The papers' numbers for the same model.
        command: The command that was run.
        not_asked: A line for each question that was not asked, with the reason.
    """
    lines = [
        "## What the model knows about what it knows",
        "",
        (
            f"Measured with selfknow {__version__}: `{command}`. Brackets hold 95% intervals; chance is the result "
            "without any knowledge."
        ),
        "",
        "| question | measure | result | chance | counts |",
        "| --- | --- | --- | --- | --- |",
        *_rows(report, printed),
        "",
        *_run_lines(report),
        *(f"- Not asked: {line}" for line in not_asked),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _rows(report: Report, printed: Sequence[Printed]) -> Iterator[str]:
    for task in report.tasks:
        headline = task.headline(report)
        for measure in headline.measures if headline else ():
            formatted = points if measure.goes_below_zero else percent
            unit = " points" if measure.goes_below_zero else ""
            for number in measure.numbers:
                if number.value is None:
                    continue
                interval = "" if number.low is None else f" [{formatted(number.low)}, {formatted(number.high)}]"
                chance = "" if number.chance is None else formatted(number.chance)
                result = f"{formatted(number.value)}{unit}{interval}"
                yield _table_line(task.question, _measure_name(measure, number), result, chance, number.counts)
        for row in printed:
            if row.task == task.name:
                counts = "" if row.n is None else f"n = {row.n:,}"
                yield _table_line(task.question, f"{row.name} (printed)", percent(row.value), "", counts)


def _measure_name(measure: Measure, number: Number) -> str:
    return measure.name if len(measure.numbers) == 1 else f"{measure.name} ({number.label})"


def _table_line(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _run_lines(report: Report) -> Iterator[str]:
    """Yield a line per run: its questions and its decoding."""
    for run in report.runs:
        questions = f"{run['task']}: {run['dataset']}{':' + run['config'] if run['config'] else ''}"
        content = f", content {run['content_hash'][:12]}" if run["content_hash"] else ""
        yield f"- {questions}{content}; decoding {run['decoding']}"
