"""The part of a report on self-knowledge: the charts of its queries, and how to read each."""

from collections.abc import Iterator, Mapping, Sequence

from selfknow.evaluate.tasks.self_knowledge.programs import NOT_RUN
from selfknow.report import charts
from selfknow.report.gather import Report
from selfknow.report.grouping import dot, grouped, joined, one_share, preferred, setting
from selfknow.report.labels import labelled_rows
from selfknow.report.numbers import first_value, measures, number
from selfknow.report.shape import (
    Example,
    ExampleGroup,
    Exhibit,
    Figure,
    Headline,
    Panel,
    Piece,
    Row,
    ShownReply,
    Verdict,
)
from selfknow.report.text import LONGEST_REPLY, visible
from selfknow.sql.connection import Connection
from selfknow.sql.queries import find_query

_MODELS = 20


def expert_prompts(rows: Sequence[Row]) -> list[Panel]:
    """Figure 4: self-consistency in counting words, asked plainly and asked as an expert."""
    expert_rows = [
        row
        for row in rows
        if row["task"] == "total-count" and row["style"] in ("plain", "expert") and row["consistent"] is not None
    ]
    panels = []
    for name, group in grouped(expert_rows, "wording").items():
        shown = [
            one_share(row, _who(row), "consistent", "share", style=row["style"], leaking=row["n_leaking"])
            for row in group[: 2 * _MODELS]
        ]
        panels.append(Panel(name, charts.dots(shown, "share", colour="style", title="self-consistent")))
    return panels


def _who(row: Row, *more: str) -> str:
    """Return the writer, how it was asked where that differs, and who was asked about it, if that is another model."""
    return joined(row["generator"], *more, f"asked {row['verifier']}" if row["verifier"] != row["generator"] else "")


STYLES = Figure(
    "Self-consistency, right writing, right reading, and all three at once, for each style of prompt: plain, expert "
    "and chain of thought. A text that states its own answer makes agreement easy, and proves nothing.",
    shares=("consistent", "written", "read", "true"),
    named={"figure-4": expert_prompts},
)


_BARS = 40  # rows of one chart
_PARTS = {"consistent": "self-consistent", "written": "written rightly", "read": "read rightly"}


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
                "n": row["n"],
                "n_graded": row[f"n_{value}"],
            }
            for row in group[:_BARS]
            for value, label in _PARTS.items()
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


def _writing_or_reading(rows: Sequence[Row]) -> list[Panel]:
    panels = []
    for name, group in grouped(rows, "generator", "verifier", "wording", "style").items():
        several = len({(row["protocol"], row["stage"]) for row in group}) > 1
        shown = [
            {
                **{column: row[column] for column in ("n", "share")},
                "low": row["share_low"],
                "high": row["share_high"],
                "failure": "nothing" if row["kind"] == "none" else row["kind"],
                "label": f"{row['task']} · {row['protocol']} {row['stage']}" if several else row["task"],
            }
            for row in group
        ]
        chart = charts.stacked(shown, "failure", title="what went wrong, share of all texts", order=_KINDS, hues=_KINDS)
        panels.append(Panel(name, chart))
    return panels


FIGURES: Mapping[str, Figure] = {
    "self_knowledge_summary": Figure(
        "Three shares of texts: the text has the required property, the model reads it correctly, and both answers "
        "agree. Only all three together show understanding.",
        _summary,
        shares=("consistent", "read", "written"),
    ),
    "self_knowledge_tables": Figure(
        "Self-consistency by task: the share of texts whose reading gives the answer that they were written for.",
        _tables,
        shares=("score", "score_null_as_wrong"),
    ),
    "self_knowledge_styles": STYLES,
    "self_knowledge_writing_or_reading": Figure(
        "Texts by their error: in writing, in reading, in both, in neither, or unknown if no program can decide.",
        _writing_or_reading,
    ),
}
"""What a report draws, in its order, by the name of the query."""


_QUERY = "self_knowledge_summary"
_MEASURES = {
    "Agrees with what it wrote": "consistent",
    "Writes what it was asked to write": "written",
    "Reads what it wrote correctly": "read",
}


def headline(report: Report) -> Headline | None:
    """Self-consistency, what was written, and what was read; in the plain style where it was asked."""
    rows = preferred(report.rows_of(_QUERY), "style", "plain")
    if not rows:
        return None
    labels = [_who(row, setting(row, rows, "protocol", "wording", "stage")) for row in rows]
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
    agrees = first_value(shown_measures)
    return Headline(None, None if agrees is None else f"agrees with {agrees:.0%} of what it wrote", shown_measures)


_NOT_RUN = f"""
select count(distinct generation_id) as n, min(reason) as reason
from scores
where starts_with(reason, '{NOT_RUN}')
"""  # noqa: S608 (our own words)


def missing(connection: Connection) -> str | None:
    """Say how many programs could not be graded, because CPython could not be had to run them; null: none."""
    if not any(run.files["scores"] for run in connection.runs):
        return None
    [row] = connection.rows(_NOT_RUN)
    return f"{row['n']:,} replies about code are not graded: {row['reason']}." if row["n"] else None


_SAMPLE = "self_knowledge_readings_sample"
_GROUPS = 6
_LEGEND = (Piece("The part that was read"), Piece(" "), Piece("what was taken off", "aside"))


def exhibits(connection: Connection) -> list[Exhibit]:
    """Return some replies of each verifier, those that could be read and those that could not."""
    groups: dict[str, list[Example]] = {}
    for row in labelled_rows(connection, _SAMPLE):
        groups.setdefault(row["verifier"], []).append(_example(row))
    if not groups:
        return []
    shown = [ExampleGroup(label, examples) for label, examples in list(groups.items())[:_GROUPS]]
    return [Exhibit("readings", "How were replies read?", _LEGEND, shown, find_query(_SAMPLE, connection.tasks))]


def _example(row: Row) -> Example:
    notes = [f"{name} {row[name]}" for name in ("expected", "truth") if row[name] is not None]
    verdict = Verdict(f"read as {row['said']}" if row["said"] is not None else row["outcome"], row["said"] is not None)
    whole = row["generation"]
    reply = ShownReply("", tuple(_pieces(row)), max(0, len(whole) - LONGEST_REPLY))
    return Example(row["task"], [reply], verdict, [f"one of {row['n']:,}", *notes])


def _pieces(row: Row) -> Iterator[Piece]:
    """Yield the reply in pieces: in front of what was read, that itself, and after it."""
    text = row["generation"][:LONGEST_REPLY]
    start, end = row["start_character"] or 0, len(text) if row["end_character"] is None else row["end_character"]
    for piece, kind in ((text[:start], "aside"), (text[start:end], ""), (text[end:], "aside")):
        if piece:
            yield Piece(visible(piece), kind)
