"""Figures 2 to 8 of Prato et al.: one panel per suite, one colour per dataset size, or one heat map per model."""

from collections.abc import Sequence

import altair as alt

from selfknow.evaluate.tasks.diary_recall.settings import a_row_each, by, by_setting, by_suite, sizes_in_order
from selfknow.report import charts
from selfknow.report.grouping import chart_columns, joined
from selfknow.report.shape import Draw, Panel, Row

_MAX_SUITES = 3  # panels side by side
_MAX_HEAT_MAPS = 6  # heat maps side by side, one per model
_MANY_HEAT_MAPS = 4  # with this many heat maps side by side, the numbers in their cells are small


def accuracy_by_size(rows: Sequence[Row]) -> list[Panel]:
    """Draw Figure 2: accuracy by model size, one panel per suite.

    Models of unknown size are dots; all are dots if no suite has two sizes. If no suite has two model sizes, but
    several dataset sizes, lines show the accuracy by number of diarists.
    """
    sized = [row for row in rows if row["num_parameters"]]
    suites = by_suite([{**row, "label": _line(row)} for row in sized])
    if len({(row["suite"], row["num_parameters"]) for row in sized}) == len(suites):
        if not (lines := _accuracy_by_diarists(rows)):
            return a_row_each(rows, _seed_dots)
        return [*lines, *a_row_each(_by_diarists_and_setup(rows), _seed_dots, "each training seed")]
    dots = a_row_each([row for row in sized if row["seed_accuracies"]], _seed_dots, "each training seed")
    dots += a_row_each([row for row in rows if not row["num_parameters"]], _seed_dots, "of unknown size")
    panels = []
    for suite, of_suite in suites.items():
        chart = charts.lines(
            chart_columns(of_suite, "num_parameters", "accuracy", "dataset_size", "setup"),
            "num_parameters",
            "accuracy",
            titles=("parameters", "accuracy"),
            colour="dataset_size",
            order=sizes_in_order(rows),
            dash="setup",
            log=True,
        )
        panels.append(Panel(suite, chart, min(_MAX_SUITES, len(suites)), "by model size" if dots else ""))
    return [*panels, *dots]


def _accuracy_by_diarists(rows: Sequence[Row]) -> list[Panel]:
    """Return a panel per suite that has several dataset sizes, with one line per model and setup."""
    panels = []
    suites = by_suite([row for row in rows if row["num_diarists"]])
    for suite, of_suite in suites.items():
        if len({row["num_diarists"] for row in of_suite}) == 1:
            continue
        lines = [{**row, "label": joined(row["model_label"], row["setup"], row["recipe"])} for row in of_suite]
        chart = charts.lines(
            chart_columns(lines, "num_diarists", "accuracy", "setup", "model_label"),
            "num_diarists",
            "accuracy",
            titles=("diarists", "accuracy"),
            colour="setup",
            order=list(dict.fromkeys(row["setup"] for row in lines)),
            dash="model_label" if len({row["model_label"] for row in lines}) > 1 else None,
            steps=True,
        )
        panels.append(Panel(joined(suite, "by number of diarists"), chart, min(_MAX_SUITES, len(suites))))
    return panels


def _by_diarists_and_setup(rows: Sequence[Row]) -> Sequence[Row]:
    """Label rows by number of diarists and setup, which is shorter, if no two rows have the same label then."""
    if not all(row["num_diarists"] for row in rows):
        return rows
    labelled = [{**row, "label": joined(f"{row['num_diarists']:,} diarists", row["setup"])} for row in rows]
    return labelled if len({row["label"] for row in labelled}) == len(rows) else rows


def _line(row: Row) -> str:
    return joined(row["dataset_size"], row["setup"], _weights(row), row["recipe"])


def _weights(row: Row) -> str:
    return "from scratch" if row["pretrained"] is False else ""


def _seed_dots(rows: Sequence[Row]) -> alt.LayerChart:
    """Return a chart with a dot per cohort, and a small circle per training seed."""
    shown = chart_columns(rows, "accuracy", "seed_accuracies", "interval_over")
    return charts.dots(shown, "accuracy", title="accuracy", each="seed_accuracies")


def setup_gap(rows: Sequence[Row]) -> list[Panel]:
    """Draw Figure 3: one row per model, one colour per dataset size, one panel per suite, all on the same scale."""
    labels = [name for name, _, _ in {(row["model_label"], row["pretrained"], row["recipe"]) for row in rows}]
    named = [
        {
            **row,
            "label": row["model_label"]
            if labels.count(row["model_label"]) == 1
            else joined(row["model_label"], _weights(row), row["recipe"]),
        }
        for row in rows
    ]
    ends = [row[end] or 0 for row in rows for end in ("low", "high", "gap")]
    columns = ("gap", "accuracy_standard", "accuracy_simplified", "dataset_size")
    suites = by_suite(named)
    return [
        Panel(
            suite,
            charts.dots(
                chart_columns(of_suite, *columns),
                "gap",
                colour="dataset_size",
                order=sizes_in_order(rows),
                title="simplified minus standard",
                domain=(min(-0.1, *ends), max(0.1, *ends)),
            ),
            min(_MAX_SUITES, len(suites)),
        )
        for suite, of_suite in suites.items()
    ]


def lines_of_models(x: str, value: str, titles: tuple[str, str]) -> Draw:
    """Return a function that draws Figures 4 and 7: a panel per dataset, setup and suite, with a line per model.

    Args:
        x: The column of the x axis, a number.
        value: The column of the y axis, a share.
        titles: The titles of both axes.
    """

    def draw(rows: Sequence[Row]) -> list[Panel]:
        columns = min(_MAX_SUITES, len({row["suite"] for row in rows}))
        return [
            Panel(_title(suite, part), _lines(part, x, value, titles), columns, setting)
            for setting, of_setting in by_setting(rows).items()
            for suite, part in by_suite(of_setting).items()
        ]

    return draw


def _title(suite: str, rows: Sequence[Row]) -> str:
    models = {str(row["model_label"]) for row in rows}
    return models.pop() if len(models) == 1 else suite


def _lines(rows: Sequence[Row], x: str, value: str, titles: tuple[str, str]) -> alt.LayerChart:
    models = list(dict.fromkeys(row["model_label"] for row in rows))
    shown = chart_columns(rows, x, value)
    return charts.lines(shown, x, value, titles=titles, colour="model_label", order=models, alone=False)


def pictures_of_models(x: str, y: str, titles: tuple[str, str]) -> Draw:
    """Return a function that draws Figures 5, 6 and 8: for each dataset and setup, one heat map per model.

    Args:
        x: The column of the number recalled.
        y: The column of the true number.
        titles: The titles of both axes.
    """

    def draw(rows: Sequence[Row]) -> list[Panel]:
        known = [row for row in rows if row[x] is not None]
        several = len({row["suite"] for row in known}) > 1  # with one suite, the models' labels name it
        groups = {
            joined(suite if several else "", setting): by(part, "model_label")
            for setting, of_setting in by_setting(known).items()
            for suite, part in by_suite(of_setting).items()
        }
        targets = sorted({row[y] for row in known})
        columns = min(_MAX_HEAT_MAPS, max(map(len, groups.values()), default=1))
        return [
            Panel(
                model,
                charts.heat(
                    chart_columns(part, x, y, "share"),
                    x,
                    y,
                    "share",
                    titles=titles,
                    targets=targets,
                    small=columns >= _MANY_HEAT_MAPS,
                ),
                columns,
                group,
            )
            for group, models in groups.items()
            for model, part in models.items()
        ]

    return draw
