"""Groups of diary-recall rows for charts: by dataset and setup, or the rows of one of the paper's figures."""

from collections.abc import Callable, Sequence

import altair as alt

from selfknow.report.grouping import joined
from selfknow.report.shape import Draw, Panel, Row

Choice = Callable[[Sequence[Row]], list[Row]]
"""A function that chooses some of the rows."""

_MAX_ROWS = 40  # cohorts in a chart with a row for each
_SUITES = ("OPT", "Pythia", "Flan-T5")
_PAPER_SIZE = "8k"
_DISTRIBUTED = ("Flan-T5", "32k", "standard")


def by(rows: Sequence[Row], *columns: str) -> dict[str, list[Row]]:
    """Group rows by their values of these columns, in the order of the rows."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(joined(*(row[column] for column in columns)), []).append(row)
    return groups


def by_setting(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Group rows by dataset size and setup, the smallest dataset first; a size that all setups share is not named."""
    sizes = sizes_in_order(rows)
    named = ["setup"] if len(sizes) == 1 and len({row["setup"] for row in rows}) > 1 else ["dataset_size", "setup"]
    return by(sorted(rows, key=lambda row: sizes.index(row["dataset_size"])), *named)


def by_suite(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Group rows by suite: the paper's three in its order, then the others."""
    suites = by(rows, "suite")
    first = [suite for suite in _SUITES if suite in suites]
    return {suite: suites[suite] for suite in (*first, *(suite for suite in suites if suite not in _SUITES))}


def sizes_in_order(rows: Sequence[Row]) -> list[str]:
    """Return the names of dataset sizes, the smallest first."""
    num_diarists = {row["dataset_size"]: row.get("num_diarists") or 0 for row in rows}
    return sorted(num_diarists, key=lambda name: num_diarists[name])


def a_row_each(rows: Sequence[Row], draw: Callable[[Sequence[Row]], alt.LayerChart], title: str = "") -> list[Panel]:
    """Return a chart with a row per cohort; if there are many, a chart per dataset size and setup."""
    if not rows:
        return []
    if len({row["label"] for row in rows}) <= _MAX_ROWS:
        return [Panel(title, draw(rows))]
    return [Panel(joined(title, setting), draw(part)) for setting, part in by_setting(rows).items()]


def of_the_paper(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of Figures 4, 5, 7 and 8: 8k in the standard setup, or else the largest dataset."""
    standard = [row for row in rows if row["setup"] == "standard"] or list(rows)
    sizes = sizes_in_order(standard)
    size = _PAPER_SIZE if _PAPER_SIZE in sizes else next(reversed(sizes), None)
    return [row for row in standard if row["dataset_size"] == size]


def of_the_larger_dataset(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of Figure 6: Flan-T5 on 32k in the standard setup."""
    return [row for row in rows if (row["suite"], row["dataset_size"], row["setup"]) == _DISTRIBUTED]


def chosen(draw: Draw, choice: Choice) -> Draw:
    """Return a function that draws only the chosen rows."""
    return lambda rows: draw(choice(rows))


def all_but(draw: Draw, *choices: Choice) -> Draw:
    """Return a function that draws the rows that none of the choices takes."""

    def rest(rows: Sequence[Row]) -> Sequence[Panel]:
        taken = {id(row) for choice in choices for row in choice(rows)}
        return draw([row for row in rows if id(row) not in taken])

    return rest
