"""The paper's figures over its whole grid, 15 models x 7 dataset sizes x 2 setups: nothing is lost."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import pytest

from selfknow.evaluate.connection import connect, find_query
from selfknow.evaluate.tasks.diary_recall.figures import FIGURES
from selfknow.report.gather import Section, read_section
from selfknow.report.labels import read_labels
from selfknow.report.pictures import compose, specification, svg
from selfknow.report.shape import Panel
from selfknow.sql.connection import Connection
from tests.report.full_size import SIZES, SUITES, full_size_runs

MODELS = 15


Sections = Callable[[str], Section]


@pytest.fixture(scope="module")
def section(connection: Connection) -> Sections:
    """Return a function that runs and draws a query once."""
    labels = read_labels(connection)
    return cache(lambda query: read_section(connection, find_query(query), FIGURES[query], labels))


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    with connect(full_size_runs(tmp_path_factory.mktemp("full"))) as made:
        yield made


def drawn(panels: Sequence[Panel], *columns: str) -> set[tuple[Any, ...]]:
    """Return the distinct combinations of these columns in the charts' data."""
    combinations: set[tuple[Any, ...]] = set()
    for panel in panels:
        chart = specification(panel)
        for rows in chart["datasets"].values() if "datasets" in chart else [chart["data"]["values"]]:
            combinations |= {tuple(row[name] for name in columns) for row in rows if set(columns) <= set(row)}
    return combinations


def colours(panel: Panel) -> list[str]:
    encodings = [layer["encoding"] for layer in specification(panel)["layer"]]
    return next(encoding["color"]["scale"]["domain"] for encoding in encodings if "color" in encoding)


def test_figure_2_has_a_panel_a_suite_and_every_model_size_and_setup(section: Sections) -> None:
    panels = section("accuracy_by_size").drawn["figure-2"]
    assert [panel.title for panel in panels] == list(SUITES)
    assert len(drawn(panels, "num_parameters", "dataset_size", "setup")) == MODELS * len(SIZES) * 2
    assert all(colours(panel) == list(SIZES) for panel in panels)
    picture = svg(compose(find_query("accuracy_by_size"), panels)).decode()
    assert {"125M", "783M"} <= set(re.findall(r">(\d+M)<", picture)), "sizes of models stand at the axis"
    assert "1G" not in picture


def test_figure_2_of_one_model_has_lines_over_the_number_of_diarists(section: Sections, connection: Connection) -> None:
    draw = FIGURES["accuracy_by_size"].named["figure-2"]
    of_all = read_labels(connection).add_to(section("accuracy_by_size").rows)
    rows = [row for row in of_all if row["model_label"] == of_all[0]["model_label"]]
    lines, dots = draw(rows)
    assert len(drawn([lines], "num_diarists", "setup")) == len(rows) == len(SIZES) * 2
    assert colours(lines) == ["standard", "simplified"]
    assert (lines.title, dots.title) == (f"{rows[0]['suite']} · by number of diarists", "each training seed")
    assert ("4,000 diarists · simplified",) in drawn([dots], "label")
    [alone] = draw([row for row in rows if row["dataset_size"] == "1k"])
    assert drawn([alone], "label") == {(row["label"],) for row in rows if row["dataset_size"] == "1k"}


def test_figure_3_has_all_105_gaps(section: Sections) -> None:
    panels = section("setup_gap").drawn["figure-3"]
    assert [panel.title for panel in panels] == list(SUITES)
    assert len(drawn(panels, "label", "dataset_size", "gap")) == MODELS * len(SIZES) == 105
    assert all(colours(panel) == list(SIZES) for panel in panels)
    picture = svg(compose(find_query("setup_gap"), panels)).decode()
    assert picture.count("; gap: ") == 3 * 105, "an interval, a dot and a tick each"


def test_figure_4_is_of_the_8k_dataset_and_the_others_follow(section: Sections) -> None:
    accuracies = section("accuracy_by_documents")
    figure = accuracies.drawn["figure-4"]
    assert [(panel.group, panel.title) for panel in figure] == [("8k · standard", suite) for suite in SUITES]
    assert [len(colours(panel)) for panel in figure] == [5, 6, 4]
    others = {panel.group for panel in accuracies.drawn[""]}
    assert others == {f"{size} · {setup}" for size in SIZES for setup in ("standard", "simplified")} - {"8k · standard"}
    assert len(drawn(accuracies.panels, "label", "num_documents")) == MODELS * len(SIZES) * 2 * 8


def test_figures_5_and_6_have_a_labelled_picture_a_model(section: Sections) -> None:
    figure = section("recalled_documents")
    figure_5, figure_6 = figure.drawn["figure-5"], figure.drawn["figure-6"]
    assert len({panel.title for panel in figure_5}) == MODELS
    assert {panel.group for panel in figure_5} == {f"{suite} · 8k · standard" for suite in SUITES}
    assert [panel.title for panel in figure_6] == [f"Flan-T5 {size}" for size in ("Small", "Base", "Large", "XL")]
    assert {panel.group for panel in figure_6} == {"32k · standard"}
    assert len(figure.panels) == len({(panel.group, panel.title) for panel in figure.panels}) == MODELS * len(SIZES) * 2
    picture = svg(compose(figure.query, figure_5)).decode()
    assert all(f">{panel.title}</text>" in picture for panel in figure_5)


def test_a_picture_that_is_drawn_of_other_rows_is_a_chart_that_vega_lite_knows(section: Sections) -> None:
    import altair as alt

    for panel in section("recalled_documents").panels[:2]:
        assert isinstance(alt.LayerChart.from_dict(panel.chart.to_dict()), alt.LayerChart)


def test_pictures_of_several_models_have_the_same_axes(section: Sections) -> None:
    for panel in section("recalled_documents").panels:
        cells = specification(panel)["layer"][0]["encoding"]
        assert cells["y"]["scale"]["domain"] == list(range(8, 0, -1))
        assert set(range(1, 9)) <= set(cells["x"]["scale"]["domain"])


def test_no_cohort_is_left_out_of_the_other_figures(section: Sections) -> None:
    for name in ("over_and_under_recall", "wrong_answers", "count_and_content"):
        panels = section(name).panels
        assert len(panels) == len(SIZES) * 2, "a chart per dataset size and setup"
        assert len(drawn(panels, "label")) == MODELS * len(SIZES) * 2
