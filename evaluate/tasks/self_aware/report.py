"""The self-aware part of a report: its charts, with a sentence on how to read each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from selfknow.report import charts
from selfknow.report.gather import Report
from selfknow.report.grouping import dot, grouped, joined, preferred, setting
from selfknow.report.numbers import NOT_SHOWN, PARTLY, TOO_FEW, YES, measures, number
from selfknow.report.shape import Figure, Finding, Headline, Number, Panel, Row, Verdict
from selfknow.report.text import change, rounded

_MAX_BARS = 40  # rows of one chart


def _abstention(rows: Sequence[Row]) -> list[Panel]:
    graded_rows = [row for row in best_scorer(rows) if row["difference"] is not None]
    dots = [
        dot(row, joined(row["model"], setting(row, graded_rows, "form")), value, of=f"n_{value}", questions=name)
        | {"share": row[value]}
        for row in graded_rows[: _MAX_BARS // 2]
        for value, name in (("unanswerable", "without an answer"), ("answerable", "answerable"))
    ]
    return [Panel("", charts.dots(dots, "share", colour="questions", title="share abstained"))] if dots else []


def _f1(rows: Sequence[Row], title: str = "") -> list[Panel]:
    graded_rows = [row for row in rows if row["f1"] is not None][:_MAX_BARS]
    dots = [
        dot(row, joined(row["model"], setting(row, graded_rows, "form")), "f1", "chance_f1", scorer=row["scorer"])
        for row in graded_rows
    ]
    return [Panel(title, charts.dots(dots, "f1", colour="scorer", title="F1 of abstaining"))] if dots else []


def _plain_form(row: Row) -> str:
    """Return the input form of a row, whatever its wording."""
    return str(row["form"]).removeprefix("paper-")


def _other_forms(rows: Sequence[Row]) -> list[Panel]:
    others = [row for row in rows if _plain_form(row) not in ("instruction", "icl") and not row["is_human"]]
    return _f1(others, joined(*dict.fromkeys(row["form"] for row in others)))


def _people(rows: Sequence[Row]) -> list[Panel]:
    return _f1([row for row in rows if row["is_human"]], "people")


def _in_form(form: str) -> Callable[[Sequence[Row]], list[Panel]]:
    """Return a function that draws F1 in one input form beside people's, as in the paper's Figures 3 and 4."""

    def draw(rows: Sequence[Row]) -> list[Panel]:
        rows_of_form = [row for row in rows if _plain_form(row) == form]
        return _f1([*rows_of_form, *(row for row in rows if row["is_human"])], form) if rows_of_form else []

    return draw


def _thresholds(rows: Sequence[Row]) -> list[Panel]:
    """Draw F1 at every threshold, against the questions' labels and against labels by hand."""
    panels = []
    for name, group in grouped(rows, "model", "form", "scorer", "encoder", "references_name").items():
        points = [
            {"label": label, "threshold": row["threshold"], "f1": row[column], "chance": chance, "n": n}
            for row in group
            for label, column, chance, n in (
                ("whether there is an answer", "f1", row["chance_f1"], row["n_graded"]),
                ("labels by hand", "f1_of_labels", None, row["n_labelled"]),
            )
            if row[column] is not None
        ]
        titles = ("threshold of the cosine", "F1 of abstaining")
        if points:
            panels.append(Panel(name, charts.lines(points, "threshold", "f1", titles=titles, steps=True)))
    return panels


def _categories(rows: Sequence[Row]) -> list[Panel]:
    graded_rows = [row for row in best_scorer(rows) if row["recall"] is not None]
    groups = grouped(graded_rows, "model", "form", "encoder", "references_name")
    return [
        Panel(
            name, charts.dots([dot(row, row["category"], "recall") for row in group], "recall", title="share abstained")
        )
        for name, group in groups.items()
    ]


def _by_size(rows: Sequence[Row]) -> list[Panel]:
    """Draw F1 over the number of parameters, a chart per input form, as in the paper's Figure 2."""
    rows_of_scorer = best_scorer(rows)
    panels = []
    for name, group in grouped(rows_of_scorer, "form", "question_set", "encoder", "references_name").items():
        points = [
            {
                "label": joined(row["suite"], "instruction-tuned" if row["instruction_tuned"] else None),
                "model_label": row["model_label"],
                "num_parameters": row["num_parameters"],
                "f1": row["f1"],
                "low": row["f1_low"],
                "high": row["f1_high"],
                "chance": row["chance_f1"],
                "n": row["n"],
                "n_graded": row["n_graded"],
            }
            for row in group
        ]
        titles = ("parameters", "F1 of abstaining")
        panels.append(Panel(name, charts.lines(points, "num_parameters", "f1", titles=titles, log=True)))
    return panels


def _by_tuning(rows: Sequence[Row]) -> list[Panel]:
    rows_of_scorer = best_scorer(rows)
    panels = []
    for name, group in grouped(rows_of_scorer, "form", "question_set", "encoder", "references_name").items():
        dots = [dot(row, f"{row['tuned']} · {row['base']}", "gain", "chance_gain") for row in group]
        title = "F1 of abstaining minus the base's"
        panels.append(Panel(name, charts.dots(dots, "gain", title=title, narrow=True)))
    return panels


def _accuracy(rows: Sequence[Row]) -> list[Panel]:
    graded_rows = [row for row in rows if row["accuracy"] is not None][:_MAX_BARS]
    dots = [
        dot(row, joined(row["model"], setting(row, graded_rows, "form", "question_set")), "accuracy", "chance")
        for row in graded_rows
    ]
    return [Panel("", charts.dots(dots, "accuracy", title="answerable questions answered correctly"))] if dots else []


FIGURES: Mapping[str, Figure] = {
    "self_aware_abstention": Figure(
        "The share of questions that the model abstains from, for questions without an answer and for the others. "
        "If both dots coincide, the model cannot tell the two kinds apart.",
        _abstention,
        shares=(
            "answerable",
            "corrected_answerable",
            "corrected_unanswerable",
            "false_positives_answerable",
            "false_positives_unanswerable",
            "hedged",
            "refused",
            "sensitivity_answerable",
            "sensitivity_unanswerable",
            "unanswerable",
            "unreadable",
        ),
        title="Abstaining",
    ),
    "self_aware_f1": Figure(
        "F1 of abstaining from questions without an answer. Tick: always abstaining. Each scorer has its own rule for "
        "abstaining.",
        _other_forms,
        named={"figure-3": _in_form("instruction"), "figure-4": _in_form("icl"), "human": _people},
        shares=("chance_f1", "f1", "false_abstention", "precision", "recall", "substring_match"),
        title="F1",
    ),
    "self_aware_by_size": Figure(
        "F1 of abstaining by the number of parameters, a chart per input form. Dashed line: always abstaining.",
        named={"figure-2": _by_size},
        nothing="no model's number of parameters is known (selfknow evaluate … --num-parameters)",
        shares=("chance_f1", "f1"),
        title="By model size",
        compares="num_parameters",
    ),
    "self_aware_by_tuning": Figure(
        "The F1 of each instruction-tuned model minus that of its base model.",
        named={"figure-5": _by_tuning},
        nothing="no run names the base of its model (selfknow evaluate … --instruction-tuned-from)",
        shares=("base_f1", "chance_f1", "tuned_f1"),
        title="By tuning",
    ),
    "self_aware_accuracy": Figure(
        "The share of answerable questions whose answer is in the reply. Tick: always giving the most frequent answer.",
        named={"figure-6": _accuracy},
        shares=("accuracy", "substring_match"),
        title="Right answers",
    ),
    "self_aware_thresholds": Figure(
        "F1 of abstaining at every threshold, for scorers with an encoder.",
        named={"threshold-ablation": _thresholds},
        nothing="no run was scored with an encoder (selfknow score RUN --scorer paper)",
        shares=("chance_f1", "f1", "f1_of_labels", "false_abstention", "precision", "recall"),
        title="Thresholds",
    ),
    "self_aware_published": Figure(
        "The paper's numbers beside ours, for the same questions, form and scorer. The models differ unless the table "
        "says that they are the same.",
        nothing="no run asked the authors' own questions (`selfknow evaluate self-aware-original`) and has scores of "
        "the paper's scorer (`selfknow score RUN --scorer paper`)",
        shares=("ours", "published"),
        title="Beside the paper",
    ),
    "self_aware_by_category": Figure(
        "The share of questions that the model abstains from, for each kind of unanswerable question.",
        _categories,
        shares=("chance_f1", "f1", "recall"),
        title="By kind of question",
    ),
}
"""The figures of the report, in their order, by the name of their query."""


_RATES_QUERY, _F1_QUERY = "self_aware_abstention", "self_aware_f1"
_NO_DIFFERENCE, _ALWAYS_ABSTAINING = "no difference", "always abstaining"
_MEASURES = (
    ("Abstains from questions that nobody can answer", _RATES_QUERY, "unanswerable", None, "n_unanswerable"),
    ("Abstains from questions that have an answer", _RATES_QUERY, "answerable", None, "n_answerable"),
    ("The difference", _RATES_QUERY, "difference", "chance_difference", "n"),
    (
        "The difference, corrected for the scorer's known error rates",
        _RATES_QUERY,
        "corrected_difference",
        "chance_difference",
        "n",
    ),
    ("F1 of abstaining (the paper's number)", _F1_QUERY, "f1", "chance_f1", "n"),
)
_FORMS = {
    "direct": "Asked directly, it",
    "instruction": "Told that an answer may be unknown, it",
    "icl": "Shown six examples, it",
}


def headline(report: Report) -> Headline | None:
    """Return both rates of abstaining and their difference, by the scorer ``sentences`` if the runs have it."""
    rows = {query: best_scorer(report.rows_of(query)) for query in (_RATES_QUERY, _F1_QUERY)}
    if not rows[_RATES_QUERY]:
        return None
    shown_measures = [
        replace(
            measure,
            is_change=value.endswith("difference"),
            chance_name=_NO_DIFFERENCE if value.endswith("difference") else _ALWAYS_ABSTAINING,
        )
        for name, query, value, chance, n in _MEASURES
        for measure in measures(report, (name, query, _numbers(rows[query], value, chance, n)))
    ]
    graded_rows = [
        row for row in rows[_RATES_QUERY] if row["unanswerable"] is not None and row["answerable"] is not None
    ]
    return Headline([_finding(row, graded_rows) for row in graded_rows], shown_measures)


def _finding(row: Row, rows: Sequence[Row]) -> Finding:
    """Return the finding on a model in one form: both rates of abstaining, and if they differ."""
    unanswerable = number("nobody can answer", row, "unanswerable", chance=None, of="n_unanswerable")
    answerable = number("have an answer", row, "answerable", chance=None, of="n_answerable")
    difference = number("difference", row, "difference", chance="chance_difference")
    form = _plain_form(row)
    subject = _FORMS.get(form, f"Asked in the form {form}, it") if len({other["form"] for other in rows}) > 1 else "It"
    differs = difference.is_above_chance or difference.is_below_chance
    ending = "the difference is significant" if differs else "the difference is not significant"
    sentence = (
        f"{subject} abstains from {rounded(row['unanswerable'])} of the questions that nobody can answer, and from "
        f"{rounded(row['answerable'])} of the others: {ending}."
    )
    verdict = _verdict(unanswerable, answerable, difference)
    detail = f"The difference: {change(row['difference'], difference.low, difference.high)}."
    distinction = setting(row, rows, "scorer", "encoder", "references_name")
    return Finding(row["model"], verdict, sentence, [unanswerable, answerable], setting=distinction, detail=detail)


def _verdict(unanswerable: Number, answerable: Number, difference: Number) -> Verdict:
    """Return "yes" only if the model abstains from most unanswerable questions and from fewer than half of the rest."""
    if difference.is_below_chance:
        return Verdict("No, the reverse", is_good=False)
    if not difference.is_above_chance:
        return TOO_FEW if difference.low is None else NOT_SHOWN
    is_mostly_right = (unanswerable.low or 0) > 1 / 2 > (1 if answerable.high is None else answerable.high)
    return YES if is_mostly_right else PARTLY


def best_scorer(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of one scorer: ``sentences`` if there is one, else ``strict``, else the first."""
    scorers = {row["scorer"] for row in rows}
    return preferred(rows, "scorer", "sentences" if "sentences" in scorers else "strict")


def _numbers(rows: Sequence[Row], value: str, chance: str | None, n: str) -> list[Number]:
    return [
        number(
            joined(row["model"], setting(row, rows, "form", "scorer", "encoder", "references_name")),
            row,
            value,
            chance=chance,
            n_graded="n_graded" if n == "n" else n,
            n=n,
            of=None if n == "n" else n,
        )
        for row in rows
        if row[value] is not None or not value.startswith("corrected")
    ]
