"""The kinds of chart in a report, made with Altair; they fill their container and set no colours.

The page (light or dark) or the picture's theme sets the colours, so that the same chart serves both.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import altair as alt

from selfknow.report.numbers import scale_of_shares
from selfknow.report.shape import Row

_PERCENT = ".0%"
_COUNTS = ("counts", "n", "n_graded", "n_pairs")


class _Rows(alt.InlineData):
    """Rows that all copies of a chart share, because Altair deep-copies a chart at every step."""

    def __deepcopy__(self, memo: object) -> "_Rows":
        return self


def dots(
    rows: Sequence[Row],
    value: str,
    *,
    row: str = "label",
    colour: str | None = None,
    hue: str | None = None,
    hues: Sequence[str] = (),
    order: Sequence[str] = (),
    title: str,
    narrow: bool = False,
    domain: tuple[float, float] | None = None,
    each: str | None = None,
) -> alt.LayerChart:
    """Draw a dot per share, with its interval and a tick for chance.

    Args:
        rows: Rows with ``value``, ``low``, ``high`` and the columns that other arguments name.
        value: The column of the share.
        row: The column of the labels at the left.
        colour: The column of the colours within a line.
        hue: The column of the colours of whole lines.
        hues: All values of ``hue``, in the order of the page's colours.
        order: The values of ``colour`` if they have an order of their own, such as sizes.
        title: The title of the axis.
        narrow: If true, the axis fits the intervals; else it goes from 0 to 1, or as far as small shares need.
        domain: The ends of the axis, for charts that share it.
        each: A column with lists of shares whose mean the share is; each is a small circle.
    """
    assert all(value in record for record in rows), f"a chart of {value} without its points"
    names = list(dict.fromkeys(record[row] for record in rows))
    axis = _named() if any(" · " in str(name) for name in names) else alt.Axis()
    y = alt.Y(f"{row}:N", sort=names, title=None, axis=axis)
    kinds = list(order) or list(dict.fromkeys(record[colour] for record in rows if colour))
    offset: dict[str, Any] = {"yOffset": alt.YOffset(f"{colour}:N", sort=kinds)} if colour else {}
    paint: dict[str, Any] = {"color": _colour(colour or hue, rows, hues, order)} if colour or hue else {}
    tips = _tooltips(
        rows,
        [row, *[name for name in (colour, hue) if name], value, "low", "high", "chance", *_COUNTS],
    )
    base = alt.Chart(_Rows(values=list(rows))).encode(y=y, tooltip=tips, **offset)
    ends = [record[end] or 0 for record in rows for end in ("low", "high")]
    if domain is None:
        is_share = min(ends) >= 0 and not narrow
        domain = (0, _upper_end(rows, value)) if is_share else (min(-0.1, *ends), max(0.1, *ends))
    scale = alt.Scale(domain=list(domain), nice=narrow)
    x = alt.X(
        f"{value}:Q",
        title=title,
        axis=alt.Axis(format="~%", tickCount=5),
        scale=scale,
    )
    bars = base.mark_rule(strokeWidth=3, opacity=0.45).encode(
        x=alt.X("low:Q", title=title, scale=scale), x2="high:Q", **paint
    )
    points = base.mark_point(filled=True, size=90, opacity=1).encode(x=x, **paint)
    ticks = base.mark_tick(thickness=2, size=16, style="chance-tick").encode(x=alt.X("chance:Q", title=title))
    step = max(28, 14 * len({record[colour] for record in rows}) + 12) if colour else 28
    layers = [ticks, bars, points]
    if each is not None:
        parts = [{row: record[row], value: share} for record in rows for share in record.get(each) or ()]
        circles = alt.Chart(_Rows(values=parts)).mark_point(filled=False, size=45, opacity=0.9)
        layers += [circles.encode(y=y, x=x, tooltip=_tooltips(parts, [row, value]))] if parts else []
    return _sized(alt.layer(*layers), step * len(names))


def _upper_end(rows: Sequence[Row], value: str) -> float:
    """Return the upper end of an axis from 0 on which the shares of these rows can be told apart."""
    columns = (value, "high", "chance")
    return scale_of_shares(record.get(column) for record in rows for column in columns)


def lines(
    rows: Sequence[Row],
    x: str,
    value: str,
    *,
    titles: tuple[str, str],
    colour: str = "label",
    order: Sequence[str] = (),
    dash: str | None = None,
    log: bool = False,
    steps: bool = False,
    alone: bool = True,
) -> alt.LayerChart:
    """Draw a share over a number, a line per cohort, with intervals and the chance line.

    Args:
        rows: Rows with ``x``, ``value``, ``low``, ``high``, ``chance``, ``label`` and the columns of ``colour`` and
            ``dash``.
        x: The column of the number.
        value: The column of the share.
        titles: The titles of both axes.
        colour: The column of the colours.
        order: The values of ``colour`` if they have an order of their own, such as sizes.
        dash: The column of whole and broken lines.
        log: If true, the axis is logarithmic.
        steps: If true, the values of the axis are equally far apart.
        alone: If true, the legend names even a single value of ``order``.
    """
    base = alt.Chart(_Rows(values=list(rows)))
    tips = _tooltips(rows, ["label", x, value, "low", "high", "chance", "n", "n_graded"])
    scale = alt.Scale(type="log", nice=False, padding=16) if log else alt.Scale(zero=False, nice=False, padding=12)
    values = sorted({record[x] for record in rows})
    billions = "replace(format(datum.value, '.3~s'), 'G', 'B')"
    axis = (
        alt.Axis(labelExpr=billions, grid=False, values=_apart(values))
        if log
        else alt.Axis(format="d", grid=False, values=values)
    )
    horizontal = alt.X(f"{x}:Q", title=titles[0], axis=axis, scale=scale)
    if steps:
        horizontal = alt.X(f"{x}:O", title=titles[0], axis=alt.Axis(format=",", labelAngle=0), scale=alt.Scale())
    encoded = base.encode(x=horizontal, color=_colour(colour, rows, order=order, alone=alone), detail="label:N")
    vertical = alt.Y(
        f"{value}:Q", title=titles[1], axis=alt.Axis(format=_PERCENT), scale=alt.Scale(domain=[0, 1], nice=False)
    )
    between = encoded.mark_rule(opacity=0.45, strokeWidth=2).encode(y=alt.Y("low:Q", title=titles[1]), y2="high:Q")
    line = encoded.mark_line(strokeWidth=2).encode(y=vertical, tooltip=tips)
    if dash:
        kinds = list(dict.fromkeys(record[dash] for record in rows))
        line = line.encode(strokeDash=alt.StrokeDash(f"{dash}:N", sort=kinds, legend=_legend(kinds, long=True)))
    shapes = {} if order else {"shape": _shape(colour, rows)}
    points = encoded.mark_point(filled=True, size=55, opacity=1).encode(y=vertical, tooltip=tips, **shapes)
    guess = base.mark_line(style="chance").encode(x=horizontal, y=alt.Y("mean(chance):Q", title=titles[1]))
    # A layer without a row would have no extent.
    beneath = [layer for layer, column in ((guess, "chance"), (between, "low")) if _any(rows, column)]
    return _sized(alt.layer(*beneath, line, points), 260)


def _apart(values: Sequence[float], most: int = 6) -> list[float]:
    """Return at most this many of the values, sorted, that are far enough from each other for ticks of their own."""
    ticks: list[float] = []
    least = (values[-1] / values[0]) ** (1 / most) if values else 1.0
    for tick in values:
        if not ticks or tick >= ticks[-1] * max(least, 1.01):
            ticks.append(tick)
    return ticks


def _any(rows: Sequence[Row], column: str) -> bool:
    return any(row.get(column) is not None for row in rows)


@dataclass(frozen=True)
class Redrawn:
    """A chart with the form of another and its own rows: Altair takes 60 ms per form, and a report has hundreds.

    Attributes:
        form: The Vega-Lite specification, without rows.
        rows: The rows.
    """

    form: Mapping[str, Any]
    rows: Sequence[Row]

    def to_dict(self, *, validate: bool = True) -> dict[str, Any]:  # noqa: ARG002 (as Altair's)
        """Return a copy of the Vega-Lite specification, with the rows."""
        return {**copy.deepcopy(dict(self.form)), "data": {"values": list(self.rows)}}


def heat(
    rows: Sequence[Row],
    x: str,
    y: str,
    value: str,
    *,
    titles: tuple[str, str],
    targets: Sequence[int],
    small: bool,
) -> Redrawn:
    """Draw a heat map with a share per cell, the true number against the recalled number.

    Args:
        rows: Rows with ``x``, ``y`` and ``value``.
        x: The column of the recalled number.
        y: The column of the true number.
        value: The column of the share.
        titles: The titles of both axes.
        targets: All true numbers, so that the charts of several models have the same axes.
        small: If true, percentages have no sign, and those below 5% are left out.
    """
    columns = tuple(sorted({record[x] for record in rows} | set(targets)))
    form = _heat_form(x, y, value, titles, tuple(sorted(targets)), columns, tuple(rows[0]), small=small)
    return Redrawn(form, [{**record, "percent": 100 * record[value]} for record in rows])


@cache
def _heat_form(
    x: str,
    y: str,
    value: str,
    titles: tuple[str, str],
    targets: tuple[int, ...],
    columns: tuple[int, ...],
    names: tuple[str, ...],
    *,
    small: bool,
) -> Mapping[str, Any]:
    rows = [dict.fromkeys(names, 1) | dict.fromkeys((value, "low", "high", "chance"), 0.5) | {"label": ""}]
    base = alt.Chart(alt.NamedData("rows")).encode(
        x=alt.X(f"{x}:O", title=titles[0], axis=alt.Axis(labelAngle=0), scale=alt.Scale(domain=columns)),
        y=alt.Y(f"{y}:O", title=titles[1], scale=alt.Scale(domain=targets[::-1])),
    )
    text = alt.Text("percent:Q", format=".0f") if small else alt.Text(f"{value}:Q", format=_PERCENT)
    known = [{name: share for name, share in row.items() if name in names} for row in rows]
    tips = _tooltips(known, ["label", y, x, value, "low", "high", "chance", "n", "n_graded"])
    cells = base.mark_rect(cornerRadius=2 if small else 3).encode(
        color=alt.Color(f"{value}:Q", scale=alt.Scale(domain=[0, 1]), legend=None), tooltip=tips
    )
    texts = [
        base.mark_text(fontSize=9 if small else 11, style=f"on-{shade}-cell")
        .encode(text=text, tooltip=tips)
        .transform_filter(where)
        for shade, where in (
            ("light", f"datum.{value} >= 0.05 && datum.{value} < 0.5"),
            ("dark", f"datum.{value} >= 0.5"),
        )
    ]
    made = _sized(alt.layer(cells, *texts), (20 if small else 30) * len(targets)).to_dict()
    return {name: part for name, part in made.items() if name not in ("config", "data", "datasets")}


def stacked(
    rows: Sequence[Row], colour: str, *, title: str, order: Sequence[str], hues: Sequence[str], tips: Sequence[str] = ()
) -> alt.LayerChart:
    """Draw shares that add up to one, a bar per cohort.

    Args:
        rows: Rows with ``share``, ``label`` and the column of ``colour``.
        colour: The column of the colours.
        title: The title of the axis.
        order: The values of ``colour`` from left to right.
        hues: The values of ``colour`` in the order of the page's colours.
        tips: Further columns of the tooltip.
    """
    ranked = [{**record, "rank": order.index(record[colour])} for record in rows]
    cohorts = list(dict.fromkeys(record["label"] for record in rows))
    chart = (
        alt.Chart(_Rows(values=ranked))
        .mark_bar(cornerRadius=2)
        .encode(
            y=alt.Y("label:N", sort=cohorts, title=None, axis=_named()),
            x=alt.X(
                "share:Q", title=title, axis=alt.Axis(format=_PERCENT, tickCount=5), scale=alt.Scale(domain=[0, 1])
            ),
            color=alt.Color(f"{colour}:N", scale=alt.Scale(domain=list(hues)), legend=_legend(order)),
            order=alt.Order("rank:Q"),
            tooltip=_tooltips(rows, ["label", colour, "share", "low", "high", "chance", *tips, *_COUNTS]),
        )
    )
    return _sized(chart, 28 * len(cohorts))


def against_chance(
    rows: Sequence[Row], x: str, colour: str, *, titles: tuple[str, str], tips: Sequence[str] = ()
) -> alt.LayerChart:
    """Draw the shares of several kinds over a number, each with its own chance line.

    Args:
        rows: Rows with ``x``, ``share``, ``low``, ``high``, ``chance`` and the column of ``colour``.
        x: The column of the number.
        colour: The column of the kinds.
        titles: The titles of both axes.
        tips: Further columns of the tooltip.
    """
    base = alt.Chart(_Rows(values=list(rows))).encode(
        x=alt.X(f"{x}:O", title=titles[0], axis=alt.Axis(labelAngle=0)),
        color=_colour(colour, rows),
        tooltip=_tooltips(rows, [colour, x, "share", "low", "high", "chance", "n", *tips]),
    )
    share = alt.Y("share:Q", title=titles[1], axis=alt.Axis(format=_PERCENT), scale=alt.Scale(domain=[0, 1]))
    between = base.mark_rule(opacity=0.45, strokeWidth=2).encode(y=alt.Y("low:Q", title=titles[1]), y2="high:Q")
    line = base.mark_line(strokeWidth=2).encode(y=share)
    points = base.mark_point(filled=True, size=55, opacity=1).encode(y=share, shape=_shape(colour, rows))
    guess = base.mark_line(strokeDash=[3, 3], opacity=0.6).encode(y=alt.Y("chance:Q", title=titles[1]))
    return _sized(alt.layer(guess, between, line, points), 240)


def steps(
    rows: Sequence[Row],
    x: str,
    value: str,
    *,
    colour: str,
    filled: str,
    titles: tuple[str, str, str],
    tips: Sequence[str],
) -> alt.LayerChart:
    """Draw a share after each step, a line per total number of steps.

    Args:
        rows: Rows with the columns that the arguments name.
        x: The column of the step.
        value: The column of the share.
        colour: The column of the total number of steps.
        filled: The boolean column of filled points.
        titles: The titles of both axes and of the colours.
        tips: Columns of the tooltip.
    """
    base = alt.Chart(_Rows(values=list(rows))).encode(
        x=alt.X(f"{x}:O", title=titles[0], axis=alt.Axis(labelAngle=0)),
        y=alt.Y(f"{value}:Q", title=titles[1], axis=alt.Axis(format=_PERCENT), scale=alt.Scale(domain=[0, 1])),
        color=alt.Color(f"{colour}:O", legend=alt.Legend(title=titles[2], orient="top", columns=8)),
        tooltip=_tooltips(rows, tips),
    )
    points = base.mark_point(size=60, opacity=1, strokeWidth=2).encode(
        fill=alt.condition(f"datum.{filled}", alt.Color(f"{colour}:O", legend=None), alt.value("transparent"))
    )
    return _sized(alt.layer(base.mark_line(strokeWidth=1.5, opacity=0.7), points), 240)


def _named() -> alt.Axis:
    """Return an axis of cohorts, whose labels take two lines on a phone."""
    parts = "split(datum.label, ' · ')"
    narrow = f"width < 300 && length({parts}) > 1"
    two_lines = f"[{parts}[0], join(slice({parts}, 1), ' · ')]"
    return alt.Axis(
        labelExpr=f"{narrow} ? {two_lines} : datum.label",
        labelOffset=alt.ExprRef("width < 300 ? -6 : 0"),
        labelLineHeight=13,
    )


def _shape(field: str, rows: Sequence[Row]) -> alt.Shape:
    """Return shapes for people who do not see the colours; with the same domain, both share a legend."""
    names = list(dict.fromkeys(record[field] for record in rows))
    scale = alt.Scale(domain=names)
    return alt.Shape(f"{field}:N", scale=scale, legend=_legend(names) if len(names) > 1 else None)


def _colour(
    field: str | None,
    rows: Sequence[Row],
    hues: Sequence[str] = (),
    order: Sequence[str] = (),
    *,
    alone: bool = True,
) -> alt.Color:
    if order:
        legend = _legend(order, columns=7) if alone or len(order) > 1 else None
        return alt.Color(f"{field}:O", sort=list(order), scale=alt.Scale(domain=list(order)), legend=legend)
    names = list(dict.fromkeys(record[field] for record in rows if field))
    legend = _legend(names) if len(names) > 1 else None
    if hues:
        return alt.Color(f"{field}:N", scale=alt.Scale(domain=list(hues)), legend=legend)
    return alt.Color(f"{field}:N", scale=alt.Scale(domain=names), legend=legend)


def _legend(names: Sequence[str], columns: int = 3, *, long: bool = False) -> alt.Legend:
    """Return a legend above a chart, with as many names side by side as fit; with long strokes if some are broken."""
    longest = max((len(str(name)) for name in names), default=0)
    columns = 2 if longest > 12 else min(columns, 4) if longest > 5 else columns
    on_a_phone = max(1, min(columns, 240 // (7 * longest + 30)))
    strokes: dict[str, Any] = {"symbolSize": 500, "symbolType": "stroke", "symbolStrokeWidth": 2} if long else {}
    return alt.Legend(
        title=None,
        values=list(names),
        orient="top",
        columns=alt.ExprRef(f"windowSize()[0] < 600 ? {on_a_phone} : {columns}"),
        labelLimit=260,
        symbolOpacity=1,
        **strokes,
    )


def _tooltips(rows: Sequence[Row], columns: Sequence[str]) -> list[alt.Tooltip]:
    available = [column for column in columns if any(column in row for row in rows)]
    return [_tooltip(column, [row.get(column) for row in rows]) for column in dict.fromkeys(available)]


def _tooltip(column: str, values: Sequence[object]) -> alt.Tooltip:
    title = column.replace("_", " ")
    if any(isinstance(value, float) for value in values):
        return alt.Tooltip(f"{column}:Q", title=title, format=".1%")
    if any(isinstance(value, int) for value in values):
        return alt.Tooltip(f"{column}:Q", title=title, format=",")
    return alt.Tooltip(f"{column}:N", title=title)


def _sized(chart: Any, height: int) -> alt.LayerChart:
    """Let a chart fill its container; the height is a number, because Vega-Lite cannot fit charts with steps."""
    # `properties` would copy the chart and validate it against the whole schema.
    chart.width, chart.height = "container", height
    sized: alt.LayerChart = chart
    return sized
