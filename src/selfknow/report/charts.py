"""The kinds of chart in a report, drawn with Altair. They fill their container and set no colours.

The page (light or dark) or the theme of a picture sets the colours, so that both can use the same chart.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import altair as alt

from selfknow.report.numbers import axis_end_for_shares
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
        order: The values of ``colour`` in their natural order, if they have one, such as sizes.
        title: The title of the axis.
        narrow: If true, the axis fits the intervals; else it goes from 0 to 1, or less far if all shares are small.
        domain: The ends of the axis, for charts with the same axis.
        each: A column with a list of shares; ``value`` is their mean. Each share is drawn as a small circle.
    """
    assert all(value in record for record in rows), f"every row of a chart needs {value}"
    names = list(dict.fromkeys(record[row] for record in rows))
    axis = _label_axis() if any(" · " in str(name) for name in names) else alt.Axis()
    y = alt.Y(f"{row}:N", sort=names, title=None, axis=axis)
    kinds = list(order) or list(dict.fromkeys(record[colour] for record in rows if colour))
    offset: dict[str, Any] = {"yOffset": alt.YOffset(f"{colour}:N", sort=kinds)} if colour else {}
    colours: dict[str, Any] = {"color": _colour(colour or hue, rows, hues, order)} if colour or hue else {}
    tooltips = _tooltips(
        rows,
        [row, *[name for name in (colour, hue) if name], value, "low", "high", "chance", *_COUNTS],
    )
    base = alt.Chart(_Rows(values=list(rows))).encode(y=y, tooltip=tooltips, **offset)
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
        x=alt.X("low:Q", title=title, scale=scale), x2="high:Q", **colours
    )
    points = base.mark_point(filled=True, size=90, opacity=1).encode(x=x, **colours)
    ticks = base.mark_tick(thickness=2, size=16, style="chance-tick").encode(x=alt.X("chance:Q", title=title))
    step = max(28, 14 * len({record[colour] for record in rows}) + 12) if colour else 28
    layers = [ticks, bars, points]
    if each is not None:
        parts = [{row: record[row], value: share} for record in rows for share in record.get(each) or ()]
        circles = alt.Chart(_Rows(values=parts)).mark_point(filled=False, size=45, opacity=0.9)
        layers += [circles.encode(y=y, x=x, tooltip=_tooltips(parts, [row, value]))] if parts else []
    return _sized(alt.layer(*layers), step * len(names))


def _upper_end(rows: Sequence[Row], value: str) -> float:
    """Return the upper end of an axis from 0 for the shares of these rows."""
    columns = (value, "high", "chance")
    return axis_end_for_shares(record.get(column) for record in rows for column in columns)


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
    """Draw a share against a number, with a line per cohort, intervals and the chance line.

    Args:
        rows: Rows with ``x``, ``value``, ``low``, ``high``, ``chance``, ``label`` and the columns of ``colour`` and
            ``dash``.
        x: The column of the number.
        value: The column of the share.
        titles: The titles of both axes.
        colour: The column of the colours.
        order: The values of ``colour`` in their natural order, if they have one, such as sizes.
        dash: The column that decides between solid and dashed lines.
        log: If true, the axis is logarithmic.
        steps: If true, the values of the axis are evenly spaced.
        alone: If true, the legend is also shown for a single value of ``order``.
    """
    base = alt.Chart(_Rows(values=list(rows)))
    tooltips = _tooltips(rows, ["label", x, value, "low", "high", "chance", "n", "n_graded"])
    scale = alt.Scale(type="log", nice=False, padding=16) if log else alt.Scale(zero=False, nice=False, padding=12)
    values = sorted({record[x] for record in rows})
    billions = "replace(format(datum.value, '.3~s'), 'G', 'B')"
    axis = (
        alt.Axis(labelExpr=billions, grid=False, values=_spread_ticks(values))
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
    intervals = encoded.mark_rule(opacity=0.45, strokeWidth=2).encode(y=alt.Y("low:Q", title=titles[1]), y2="high:Q")
    line = encoded.mark_line(strokeWidth=2).encode(y=vertical, tooltip=tooltips)
    if dash:
        kinds = list(dict.fromkeys(record[dash] for record in rows))
        line = line.encode(strokeDash=alt.StrokeDash(f"{dash}:N", sort=kinds, legend=_legend(kinds, long=True)))
    shapes = {} if order else {"shape": _shape(colour, rows)}
    points = encoded.mark_point(filled=True, size=55, opacity=1).encode(y=vertical, tooltip=tooltips, **shapes)
    chance_line = base.mark_line(style="chance").encode(x=horizontal, y=alt.Y("mean(chance):Q", title=titles[1]))
    # A layer without rows has no extent and would break the axes.
    background = [layer for layer, column in ((chance_line, "chance"), (intervals, "low")) if _has_values(rows, column)]
    return _sized(alt.layer(*background, line, points), 260)


def _spread_ticks(values: Sequence[float], most: int = 6) -> list[float]:
    """Return about ``most`` of the sorted values, far enough apart on a logarithmic axis to have labels."""
    ticks: list[float] = []
    least_ratio = (values[-1] / values[0]) ** (1 / most) if values else 1.0
    for value in values:
        if not ticks or value >= ticks[-1] * max(least_ratio, 1.01):
            ticks.append(value)
    return ticks


def _has_values(rows: Sequence[Row], column: str) -> bool:
    return any(row.get(column) is not None for row in rows)


@dataclass(frozen=True)
class Redrawn:
    """A chart that shares its form with others but has its own rows.

    Altair takes 60 ms to build a form, and a report has hundreds of charts.

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
    """Draw a heat map of a share, by the true and the recalled number.

    Args:
        rows: Rows with ``x``, ``y`` and ``value``.
        x: The column of the recalled number.
        y: The column of the true number.
        value: The column of the share.
        titles: The titles of both axes.
        targets: All true numbers, so that the charts of several models have the same axes.
        small: If true, cells are small, and their percentages have no percent sign.
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
    # A row with values of the right types, from which the tooltips get their formats.
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
        .transform_filter(condition)
        for shade, condition in (
            ("light", f"datum.{value} >= 0.05 && datum.{value} < 0.5"),
            ("dark", f"datum.{value} >= 0.5"),
        )
    ]
    chart = _sized(alt.layer(cells, *texts), (20 if small else 30) * len(targets)).to_dict()
    return {name: part for name, part in chart.items() if name not in ("config", "data", "datasets")}


def stacked(
    rows: Sequence[Row], colour: str, *, title: str, order: Sequence[str], hues: Sequence[str], tips: Sequence[str] = ()
) -> alt.LayerChart:
    """Draw shares that add up to 1, with a bar per cohort.

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
            y=alt.Y("label:N", sort=cohorts, title=None, axis=_label_axis()),
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
    """Draw the shares of several kinds against a number, each with its chance line.

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
    intervals = base.mark_rule(opacity=0.45, strokeWidth=2).encode(y=alt.Y("low:Q", title=titles[1]), y2="high:Q")
    line = base.mark_line(strokeWidth=2).encode(y=share)
    points = base.mark_point(filled=True, size=55, opacity=1).encode(y=share, shape=_shape(colour, rows))
    chance_line = base.mark_line(strokeDash=[3, 3], opacity=0.6).encode(y=alt.Y("chance:Q", title=titles[1]))
    return _sized(alt.layer(chance_line, intervals, line, points), 240)


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
    """Draw a share after each step, with a line per total number of steps.

    Args:
        rows: Rows with the columns that the arguments name.
        x: The column of the step.
        value: The column of the share.
        colour: The column of the total number of steps.
        filled: The boolean column that is true for filled points.
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


def _label_axis() -> alt.Axis:
    """Return an axis whose labels take two lines on a phone."""
    parts = "split(datum.label, ' · ')"
    needs_two_lines = f"width < 300 && length({parts}) > 1"
    two_lines = f"[{parts}[0], join(slice({parts}, 1), ' · ')]"
    return alt.Axis(
        labelExpr=f"{needs_two_lines} ? {two_lines} : datum.label",
        labelOffset=alt.ExprRef("width < 300 ? -6 : 0"),
        labelLineHeight=13,
    )


def _shape(field: str, rows: Sequence[Row]) -> alt.Shape:
    """Return shapes for readers who cannot tell the colours apart; with the same domain, both share a legend."""
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
    """Return a legend above a chart, with as many names side by side as fit; ``long`` strokes show dashes."""
    longest = max((len(str(name)) for name in names), default=0)
    if longest > 12:
        columns = 2
    elif longest > 5:
        columns = min(columns, 4)
    columns_on_phone = max(1, min(columns, 240 // (7 * longest + 30)))
    strokes: dict[str, Any] = {"symbolSize": 500, "symbolType": "stroke", "symbolStrokeWidth": 2} if long else {}
    return alt.Legend(
        title=None,
        values=list(names),
        orient="top",
        columns=alt.ExprRef(f"windowSize()[0] < 600 ? {columns_on_phone} : {columns}"),
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
    """Let a chart fill the width of its container; the height is a number, as Vega-Lite cannot fit stepped axes."""
    # `properties` would copy the chart and validate it.
    chart.width, chart.height = "container", height
    sized: alt.LayerChart = chart
    return sized
