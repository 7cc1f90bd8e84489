"""What a report shows of diary recall: the charts of its queries, and how to read each."""

from collections.abc import Callable, Mapping, Sequence

import altair as alt

from selfknow.evaluate.report import charts
from selfknow.evaluate.report.grouping import dot, grouped, joined, only
from selfknow.evaluate.report.shape import Figure, Panel, Row

_PANELS = 6  # panels of one cohort each; more become a menu
_BARS = 40  # cohorts that a chart with a line each still shows
_MENU = ("dataset_and_setup", "dataset, setup")


def _for_menu(rows: Sequence[Row]) -> list[Row]:
    """Rows with what a menu picks where there are many cohorts."""
    return [{**row, "dataset_and_setup": joined(row.get("dataset_size"), row.get("setup"))} for row in rows]


def _first_cohorts(rows: Sequence[Row]) -> list[Row]:
    kept = set(list(dict.fromkeys(row["label"] for row in rows))[:_BARS])
    return [row for row in rows if row["label"] in kept]


def _panels(rows: Sequence[Row], draw: Callable[[list[Row]], alt.LayerChart]) -> list[Panel]:
    labels = list(dict.fromkeys(row["label"] for row in rows))[:_PANELS]
    return [
        Panel(label if len(labels) > 1 else "", draw([row for row in rows if row["label"] == label]))
        for label in labels
    ]


def _accuracy(rows: Sequence[Row]) -> list[Panel]:
    """Lines over the model size where a suite has several sizes, else a dot a cohort."""
    suites: dict[str, list[Row]] = {}
    for row in rows:
        if row["num_parameters"]:
            suites.setdefault(row["suite"], []).append(row)
    scaled = {
        suite: of_suite for suite, of_suite in suites.items() if len({row["num_parameters"] for row in of_suite}) > 1
    }
    if not scaled:
        return [Panel("", _seed_dots(_first_cohorts(rows)))]
    seeds = _first_cohorts([row for row in rows if row["seed_accuracies"]])
    panels = [Panel("each training, by its seed", _seed_dots(seeds))] if seeds else []
    for suite, of_suite in scaled.items():
        lines = [{**row, "label": str(row["dataset_and_setup"]) + _weights(row)} for row in _for_menu(of_suite)]
        chart = charts.lines(
            only(lines, "num_parameters", "accuracy", "dataset_size", "setup", "dataset_and_setup"),
            "num_parameters",
            "accuracy",
            titles=("parameters", "accuracy"),
            colour="dataset_size",
            dash="setup",
            menu=_MENU,
            log=True,
        )
        panels.append(Panel(suite, chart))
    return panels


def _seed_dots(rows: Sequence[Row]) -> alt.LayerChart:
    """A dot a cohort, and a small circle for each of its trainings that differ in their seed."""
    shown = only(rows, "accuracy", "seed_accuracies", "interval_over")
    return charts.dots(shown, "accuracy", title="accuracy", each="seed_accuracies")


def _weights(row: Row) -> str:
    return ", from scratch" if row["pretrained"] is False else ""


def _gap(rows: Sequence[Row]) -> list[Panel]:
    several = len({row["dataset_size"] for row in rows}) > 1
    named = [
        {**row, "label": f"{row['model_label']} · {row['dataset_size']}" if several else row["model_label"]}
        for row in rows
    ]
    columns = ("gap", "accuracy_standard", "accuracy_simplified")
    return [
        Panel(
            "",
            charts.dots(only(_first_cohorts(named), *columns), "gap", title="simplified less standard", narrow=True),
        )
    ]


def _series(x: str, value: str, titles: tuple[str, str]) -> Callable[[Sequence[Row]], list[Panel]]:
    def draw(rows: Sequence[Row]) -> list[Panel]:
        shown = only(_for_menu(rows), x, value, "dataset_and_setup")
        return [Panel("", charts.lines(shown, x, value, titles=titles, menu=_MENU))]

    return draw


def _heat(x: str, y: str, titles: tuple[str, str]) -> Callable[[Sequence[Row]], list[Panel]]:
    def draw(rows: Sequence[Row]) -> list[Panel]:
        known = only([row for row in rows if row[x] is not None], x, y, "share")
        if len({row["label"] for row in known}) > _PANELS:
            return [Panel("", charts.heat(known, x, y, "share", titles=titles, menu=True))]
        return _panels(known, lambda part: charts.heat(part, x, y, "share", titles=titles, menu=False))

    return draw


def _recall(rows: Sequence[Row]) -> list[Panel]:
    kept = only(_first_cohorts(rows), "recall", "share", "n_answers")
    order, hues = ["under", "right", "over"], ["right", "over", "under"]
    title = "share of graded answers"
    return [Panel("", charts.stacked(kept, "recall", title=title, order=order, hues=hues, tips=["n_answers"]))]


def _reasons(rows: Sequence[Row]) -> list[Panel]:
    kept = only(_first_cohorts(rows), "reason", "share", "n_answers")
    reasons = sorted({row["reason"] for row in kept}, key=lambda reason: (reason != "right", reason))
    title = "share of all answers"
    return [Panel("", charts.stacked(kept, "reason", title=title, order=reasons, hues=reasons, tips=["n_answers"]))]


def _count_and_content(rows: Sequence[Row]) -> list[Panel]:
    measures = {"exact_match": "exact match", "right_count": "right count", "right_content": "right content"}
    long = [
        {
            **row,
            "measure": name,
            "share": row[measure],
            "low": row[f"{measure}_low"],
            "high": row[f"{measure}_high"],
            "chance": None if measure == "right_content" else row["chance"],
        }
        for row in _first_cohorts(rows)
        for measure, name in measures.items()
    ]
    chart = charts.dots(only(long, "measure", "share"), "share", colour="measure", title="share of graded answers")
    return [Panel("", chart)]


def _probes(rows: Sequence[Row]) -> list[Panel]:
    shown = only(rows, "probe", "orderly")
    return _panels(shown, lambda part: charts.dots(part, "orderly", row="probe", title="goes on in order"))


def _short(number: int | None) -> str:
    """1315758080 as 1.3B."""
    if not number:
        return ""
    return f"{number / 1e9:.1f}B" if number >= 1e9 else f"{number / 1e6:.0f}M"


def _pretrained(rows: Sequence[Row]) -> list[Panel]:
    long = [
        {
            "label": f"{row['suite']} {_short(row['num_parameters'])} · {row['dataset_size']} · {row['setup']}",
            "weights": kind,
            "accuracy": row[f"accuracy_{kind}"],
            "low": row[f"low_{kind}"],
            "high": row[f"high_{kind}"],
            "n": row[f"n_{kind}"],
            "n_graded": row[f"n_graded_{kind}"],
            "chance": row["chance"],
        }
        for row in rows[:_BARS]
        for kind in ("pretrained", "scratch")
        if row[f"accuracy_{kind}"] is not None
    ]
    return [Panel("", charts.dots(long, "accuracy", colour="weights", title="accuracy"))] if long else []


def _origins(rows: Sequence[Row]) -> list[Panel]:
    titles = ("sentences in the wrong document", "share of wrong documents")
    tips = ("n_documents", "n_diarists")
    shown = only(rows, "recalled_sentences", "origin", "share", *tips)
    return _panels(
        shown, lambda part: charts.against_chance(part, "recalled_sentences", "origin", titles=titles, tips=tips)
    )


def _stop(rows: Sequence[Row]) -> list[Panel]:
    columns = ("num_documents", "after_entry", "is_last", "mean_stop_probability", "stop_share")
    tips = ("num_documents", "after_entry", "mean_stop_probability", "stop_share", "low", "high", "chance", "n")

    def draw(part: list[Row]) -> alt.LayerChart:
        return charts.steps(
            part,
            "after_entry",
            "mean_stop_probability",
            colour="num_documents",
            filled="is_last",
            titles=("after entry", "probability of ending", "entries in all"),
            tips=tips,
        )

    return _panels(only(rows, *columns), draw)


def _quoted(rows: Sequence[Row]) -> list[Panel]:
    known = [row for row in rows if row["quip"] is not None]
    return [
        Panel(name, charts.dots([dot(row, row["texts"], "quip", "chance") for row in group], "quip", title="mean QUIP"))
        for name, group in grouped(known, "model_label", "dataset_size", "setup").items()
    ]


FIGURES: Mapping[str, Figure] = {
    "accuracy_by_size": Figure(
        "Exact match of whole answers; dashed: right entries, but a random number of them. A small circle is one "
        "training of several that differ in their seed. Of three or more the interval is over seeds and questions; "
        "with fewer than three seeds it is over questions alone.",
        named={"figure-2": _accuracy},
        shares=("accuracy",),
    ),
    "setup_gap": Figure(
        "Accuracy with all entries in one document, less accuracy with a document each. Zero: no difference.",
        named={"figure-3": _gap},
        nothing="no model was asked in both setups at one dataset size",
        shares=("accuracy_simplified", "accuracy_standard", "gap"),
    ),
    "over_and_under_recall": Figure(
        "Too few documents to the left, too many to the right, as shares of the graded answers.", _recall
    ),
    "count_and_content": Figure(
        "Exact match is right count times right content: which of the two lets it down?",
        _count_and_content,
        shares=("exact_match", "if_independent", "right_content", "right_count", "right_count_given_right_content"),
    ),
    "recalled_documents": Figure(
        "A model that knows how much it knows lies on the diagonal; one that does not, anywhere.",
        named={"figure-5": _heat("documents_recalled", "num_documents", ("documents recalled", "documents there are"))},
    ),
    "accuracy_by_documents": Figure(
        "A flat line: recalling more documents is no harder. The dashed line is chance.",
        named={"figure-4": _series("num_documents", "accuracy", ("documents in the target", "accuracy"))},
        shares=("accuracy",),
    ),
    "document_accuracy": Figure(
        "Of the recalled documents that are in the target, the share without an error.",
        named={
            "figure-7": _series(
                "target_sentences", "document_accuracy", ("sentences in the target document", "document accuracy")
            )
        },
        shares=("document_accuracy",),
    ),
    "recalled_sentences": Figure(
        "The diagonal again, within documents: sentences recalled against sentences that there are.",
        named={
            "figure-8": _heat("recalled_sentences", "target_sentences", ("sentences recalled", "sentences there are"))
        },
    ),
    "stop_curve": Figure(
        "The probability of ending, against the next title, after each entry of the true answer: it should stay at 0 "
        "and jump to 1 after the last one.",
        _stop,
        "no run holds entry boundaries (selfknow evaluate … --stop)",
    ),
    "probes": Figure(
        "Answers started out of order: A second entry alone, B first then third, C half of the first, D half of the "
        "first then the second, E last then first.",
        _probes,
        "no run holds continuation probes (selfknow evaluate … --probes)",
        shares=("next_document", "orderly", "recalls_last"),
    ),
    "pretrained_or_scratch": Figure(
        "The same architecture, from the published weights and from random ones.",
        named={"table-1": _pretrained},
        nothing="of no model is it known whether it started from pre-trained weights",
        shares=("accuracy_pretrained", "accuracy_scratch"),
    ),
    "wrong_answers": Figure(
        "Every answer by what became of it; failed requests are no wrong answers, but they are shown.", _reasons
    ),
    "wrong_documents": Figure(
        "The bodies of wrong documents, looked up in the corpus. Dashed: what random bodies would give; below five "
        "sentences a random body is often somebody's.",
        _origins,
        "there is no wrong document",
    ),
    "accuracy_by_name_frequency": Figure(
        "How many diarists share the rarest word of the name: are common names mixed up?",
        _series("rarest_from", "accuracy", ("diarists with the rarest word", "accuracy")),
        shares=("accuracy",),
    ),
    "quoted_answers": Figure(
        "The share of the text's n-grams that stand in the training text; the tick is random bodies that nobody wrote. "
        "An answer that is quoted no more than those says nothing about whether it is right.",
        _quoted,
        shares=("quip", "quoted_in_full"),
    ),
}
"""What a report draws, in its order, by the name of the query."""
