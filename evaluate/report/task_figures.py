"""The charts of the questions about self-aware, self-knowledge, according-to, and quoting from the training text."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import altair as alt

from selfknow.evaluate.report import charts
from selfknow.evaluate.report.gather import Row
from selfknow.evaluate.report.topics import preferred

Chart = tuple[str, alt.LayerChart]
"""What sets it apart from a figure's other ones, and itself."""

_MODELS = 6  # charts of one model each
_PROMPTS = 11  # charts of one prompt each: all but the null prompt
_TOLD_APART = 8  # lines of one chart that have a colour each
_BARS = 40  # rows of one chart
_ANSWERED = ("exact_match", "f1", "rouge_l")
_PROMPT_KINDS = ["null", "grounding", "anti-grounding"]
_NAMES = {"quip": "QUIP", "exact_match": "exact match", "f1": "F1", "rouge_l": "ROUGE-L"}


def _dot(row: Row, label: str, value: str, chance: str | None = None, **more: Any) -> dict[str, Any]:
    """A row as the chart of dots wants it, with its interval where the query gives one."""
    ends = {end: row.get(f"{value}_{end}", row.get(end)) for end in ("low", "high")}
    counts = {name: row[name] for name in ("n", "n_graded", "n_pairs") if name in row}
    return {"label": label, value: row[value], **ends, "chance": row[chance] if chance else None, **counts, **more}


def _by(rows: Sequence[Row], *columns: str, most: int = _MODELS) -> dict[str, list[Row]]:
    """Rows by what these columns say, as far as they differ and the columns before them do not tell; the first few."""
    varying: list[str] = []
    told = 1
    for column in columns:
        groups = len({tuple(row[one] for one in [*varying, column]) for row in rows})
        if groups > told:
            varying, told = [*varying, column], groups
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(" · ".join(str(row[column]) for column in varying), []).append(row)
    return dict(list(found.items())[:most])


def _f1(rows: Sequence[Row]) -> list[Chart]:
    shown = [row for row in rows if row["f1"] is not None][:_BARS]
    several = len({row["form"] for row in shown}) > 1
    dots = [
        _dot(
            row, f"{row['model']} · {row['form']}" if several else row["model"], "f1", "chance_f1", scorer=row["scorer"]
        )
        for row in shown
    ]
    return [("", charts.dots(dots, "f1", colour="scorer", title="F1 of abstaining"))] if dots else []


def _categories(rows: Sequence[Row]) -> list[Chart]:
    judged = [row for row in preferred(rows, "scorer", "strict") if row["recall"] is not None]
    groups = _by(judged, "model", "form", "encoder", "references_name")
    return [
        (name, charts.dots([_dot(row, row["category"], "recall") for row in group], "recall", title="share abstained"))
        for name, group in groups.items()
    ]


_PARTS = {"consistent": "self-consistent", "written": "written rightly", "read": "read rightly"}


def _summary(rows: Sequence[Row]) -> list[Chart]:
    groups = _by(rows, "protocol", "wording", "style", "stage")
    found = []
    for name, group in groups.items():
        dots = [
            {
                "label": row["generator"]
                if row["generator"] == row["verifier"]
                else f"{row['verifier']} on {row['generator']}",
                "measure": said,
                "share": row[value],
                "low": row[f"{value}_low"],
                "high": row[f"{value}_high"],
                "n": row["n"],
                "n_graded": row[f"n_{value}"],
            }
            for row in group[:_BARS]
            for value, said in _PARTS.items()
            if row[value] is not None
        ]
        if dots:
            found.append((name, charts.dots(dots, "share", colour="measure", title="share of graded texts")))
    return found


def _tables(rows: Sequence[Row]) -> list[Chart]:
    graded = [
        row for row in rows if row["score"] is not None and not (row["task"] == "average" and row["n_tasks"] == 1)
    ]
    return [
        (name, charts.dots([_dot(row, row["task"], "score") for row in group], "score", title="self-consistent"))
        for name, group in _by(graded, "generator", "verifier", "wording", "paper_table").items()
    ]


_KINDS = ["nothing", "writing", "reading", "both", "unknown"]


def _writing_or_reading(rows: Sequence[Row]) -> list[Chart]:
    found = []
    for name, group in _by(rows, "generator", "verifier", "wording", "style").items():
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
        found.append((name, chart))
    return found


def _metrics(rows: Sequence[Row]) -> list[str]:
    """QUIP, and the first measure of the answers that there is."""
    there = {row["metric"] for row in rows}
    return [*(["quip"] if "quip" in there else []), *[metric for metric in _ANSWERED if metric in there][:1]]


def _by_prompt(
    rows: Sequence[Row], groups: Sequence[str], draw: Callable[[list[Row], str], alt.LayerChart]
) -> list[Chart]:
    found = []
    for name, group in _by(rows, *groups).items():
        for metric in _metrics(group):
            shown = [row for row in group if row["metric"] == metric]
            if any(row.get("score") is not None for row in shown):
                found.append((" · ".join(part for part in (name, _NAMES[metric]) if part), draw(shown, metric)))
    return found


def _according_to_kinds(rows: Sequence[Row]) -> list[Chart]:
    def draw(group: list[Row], metric: str) -> alt.LayerChart:
        dots = [_dot(row, row["kind"], "score") for row in group if row["score"] is not None]
        return charts.dots(dots, "score", title=_NAMES[metric])

    return _by_prompt(rows, ("model_label", "dataset", "format", "placement", "run_id"), draw)


def _according_to_table(rows: Sequence[Row]) -> list[Chart]:
    def draw(group: list[Row], metric: str) -> alt.LayerChart:
        plain = next((row["score"] for row in group if row["kind"] == "null"), None)
        dots = [
            {**_dot(row, row["prompt"], "score", kind=row["kind"]), "chance": plain}
            for row in group
            if row["score"] is not None
        ]
        return charts.dots(dots, "score", hue="kind", hues=_PROMPT_KINDS, title=_NAMES[metric])

    return _by_prompt(rows, ("model_label", "dataset", "format", "placement", "run_id"), draw)


def _according_to_changes(rows: Sequence[Row]) -> list[Chart]:
    def draw(group: list[Row], metric: str) -> alt.LayerChart:
        known = [row for row in group if row["difference"] is not None]
        dots = [{**_dot(row, row["prompt"], "difference", kind=row["kind"]), "chance": 0.0} for row in known]
        title = f"{_NAMES[metric]} less that of the null prompt"
        return charts.dots(dots, "difference", hue="kind", hues=_PROMPT_KINDS, title=title, narrow=True)

    return _by_prompt(rows, ("model_label", "dataset", "run_id"), draw)


def _by_size(rows: Sequence[Row]) -> list[Chart]:
    known = [row for row in rows if row["difference"] is not None]
    title = "QUIP less that of the null prompt"
    found = []
    for name, group in _by(known, "prompt", "dataset", "format", "placement", most=_PROMPTS).items():
        sized = sorted(group, key=lambda row: row["num_parameters"])
        dots = [{**_dot(row, row["model_label"], "difference"), "chance": 0.0} for row in sized]
        found.append((name, charts.dots(dots, "difference", title=title, narrow=True)))
    return found


def _by_tuning(rows: Sequence[Row]) -> list[Chart]:
    known = [row for row in rows if row["metric"] == "quip" and row["gain"] is not None]
    found = []
    for name, group in _by(known, "tuned", "base", "dataset", "format", "placement").items():
        dots = [{**_dot(row, row["prompt"], "gain", kind=row["kind"]), "chance": 0.0} for row in group]
        title = "change in QUIP, less the base's"
        found.append((name, charts.dots(dots, "gain", hue="kind", hues=_PROMPT_KINDS, title=title, narrow=True)))
    return found


def _popularity(rows: Sequence[Row]) -> list[Chart]:
    quoted = [row for row in rows if row["metric"] == "quip" and row["score"] is not None]
    found = []
    for name, group in _by(quoted, "model_label", "dataset", "run_id").items():
        shown = [
            {
                "label": row["prompt"],
                "from": row["cooccurrences_from"],
                **{end: row.get(f"score_{end}") for end in ("low", "high")},
                **{column: row[column] for column in ("score", "n", "n_graded")},
                "kind": row["kind"],
                "chance": None,
            }
            for row in group
        ]
        colour = "label" if len({row["label"] for row in shown}) <= _TOLD_APART else "kind"
        titles = ("passages with both entities, from", "QUIP")
        found.append((name, charts.lines(shown, "from", "score", titles=titles, colour=colour, steps=True)))
    return found


def _quoted(rows: Sequence[Row]) -> list[Chart]:
    known = [row for row in rows if row["quip"] is not None]
    groups = _by(known, "model_label", "dataset_size", "setup")
    return [
        (name, charts.dots([_dot(row, row["texts"], "quip", "chance") for row in group], "quip", title="mean QUIP"))
        for name, group in groups.items()
    ]


TASK_FIGURES: Mapping[str, Callable[[Sequence[Row]], list[Chart]]] = {
    "quoted_answers": _quoted,
    "self_aware/self_aware_f1": _f1,
    "self_aware/self_aware_by_category": _categories,
    "self_knowledge/self_knowledge_summary": _summary,
    "self_knowledge/self_knowledge_tables": _tables,
    "self_knowledge/self_knowledge_writing_or_reading": _writing_or_reading,
    "according_to/according_to_kinds": _according_to_kinds,
    "according_to/according_to_table": _according_to_table,
    "according_to/according_to_changes": _according_to_changes,
    "according_to/according_to_by_size": _by_size,
    "according_to/according_to_by_tuning": _by_tuning,
    "according_to/according_to_popularity": _popularity,
}
"""The charts of each question; none where there is nothing to draw."""
