"""The charts of diary recall in a report, with a sentence on how to read each."""

from collections.abc import Callable, Mapping, Sequence

import altair as alt

from selfknow.evaluate.tasks.diary_recall.paper_figures import (
    accuracy_by_size,
    lines_of_models,
    pictures_of_models,
    setup_gap,
)
from selfknow.evaluate.tasks.diary_recall.settings import (
    a_row_each,
    all_but,
    by,
    chosen,
    of_the_larger_dataset,
    of_the_paper,
)
from selfknow.report import charts
from selfknow.report.grouping import chart_columns, dot, grouped
from selfknow.report.shape import Figure, Panel, Row

_SIDE_BY_SIDE = 3


def _panels(rows: Sequence[Row], draw: Callable[[list[Row]], alt.LayerChart]) -> list[Panel]:
    """Return a chart per cohort, three of them side by side."""
    cohorts = by(rows, "label")
    columns = min(_SIDE_BY_SIDE, len(cohorts))
    return [Panel(label if columns > 1 else "", draw(part), columns) for label, part in cohorts.items()]


def _recall(rows: Sequence[Row]) -> list[Panel]:
    order, hues = ["under", "right", "over"], ["right", "over", "under"]

    def draw(part: Sequence[Row]) -> alt.LayerChart:
        chosen, title = chart_columns(part, "recall", "share", "n_answers"), "share of graded answers"
        return charts.stacked(chosen, "recall", title=title, order=order, hues=hues, tips=["n_answers"])

    return a_row_each(rows, draw)


def _reasons(rows: Sequence[Row]) -> list[Panel]:
    reasons = sorted({row["reason"] for row in rows}, key=lambda reason: (reason != "right", reason))

    def draw(part: Sequence[Row]) -> alt.LayerChart:
        chosen, title = chart_columns(part, "reason", "share", "n_answers"), "share of all answers"
        return charts.stacked(chosen, "reason", title=title, order=reasons, hues=reasons, tips=["n_answers"])

    return a_row_each(rows, draw)


_MEASURES = {"exact_match": "exact match", "right_count": "right count", "right_content": "right content"}


def _count_and_content(rows: Sequence[Row]) -> list[Panel]:
    long = [
        {
            **row,
            "measure": name,
            "share": row[measure],
            "low": row[f"{measure}_low"],
            "high": row[f"{measure}_high"],
            "chance": None if measure == "right_content" else row["chance"],
        }
        for row in rows
        for measure, name in _MEASURES.items()
    ]

    def draw(part: Sequence[Row]) -> alt.LayerChart:
        title = "share of graded answers"
        return charts.dots(chart_columns(part, "measure", "share"), "share", colour="measure", title=title)

    return a_row_each(long, draw)


def _probes(rows: Sequence[Row]) -> list[Panel]:
    columns_of_rows = chart_columns(rows, "probe", "orderly")
    return _panels(columns_of_rows, lambda part: charts.dots(part, "orderly", row="probe", title="goes on in order"))


def _short_size(number: int | None) -> str:
    """Return a number of parameters in short: 1315758080 as ``1.3B``."""
    if not number:
        return ""
    return f"{number / 1e9:.1f}B" if number >= 1e9 else f"{number / 1e6:.0f}M"


def _pretrained(rows: Sequence[Row]) -> list[Panel]:
    long = [
        {
            "label": f"{row['suite']} {_short_size(row['num_parameters'])} · {row['dataset_size']} · {row['setup']}",
            "dataset_size": row["dataset_size"],
            "setup": row["setup"],
            "weights": kind,
            "accuracy": row[f"accuracy_{kind}"],
            "low": row[f"low_{kind}"],
            "high": row[f"high_{kind}"],
            "n": row[f"n_{kind}"],
            "n_graded": row[f"n_graded_{kind}"],
            "chance": row["chance"],
        }
        for row in rows
        for kind in ("pretrained", "scratch")
        if row[f"accuracy_{kind}"] is not None
    ]
    return (
        a_row_each(long, lambda part: charts.dots(part, "accuracy", colour="weights", title="accuracy")) if long else []
    )


def _origins(rows: Sequence[Row]) -> list[Panel]:
    titles = ("sentences in the wrong document", "share of wrong documents")
    tips = ("n_documents", "n_diarists")
    columns_of_rows = chart_columns(rows, "recalled_sentences", "origin", "share", *tips)
    return _panels(
        columns_of_rows,
        lambda part: charts.against_chance(part, "recalled_sentences", "origin", titles=titles, tips=tips),
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

    return _panels(chart_columns(rows, *columns), draw)


def _quoted(rows: Sequence[Row]) -> list[Panel]:
    graded_rows = [row for row in rows if row["quip"] is not None]
    return [
        Panel(name, charts.dots([dot(row, row["texts"], "quip", "chance") for row in group], "quip", title="mean QUIP"))
        for name, group in grouped(graded_rows, "model_label", "dataset_size", "setup", most=len(graded_rows)).items()
    ]


_accuracies = lines_of_models("num_documents", "accuracy", ("documents in the target", "accuracy"))
_document_accuracies = lines_of_models(
    "target_sentences", "document_accuracy", ("sentences in the target document", "document accuracy")
)
_documents = pictures_of_models("documents_recalled", "num_documents", ("documents recalled", "documents there are"))
_sentences = pictures_of_models("recalled_sentences", "target_sentences", ("sentences recalled", "sentences there are"))

FIGURES: Mapping[str, Figure] = {
    "accuracy_by_size": Figure(
        "Exact match of whole answers; dashed: right entries, but a random number of them. A small circle is one of "
        "several trainings with different seeds. With three seeds or more, the interval is over seeds and questions; "
        "otherwise it is over questions alone.",
        named={"figure-2": accuracy_by_size},
        shares=("accuracy",),
        title="Whole diaries right",
    ),
    "setup_gap": Figure(
        "Accuracy with all entries in one document minus accuracy with a document for each. Zero: no difference.",
        named={"figure-3": setup_gap},
        nothing="no model was asked in both setups at one dataset size",
        shares=("accuracy_simplified", "accuracy_standard", "gap"),
        title="One document or several",
    ),
    "over_and_under_recall": Figure(
        "Too few documents to the left, too many to the right, as shares of the graded answers.",
        _recall,
        title="Too few, too many",
    ),
    "count_and_content": Figure(
        "Exact match is right count times right content. The lower of the two explains the wrong answers.",
        _count_and_content,
        shares=("exact_match", "if_independent", "right_content", "right_count", "right_count_given_right_content"),
        title="Number or content",
    ),
    "recalled_documents": Figure(
        "Answers of a model that knows how much it knows are on the diagonal. The numbers in small pictures are "
        "percentages of a row.",
        draw=all_but(_documents, of_the_paper, of_the_larger_dataset),
        named={
            "figure-5": chosen(_documents, of_the_paper),
            "figure-6": chosen(_documents, of_the_larger_dataset),
        },
        title="Entries recalled",
    ),
    "accuracy_by_documents": Figure(
        "A flat line: recalling more documents is no harder. The dashed line is chance.",
        draw=all_but(_accuracies, of_the_paper),
        named={"figure-4": chosen(_accuracies, of_the_paper)},
        shares=("accuracy",),
        title="By number of entries",
    ),
    "document_accuracy": Figure(
        "Of the recalled documents that are in the target, the share without an error.",
        draw=all_but(_document_accuracies, of_the_paper),
        named={"figure-7": chosen(_document_accuracies, of_the_paper)},
        shares=("document_accuracy",),
        title="Single entries",
    ),
    "recalled_sentences": Figure(
        "Sentences recalled in each document against sentences in the target. The numbers in "
        "small pictures are percentages of a row.",
        draw=all_but(_sentences, of_the_paper),
        named={"figure-8": chosen(_sentences, of_the_paper)},
        title="Sentences recalled",
    ),
    "stop_curve": Figure(
        "The probability of ending, against the next title, after each entry of the true answer: it should stay at 0 "
        "and jump to 1 after the last one.",
        _stop,
        "no run holds entry boundaries (selfknow evaluate … --stop)",
        title="Where it ends",
    ),
    "probes": Figure(
        "Answers started out of order: A second entry alone, B first then third, C half of the first, D half of the "
        "first then the second, E last then first.",
        _probes,
        "no run holds continuation probes (selfknow evaluate … --probes)",
        shares=("next_document", "orderly", "recalls_last"),
        title="Out of order",
    ),
    "pretrained_or_scratch": Figure(
        "The same architecture, from the published weights and from random ones.",
        named={"table-1": _pretrained},
        nothing="no model is known to have started from pre-trained or from random weights",
        shares=("accuracy_pretrained", "accuracy_scratch"),
        title="Pre-trained or not",
    ),
    "published_accuracies": Figure(
        "The paper's numbers beside ours, for the same model with the same kind of starting weights, and the same "
        "corpus.",
        nothing="no model of the paper's Table 1 was trained on 32k diarists",
        shares=("accuracy", "published"),
        title="Beside the paper",
    ),
    "wrong_answers": Figure(
        "Answers by their error. Failed requests are shown, but are not wrong answers.",
        _reasons,
        title="Kinds of error",
    ),
    "wrong_documents": Figure(
        "The origin of wrong documents: their text is looked up in the corpus. Dashed: chance; with fewer than five "
        "sentences a random text is often in the corpus.",
        _origins,
        "there is no wrong document",
        title="Wrong entries",
    ),
    "accuracy_by_name_frequency": Figure(
        "Accuracy by the number of diarists who share the rarest word of the name. A falling line: common names are "
        "mixed up.",
        lines_of_models("rarest_from", "accuracy", ("diarists with the rarest word", "accuracy")),
        shares=("accuracy",),
        compares="rarest_from",
        title="By name",
    ),
    "quoted_answers": Figure(
        "The share of the text's n-grams that are in the training text. Tick: random diary entries that nobody wrote. "
        "If an answer's share is no larger, its quotes do not show that it is right.",
        _quoted,
        shares=("quip", "quoted_in_full"),
        title="Quoted answers",
    ),
}
"""The figures of the report, in their order, by the name of their query."""
