"""The self-knowledge part of a report: its charts, with a sentence on how to read each."""

from collections.abc import Mapping, Sequence
from typing import Any

from selfknow.evaluate.tasks.self_knowledge.programs import NOT_RUN
from selfknow.report import charts
from selfknow.report.gather import Report
from selfknow.report.grouping import counts, dot, grouped, joined, one_share, preferred, setting
from selfknow.report.numbers import against_half, measures, number
from selfknow.report.shape import (
    Figure,
    Finding,
    Headline,
    Panel,
    Row,
)
from selfknow.report.text import listed, rounded
from selfknow.sql.connection import Connection

_MAX_MODELS = 20  # models in one chart


def expert_prompts(rows: Sequence[Row]) -> list[Panel]:
    """Draw Figure 4: self-consistency in counting words, with the plain and with the expert prompt."""
    expert_rows = [
        row
        for row in rows
        if row["task"] == "total-count" and row["style"] in ("plain", "expert") and row["consistent"] is not None
    ]
    panels = []
    for name, group in grouped(expert_rows, "wording").items():
        points = [
            one_share(row, _models_label(row), "consistent", "share", style=row["style"], leaking=row["n_leaking"])
            for row in group[: 2 * _MAX_MODELS]
        ]
        panels.append(Panel(name, charts.dots(points, "share", colour="style", title="self-consistent")))
    return panels


def _models_label(row: Row, *parts: str) -> str:
    """Return a label like ``writer, separate, asked verifier``; the verifier is left out if it is the writer."""
    return joined(row["generator"], *parts, f"asked {row['verifier']}" if row["verifier"] != row["generator"] else "")


STYLES = Figure(
    "Self-consistency, correct writing, correct reading, and all three at once, for each style of prompt: plain, "
    "expert and chain of thought. A text that states its own answer makes agreement easy, so it proves nothing.",
    shares=("consistent", "written", "read", "true"),
    named={"figure-4": expert_prompts},
    title="Styles of prompt",
)


_MAX_BARS = 40  # rows of one chart
_SHARES = {
    "consistent": "self-consistent",
    "written": "written rightly",
    "read": "read rightly",
    "understood": "all three at once",
}


def _summary(rows: Sequence[Row]) -> list[Panel]:
    groups = grouped(rows, "protocol", "wording", "style", "stage")
    panels = []
    for name, group in groups.items():
        dots = [
            {
                "label": row["generator"]
                if row["generator"] == row["verifier"]
                else f"{row['verifier']} on {row['generator']}",
                "measure": label,
                "share": row[value],
                "low": row[f"{value}_low"],
                "high": row[f"{value}_high"],
                **counts(row, value),
            }
            for row in group[:_MAX_BARS]
            for value, label in _SHARES.items()
            if row[value] is not None
        ]
        if dots:
            chart = charts.dots(dots, "share", colour="measure", title="share of graded texts")
            panels.append(Panel(name, chart))
    return panels


def _tables(rows: Sequence[Row]) -> list[Panel]:
    graded = [
        row for row in rows if row["score"] is not None and not (row["task"] == "average" and row["n_tasks"] == 1)
    ]
    return [
        Panel(name, charts.dots([dot(row, row["task"], "score") for row in group], "score", title="self-consistent"))
        for name, group in grouped(graded, "generator", "verifier", "wording", "paper_table").items()
    ]


_KINDS = ["nothing", "writing", "reading", "both", "unknown"]


_MAX_TASK_BARS = 12  # with more, a chart has a bar for each stage instead of each task


def _writing_or_reading(rows: Sequence[Row]) -> list[Panel]:
    panels = []
    for name, group in grouped(rows, "generator", "verifier", "wording", "style").items():
        has_several_stages = len({(row["protocol"], row["stage"]) for row in group}) > 1
        labels = {id(row): _bar_label(row, with_stage=has_several_stages) for row in group}
        if len(set(labels.values())) > _MAX_TASK_BARS:
            labels = {id(row): f"{row['protocol']} {row['stage']}" for row in group}
        bars = [
            {"label": label, "failure": "nothing" if kind == "none" else kind, **share}
            for label in dict.fromkeys(labels.values())
            for kind, share in _failures([row for row in group if labels[id(row)] == label]).items()
        ]
        chart = charts.stacked(bars, "failure", title="what went wrong, share of all texts", order=_KINDS, hues=_KINDS)
        panels.append(Panel(name, chart))
    return panels


def _bar_label(row: Row, *, with_stage: bool) -> str:
    return f"{row['task']} · {row['protocol']} {row['stage']}" if with_stage else str(row["task"])


def _failures(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Return the share of each kind of failure among all texts of the rows; for a single task with its interval."""
    total, is_one_task = sum(row["n"] for row in rows), len({row["task"] for row in rows}) == 1
    shares: dict[str, dict[str, Any]] = {}
    for kind in dict.fromkeys(row["kind"] for row in rows):
        rows_of_kind = [row for row in rows if row["kind"] == kind]
        num_texts = sum(row["n"] for row in rows_of_kind)
        ends = {end: rows_of_kind[0][f"share_{end}"] if is_one_task else None for end in ("low", "high")}
        shares[kind] = {"share": num_texts / total, "counts": f"{num_texts:,} of {total:,}", **ends}
    return shares


FIGURES: Mapping[str, Figure] = {
    "self_knowledge_summary": Figure(
        "Shares of texts: the text has the required property, the model reads it correctly, and both answers agree. "
        "Only all three together show understanding.",
        _summary,
        shares=("consistent", "read", "understood", "written"),
        title="Writing and reading",
    ),
    "self_knowledge_tables": Figure(
        "Self-consistency by task: the share of texts whose reading gives the answer that they were written for.",
        _tables,
        shares=("score", "score_null_as_wrong"),
        title="By task",
    ),
    "self_knowledge_styles": STYLES,
    "self_knowledge_writing_or_reading": Figure(
        "Texts by their error: in writing, in reading, in both, in neither, or unknown if no program can decide.",
        _writing_or_reading,
        title="Where it fails",
    ),
}
"""The figures of the report, in their order, by the name of their query."""


_QUERY = "self_knowledge_summary"
_MEASURES = {
    "All three at once": "understood",
    "Writes what it was asked to write": "written",
    "Reads what it wrote correctly": "read",
    "Agrees with what it wrote": "consistent",
}


def headline(report: Report) -> Headline | None:
    """Return the shares of correct writing and reading, self-consistency and all three, of the plain style if any."""
    rows = preferred(report.rows_of(_QUERY), "style", "plain")
    if not rows:
        return None
    labels = [_models_label(row, setting(row, rows, "protocol", "wording", "stage")) for row in rows]
    shown_measures = measures(
        report,
        *(
            (
                name,
                _QUERY,
                [number(label, row, value, n_graded=f"n_{value}") for label, row in zip(labels, rows, strict=True)],
            )
            for name, value in _MEASURES.items()
        ),
    )
    first = preferred(preferred(rows, "protocol", "separate"), "stage", "verify")
    return Headline([_finding(row, first) for row in first if row["understood"] is not None], shown_measures)


_PARTS = {
    "written": ("written as asked", "writes {} of its texts as asked"),
    "read": ("read rightly", "reads {} of its texts rightly"),
    "consistent": ("agrees with itself", "agrees with itself about {}"),
}


def _finding(row: Row, rows: Sequence[Row]) -> Finding:
    """Return the finding on a model's texts: the three shares, and the share of texts with all three at once."""
    parts = {value: words for value, words in _PARTS.items() if row[value] is not None}
    numbers = [number(name, row, value, n_graded=f"n_{value}", chance=None) for value, (name, _) in parts.items()]
    together = number("all three at once", row, "understood", n_graded="n_understood", chance=None)
    predicates = listed([predicate.format(rounded(row[value])) for value, (_, predicate) in parts.items()])
    sentence = f"It {predicates}. All three at once: {rounded(row['understood'])}."
    reader = f"asked {row['verifier']}" if row["verifier"] != row["generator"] else ""
    details = joined(reader, setting(row, rows, "wording"))
    return Finding(row["generator"], against_half(together), sentence, [*numbers, together], setting=details)


_NOT_RUN = f"""
select count(distinct generation_id) as n, min(reason) as reason
from scores
where starts_with(reason, '{NOT_RUN}')
"""  # noqa: S608 (our own words)


def missing(connection: Connection) -> str | None:
    """Return a sentence on the programs that could not be run and graded; None if there are none."""
    if not any(run.files["scores"] for run in connection.runs):
        return None
    [row] = connection.rows(_NOT_RUN)
    return f"{row['n']:,} replies about code are not graded: {row['reason']}." if row["n"] else None
