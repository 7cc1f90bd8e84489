"""The part of a report on according-to: the charts of its queries, and how to read each."""

import json
from collections.abc import Callable, Mapping, Sequence

import altair as alt

from selfknow.report import charts
from selfknow.report.gather import Report
from selfknow.report.grouping import dot, grouped, joined, setting
from selfknow.report.numbers import NOT_SHOWN, PARTLY, YES, against_chance, against_half, measures, number
from selfknow.report.shape import Figure, Finding, Headline, Measure, Panel, Row, Verdict
from selfknow.report.text import change, rounded

_PROMPTS = 11  # charts of one prompt each: all but the null prompt
_TOLD_APART = 8  # lines of one chart that have a colour each
_ANSWERED = ("exact_match", "f1", "rouge_l")
_PROMPT_KINDS = ["null", "grounding", "anti-grounding"]
_BESIDE = "whole_word_match"
_NAMES = {"quip": "QUIP", "exact_match": "exact match", _BESIDE: "whole words", "f1": "F1", "rouge_l": "ROUGE-L"}


def _metrics(rows: Sequence[Row]) -> list[str]:
    """QUIP, the first measure of the answers that there is, and beside exact match what stands as whole words."""
    there = {row["metric"] for row in rows}
    answered = [metric for metric in _ANSWERED if metric in there][:1]
    return [metric for metric in ("quip", *answered, _BESIDE) if metric in there]


def _by_prompt(
    rows: Sequence[Row], groups: Sequence[str], draw: Callable[[list[Row], str], alt.LayerChart]
) -> list[Panel]:
    panels = []
    for name, group in grouped(rows, *groups).items():
        for metric in _metrics(group):
            shown = [row for row in group if row["metric"] == metric]
            if any(row.get("score") is not None for row in shown):
                panels.append(Panel(joined(name, _NAMES[metric]), draw(shown, metric)))
    return panels


def _kinds(rows: Sequence[Row]) -> list[Panel]:
    def draw(group: list[Row], metric: str) -> alt.LayerChart:
        dots = [dot(row, row["kind"], "score") for row in group if row["score"] is not None]
        return charts.dots(dots, "score", title=_NAMES[metric])

    return _by_prompt(rows, ("model_label", "dataset", "format", "placement", "run_id"), draw)


def _table(rows: Sequence[Row]) -> list[Panel]:
    def draw(group: list[Row], metric: str) -> alt.LayerChart:
        plain = next((row["score"] for row in group if row["kind"] == "null"), None)
        dots = [
            {**dot(row, row["prompt"], "score", kind=row["kind"]), "chance": plain}
            for row in group
            if row["score"] is not None
        ]
        return charts.dots(dots, "score", hue="kind", hues=_PROMPT_KINDS, title=_NAMES[metric])

    prompted = [row for row in rows if row["format"] != "continuation"]
    return _by_prompt(prompted, ("model_label", "dataset", "format", "placement", "run_id"), draw)


def _changes(rows: Sequence[Row]) -> list[Panel]:
    def draw(group: list[Row], metric: str) -> alt.LayerChart:
        known = [row for row in group if row["difference"] is not None]
        dots = [{**dot(row, row["prompt"], "difference", kind=row["kind"]), "chance": 0.0} for row in known]
        title = f"{_NAMES[metric]} less that of the null prompt"
        return charts.dots(dots, "difference", hue="kind", hues=_PROMPT_KINDS, title=title, narrow=True)

    return _by_prompt(rows, ("model_label", "dataset", "run_id"), draw)


def _by_size(rows: Sequence[Row]) -> list[Panel]:
    known = [row for row in rows if row["difference"] is not None]
    title = "QUIP less that of the null prompt"
    panels = []
    for name, group in grouped(known, "prompt", "dataset", "format", "placement", most=_PROMPTS).items():
        sized = sorted(group, key=lambda row: row["num_parameters"])
        dots = [{**dot(row, row["model_label"], "difference"), "chance": 0.0} for row in sized]
        panels.append(Panel(name, charts.dots(dots, "difference", title=title, narrow=True)))
    return panels


def _by_tuning(rows: Sequence[Row]) -> list[Panel]:
    known = [row for row in rows if row["metric"] == "quip" and row["gain"] is not None]
    panels = []
    for name, group in grouped(known, "tuned", "base", "dataset", "format", "placement").items():
        dots = [{**dot(row, row["prompt"], "gain", kind=row["kind"]), "chance": 0.0} for row in group]
        title = "change in QUIP, less the base's"
        chart = charts.dots(dots, "gain", hue="kind", hues=_PROMPT_KINDS, title=title, narrow=True)
        panels.append(Panel(name, chart))
    return panels


def _popularity(rows: Sequence[Row]) -> list[Panel]:
    quoted = [row for row in rows if row["metric"] == "quip" and row["score"] is not None]
    panels = []
    for name, group in grouped(quoted, "model_label", "dataset", "run_id").items():
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
        panels.append(Panel(name, charts.lines(shown, "from", "score", titles=titles, colour=colour, steps=True)))
    return panels


def _continuation(rows: Sequence[Row]) -> list[Panel]:
    known = [row for row in rows if row["quip_beyond_prompt"] is not None]
    dots = [
        dot(
            row,
            joined(row["model_label"], setting(row, known, "dataset", "passage_words", "run_id")),
            "quip_beyond_prompt",
            "chance_quip",
        )
        for row in known
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
        nothing="of no model is the number of parameters known",
        shares=("difference", "null_score", "score"),
        title="By model size",
        compares="num_parameters",
    ),
    "according_to_by_tuning": Figure(
        "The change in QUIP of each instruction-tuned model minus that of its base model.",
        named={"figure-4": _by_tuning},
        nothing="no run says which model its own was tuned from (selfknow evaluate … --instruction-tuned-from)",
        title="By tuning",
    ),
    "according_to_popularity": Figure(
        "If QUIP rises to the right, the model quotes more about facts that are more frequent in the corpus.",
        named={"figure-3": _popularity},
        nothing="no run says how often its entities occur together (selfknow evaluate … --counts)",
        shares=("score",),
        title="By frequency",
    ),
    "according_to_continuation": Figure(
        "The share of a continuation that is in the text itself, without repetitions of the prompt. Tick: a text that "
        "the model cannot have seen.",
        _continuation,
        "no run began passages (selfknow evaluate according-to:continuation)",
        shares=("chance_quip", "quip", "quip_beyond_prompt"),
        title="Continuing a passage",
    ),
    "according_to_published": Figure(
        "The paper's numbers beside ours, for the same prompt and questions. The model is another one unless the table "
        "says that it is the same.",
        nothing="no run asked one of the paper's question sets about Wikipedia (`selfknow evaluate according-to:nq`)",
        shares=("ours", "published"),
        title="Beside the paper",
    ),
}
"""What a report draws, in its order, by the name of the query."""


_QUERY, _CONTINUED = "according_to_kinds", "according_to_continuation"
_KINDS = ("null", "grounding", "anti-grounding")
_UNSEEN = "unseen text"


def headline(report: Report) -> Headline | None:
    """Return the change in QUIP by grounding prompts, and the share of continuations in the text's own words."""
    rows = [row for row in report.rows_of(_QUERY) if row["metric"] == "quip"]
    continued = report.rows_of(_CONTINUED)
    named = [(joined(row["model_label"], setting(row, rows, "dataset", "format", "placement")), row) for row in rows]
    changes = [number(label, row, "difference", chance=None) for label, row in named if row["kind"] == "grounding"]
    change_of_prompts = [
        Measure("Quotes more under grounding prompts", changes, report.queries[_QUERY], "no difference", is_change=True)
    ]
    shown_measures = measures(
        report,
        *(
            (
                f"QUIP under the {kind} prompt{'' if kind == 'null' else 's'}",
                _QUERY,
                [number(label, row, "score", chance=None) for label, row in named if row["kind"] == kind],
            )
            for kind in _KINDS
        ),
    )
    every_measure = [*(change_of_prompts if changes else []), *shown_measures, *_continuations(report, continued)]
    if not every_measure:
        return None
    names = _corpora(report)
    findings = [
        *(_prompted(row, rows, names[row["run_id"]]) for row in rows if row["kind"] == "grounding"),
        *(_continued(row, names[row["run_id"]]) for row in continued if row["quip_beyond_prompt"] is not None),
    ]
    return Headline([finding for finding in findings if finding is not None], every_measure)


def _continuations(report: Report, rows: Sequence[Row]) -> list[Measure]:
    """Return QUIP of continuations over the text itself, beside QUIP over a text that the model cannot have seen."""
    numbers = [
        number(
            joined(row["model_label"], setting(row, rows, "dataset", "passage_words")),
            row,
            "quip_beyond_prompt",
            chance="chance_quip",
        )
        for row in rows
    ]
    return measures(report, ("Continues in the text's own words", _CONTINUED, numbers), chance_name=_UNSEEN)


def _corpora(report: Report) -> dict[str, str]:
    """Return the name of each run's corpus, in words."""
    settings = {run["run_id"]: json.loads(run["settings"] or "{}") for run in report.runs}
    return {
        run_id: str(of_run.get("corpus") or "the corpus") if isinstance(of_run, dict) else "the corpus"
        for run_id, of_run in settings.items()
    }


def _prompted(row: Row, rows: Sequence[Row], corpus: str) -> Finding | None:
    """Return how much is quoted with and without being asked to; null where nothing could be graded."""
    if row["difference"] is None:
        return None
    same = ("run_id", "model_label", "dataset", "format", "placement")
    plain = next((other for other in rows if other["kind"] == "null" and all(other[k] == row[k] for k in same)), None)
    prompted = number("asked to quote", row, "score", chance=None, unit="questions")
    difference = number("difference", row, "difference", chance=None)
    is_more, is_less = ((end or 0) > 0 for end in (difference.low, -(difference.high or 0)))
    ending = "the difference is no accident" if is_more or is_less else "no difference can be seen"
    sentence = (
        f"Asked to quote, it writes {rounded(row['score'])} in the words of {corpus}, and not asked, "
        f"{rounded(row['null_score'])}: {ending}."
    )
    detail = f"The difference: {change(row['difference'], difference.low, difference.high)}."
    verdict = Verdict("No, less", is_good=False) if is_less else NOT_SHOWN
    if is_more:
        verdict = YES if (prompted.low or 0) > 1 / 2 else PARTLY
    more = setting(row, rows, "dataset", "format", "placement")
    numbers = (
        [prompted]
        if plain is None
        else [
            prompted,
            number("not asked", plain, "score", chance=None, unit="questions"),
        ]
    )
    return Finding(row["model_label"], verdict, sentence, numbers, setting=more, detail=detail)


def _continued(row: Row, corpus: str) -> Finding:
    """Return how much of a continuation is the text's own, beside a text that the model cannot have seen."""
    share = number("the text's words", row, "quip_beyond_prompt", chance="chance_quip", unit="passages")
    sentence = (
        f"Given {row['passage_words']} words of {_text_of(row, corpus)}, it goes on in the text's own words for "
        f"{rounded(row['quip_beyond_prompt'])} of what it adds."
    )
    verdict = against_half(share) if share.chance is None else against_chance(share)
    return Finding(row["model_label"], verdict, sentence, [share], _UNSEEN)


def _text_of(row: Row, corpus: str) -> str:
    """Return the name of the passages' text: the corpus's, else the name of its file."""
    name = str(row["dataset"]).rstrip("/").rpartition("/")[2].rpartition(".")[0]
    return f"“{name.replace('-', ' ')}”" if corpus == "the corpus" and name else corpus
