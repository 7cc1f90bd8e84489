"""The according-to part of a report: its charts, with a sentence on how to read each."""

import json
from collections.abc import Callable, Mapping, Sequence

import altair as alt

from selfknow.report import charts
from selfknow.report.gather import Report
from selfknow.report.grouping import dot, grouped, joined, setting
from selfknow.report.numbers import NOT_SHOWN, PARTLY, YES, against_chance, against_half, measures, number
from selfknow.report.shape import Figure, Finding, Headline, Measure, Panel, Row, Verdict
from selfknow.report.text import change, rounded

_MAX_PROMPTS = 11  # all prompts but the null prompt; each has a chart
_MAX_COLOURS = 8  # a chart with more lines colours them by the kind of prompt
_ANSWER_METRICS = ("exact_match", "f1", "rouge_l")
_PROMPT_KINDS = ["null", "grounding", "anti-grounding"]
_WHOLE_WORDS = "whole_word_match"
_NAMES = {"quip": "QUIP", "exact_match": "exact match", _WHOLE_WORDS: "whole words", "f1": "F1", "rouge_l": "ROUGE-L"}


def _metrics(rows: Sequence[Row]) -> list[str]:
    """Return the metrics to draw: QUIP, the first answer metric that the rows have, and the match of whole words."""
    available = {row["metric"] for row in rows}
    answer_metrics = [metric for metric in _ANSWER_METRICS if metric in available]
    return [metric for metric in ("quip", *answer_metrics[:1], _WHOLE_WORDS) if metric in available]


def _by_prompt(
    rows: Sequence[Row], groups: Sequence[str], draw: Callable[[list[Row], str], alt.LayerChart]
) -> list[Panel]:
    panels = []
    for name, group in grouped(rows, *groups).items():
        for metric in _metrics(group):
            rows_of_metric = [row for row in group if row["metric"] == metric]
            if any(row.get("score") is not None for row in rows_of_metric):
                panels.append(Panel(joined(name, _NAMES[metric]), draw(rows_of_metric, metric)))
    return panels


def _kinds(rows: Sequence[Row]) -> list[Panel]:
    def draw(group: list[Row], metric: str) -> alt.LayerChart:
        dots = [dot(row, row["kind"], "score") for row in group if row["score"] is not None]
        return charts.dots(dots, "score", title=_NAMES[metric])

    return _by_prompt(rows, ("model_label", "dataset", "format", "placement", "run_id"), draw)


def _table(rows: Sequence[Row]) -> list[Panel]:
    def draw(group: list[Row], metric: str) -> alt.LayerChart:
        null_score = next((row["score"] for row in group if row["kind"] == "null"), None)
        dots = [
            {**dot(row, row["prompt"], "score", kind=row["kind"]), "chance": null_score}
            for row in group
            if row["score"] is not None
        ]
        return charts.dots(dots, "score", hue="kind", hues=_PROMPT_KINDS, title=_NAMES[metric])

    prompted = [row for row in rows if row["format"] != "continuation"]
    return _by_prompt(prompted, ("model_label", "dataset", "format", "placement", "run_id"), draw)


def _changes(rows: Sequence[Row]) -> list[Panel]:
    def draw(group: list[Row], metric: str) -> alt.LayerChart:
        rows_with_difference = [row for row in group if row["difference"] is not None]
        dots = [
            {**dot(row, row["prompt"], "difference", kind=row["kind"]), "chance": 0.0} for row in rows_with_difference
        ]
        title = f"{_NAMES[metric]} minus the null prompt's"
        return charts.dots(dots, "difference", hue="kind", hues=_PROMPT_KINDS, title=title, narrow=True)

    return _by_prompt(rows, ("model_label", "dataset", "run_id"), draw)


def _by_size(rows: Sequence[Row]) -> list[Panel]:
    rows_with_difference = [row for row in rows if row["difference"] is not None]
    title = "QUIP minus the null prompt's"
    panels = []
    groups = grouped(rows_with_difference, "prompt", "dataset", "format", "placement", most=_MAX_PROMPTS)
    for name, group in groups.items():
        by_size = sorted(group, key=lambda row: row["num_parameters"])
        dots = [{**dot(row, row["model_label"], "difference"), "chance": 0.0} for row in by_size]
        panels.append(Panel(name, charts.dots(dots, "difference", title=title, narrow=True)))
    return panels


def _by_tuning(rows: Sequence[Row]) -> list[Panel]:
    rows_with_gain = [row for row in rows if row["metric"] == "quip" and row["gain"] is not None]
    panels = []
    for name, group in grouped(rows_with_gain, "tuned", "base", "dataset", "format", "placement").items():
        dots = [{**dot(row, row["prompt"], "gain", kind=row["kind"]), "chance": 0.0} for row in group]
        title = "change in QUIP minus the base's"
        chart = charts.dots(dots, "gain", hue="kind", hues=_PROMPT_KINDS, title=title, narrow=True)
        panels.append(Panel(name, chart))
    return panels


def _popularity(rows: Sequence[Row]) -> list[Panel]:
    quoted = [row for row in rows if row["metric"] == "quip" and row["score"] is not None]
    panels = []
    for name, group in grouped(quoted, "model_label", "dataset", "run_id").items():
        points = [
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
        colour = "label" if len({row["label"] for row in points}) <= _MAX_COLOURS else "kind"
        titles = ("passages with both entities, from", "QUIP")
        panels.append(Panel(name, charts.lines(points, "from", "score", titles=titles, colour=colour, steps=True)))
    return panels


def _continuation(rows: Sequence[Row]) -> list[Panel]:
    rows_with_score = [row for row in rows if row["quip_beyond_prompt"] is not None]
    settings = [setting(row, rows_with_score, "dataset", "passage_words") for row in rows_with_score]
    labels = [joined(row["model_label"], text) for row, text in zip(rows_with_score, settings, strict=True)]
    if len(set(labels)) < len(labels):
        labels = [joined(label, row["run_id"]) for row, label in zip(rows_with_score, labels, strict=True)]
    dots = [
        dot(row, label, "quip_beyond_prompt", "chance_quip") for row, label in zip(rows_with_score, labels, strict=True)
    ]
    title = "QUIP of what is not in the prompt"
    return [Panel("", charts.dots(dots, "quip_beyond_prompt", title=title))] if dots else []


FIGURES: Mapping[str, Figure] = {
    "according_to_kinds": Figure(
        "The means over the grounding prompts and over the anti-grounding prompts, beside the null prompt. Every "
        "question has the same weight.",
        _kinds,
        shares=("difference", "null_score", "score"),
        title="Kinds of prompt",
    ),
    "according_to_table": Figure(
        "Each prompt in the order of the paper's Table 1. Tick: the null prompt.",
        named={"table-1": _table},
        shares=("score",),
        title="Each prompt",
    ),
    "according_to_changes": Figure(
        "Each prompt minus the null prompt, on the same questions. Left of zero the model quotes less, or answers "
        "worse.",
        named={"table-2": _changes},
        shares=("difference", "null_score", "relative", "relative_change", "score"),
        title="Change by prompt",
    ),
    "according_to_by_size": Figure(
        "The change in QUIP by each prompt, the smallest model first. Right of zero the model quotes more.",
        named={"figure-2": _by_size},
        nothing="no model's number of parameters is known",
        shares=("difference", "null_score", "score"),
        title="By model size",
        compares="num_parameters",
    ),
    "according_to_by_tuning": Figure(
        "The change in QUIP of each instruction-tuned model minus that of its base model.",
        named={"figure-4": _by_tuning},
        nothing="no run names the base of its model (selfknow evaluate … --instruction-tuned-from)",
        title="By tuning",
    ),
    "according_to_popularity": Figure(
        "If QUIP rises to the right, the model quotes more about facts that are more frequent in the corpus.",
        named={"figure-3": _popularity},
        nothing="no run has counts of passages (selfknow evaluate … --counts)",
        shares=("score",),
        title="By frequency",
    ),
    "according_to_continuation": Figure(
        "The share of a continuation that is in the text itself, without repetitions of the prompt. Tick: a text that "
        "the model cannot have seen.",
        _continuation,
        "no run has continuations (selfknow evaluate according-to:continuation)",
        shares=("chance_quip", "quip", "quip_beyond_prompt"),
        title="Continuing a passage",
    ),
    "according_to_published": Figure(
        "The paper's numbers beside ours, for the same prompt and questions. The models differ unless the table says "
        "that they are the same.",
        nothing="no run asked one of the paper's question sets about Wikipedia (`selfknow evaluate according-to:nq`)",
        shares=("ours", "published"),
        title="Beside the paper",
    ),
}
"""The figures of the report, in their order, by the name of their query."""


_KINDS_QUERY, _CONTINUATION_QUERY = "according_to_kinds", "according_to_continuation"
_UNSEEN = "unseen text"


def headline(report: Report) -> Headline | None:
    """Return the change in QUIP by grounding prompts, and the share of continuations that the text contains."""
    rows = [row for row in report.rows_of(_KINDS_QUERY) if row["metric"] == "quip"]
    continuation_rows = report.rows_of(_CONTINUATION_QUERY)
    labelled_rows = [
        (joined(row["model_label"], setting(row, rows, "dataset", "format", "placement")), row) for row in rows
    ]
    changes = [
        number(label, row, "difference", chance=None) for label, row in labelled_rows if row["kind"] == "grounding"
    ]
    change_of_prompts = [
        Measure(
            "Quotes more under grounding prompts",
            changes,
            report.queries[_KINDS_QUERY],
            "no difference",
            is_change=True,
        )
    ]
    shown_measures = measures(
        report,
        *(
            (
                f"QUIP under the {kind} prompt{'' if kind == 'null' else 's'}",
                _KINDS_QUERY,
                [number(label, row, "score", chance=None) for label, row in labelled_rows if row["kind"] == kind],
            )
            for kind in _PROMPT_KINDS
        ),
    )
    every_measure = [
        *(change_of_prompts if changes else []),
        *shown_measures,
        *_continuations(report, continuation_rows),
    ]
    if not every_measure:
        return None
    names = _corpora(report)
    findings = [
        *(_prompt_finding(row, rows, names[row["run_id"]]) for row in rows if row["kind"] == "grounding"),
        *(
            _continuation_finding(row, names[row["run_id"]])
            for row in continuation_rows
            if row["quip_beyond_prompt"] is not None
        ),
    ]
    return Headline([finding for finding in findings if finding is not None], every_measure)


def _continuations(report: Report, rows: Sequence[Row]) -> list[Measure]:
    """Return the QUIP of continuations; chance is their QUIP over a text that the model cannot have seen."""
    numbers = [
        number(
            joined(row["model_label"], setting(row, rows, "dataset", "passage_words")),
            row,
            "quip_beyond_prompt",
            chance="chance_quip",
        )
        for row in rows
    ]
    return measures(report, ("Continues in the text's own words", _CONTINUATION_QUERY, numbers), chance_name=_UNSEEN)


def _corpora(report: Report) -> dict[str, str]:
    """Return the name of each run's corpus, or "the corpus" if the run has no name for it."""
    settings = {run["run_id"]: json.loads(run["settings"] or "{}") for run in report.runs}
    names = {run_id: value.get("corpus") for run_id, value in settings.items() if isinstance(value, dict)}
    return {run_id: str(names.get(run_id) or "the corpus") for run_id in settings}


def _prompt_finding(row: Row, rows: Sequence[Row], corpus: str) -> Finding | None:
    """Return the finding on QUIP with and without a grounding prompt; None if there is no difference to report."""
    if row["difference"] is None:
        return None
    setup = ("run_id", "model_label", "dataset", "format", "placement")
    null_rows = [other for other in rows if other["kind"] == "null"]
    null_row = next((other for other in null_rows if all(other[column] == row[column] for column in setup)), None)
    prompted = number("asked to quote", row, "score", chance=None, unit="questions")
    difference = number("difference", row, "difference", chance=None)
    is_more, is_less = (difference.low or 0) > 0, (difference.high or 0) < 0
    ending = "the difference is significant" if is_more or is_less else "the difference is not significant"
    sentence = (
        f"Asked to quote, it writes {rounded(row['score'])} in the words of {corpus}. Not asked, it writes "
        f"{rounded(row['null_score'])} in them: {ending}."
    )
    detail = f"The difference: {change(row['difference'], difference.low, difference.high)}."
    verdict = Verdict("No, less", is_good=False) if is_less else NOT_SHOWN
    if is_more:
        verdict = YES if (prompted.low or 0) > 1 / 2 else PARTLY
    numbers = [prompted]
    if null_row is not None:
        numbers.append(number("not asked", null_row, "score", chance=None, unit="questions"))
    distinction = setting(row, rows, "dataset", "format", "placement")
    return Finding(row["model_label"], verdict, sentence, numbers, setting=distinction, detail=detail)


def _continuation_finding(row: Row, corpus: str) -> Finding:
    """Return the finding on the share of continuations that the text contains."""
    share = number("the text's words", row, "quip_beyond_prompt", chance="chance_quip", unit="passages")
    sentence = (
        f"Given {row['passage_words']} words of {_text_name(row, corpus)}, it continues in the text's own words for "
        f"{rounded(row['quip_beyond_prompt'])} of what it adds."
    )
    verdict = against_half(share) if share.chance is None else against_chance(share)
    return Finding(row["model_label"], verdict, sentence, [share], _UNSEEN)


def _text_name(row: Row, corpus: str) -> str:
    """Return the name of the text: the corpus's name, or else the name of its file."""
    name = str(row["dataset"]).rstrip("/").rpartition("/")[2].rpartition(".")[0]
    return f"“{name.replace('-', ' ')}”" if corpus == "the corpus" and name else corpus
